/**
 * SECTION:element-farwheelsrc
 * @title: farwheelsrc
 *
 * Receives cameras and radar from a vehicle's farwheelsink over WebRTC and is the WHIP server
 * (RFC 9725) that it calls. A live source before, during and between sessions: its pads appear with
 * the first vehicle and stay; a later session feeds the same pads, beginning with a key frame that
 * is marked DISCONT. Buffers bear their capture time as GstReferenceTimestampMeta
 * (timestamp/x-farwheel-capture) once the clocks are known.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 farwheelsrc listen=127.0.0.1:8080 ! h264parse ! avdec_h264 ! videoconvert !
 * autovideosink sync=false
 * ]|
 * Since: 0.1
 */
#include "webrtc/farwheel_src.h"

#include <memory>
#include <mutex>
#include <vector>

#include "support/gst_ptr.h"
#include "webrtc/event_loop.h"
#include "webrtc/feed_outlet.h"
#include "webrtc/inner_messages.h"
#include "webrtc/station_link.h"
#include "webrtc/station_stats.h"
#include "webrtc/warm_up.h"
#include "webrtc/whip_rules.h"

GST_DEBUG_CATEGORY(farwheel_src_debug);
#define GST_CAT_DEFAULT farwheel_src_debug

namespace farwheel {
namespace {

enum Property {
  kPropListen = 1,
  kPropAuthToken,
  kPropStunServer,
  kPropTurnServers,
  kPropLatency,
  kPropStats,
};

constexpr char kListen[] = "127.0.0.1:8080";
constexpr guint kLatency = 20;

struct Settings {
  std::string listen = kListen;
  std::string auth_token;
  IceServers ice;
  guint latency_ms = kLatency;
};

struct Outlet {
  std::string name;
  FeedKind kind = FeedKind::kCamera;
  GstElement* element = nullptr;  // owned by the bin
  GstPad* ghost = nullptr;
};

class SrcImpl {
 public:
  explicit SrcImpl(GstElement* element) : element_(element) {}
  void set_property(guint id, const GValue* value);
  void get_property(guint id, GValue* value);
  // False with an error posted: cannot listen.
  bool prepare();
  void set_playing(bool playing);
  void unprepare();
  void on_session_error(GstObject* source, const std::string& text);

 private:
  GstElement* outlet_of(const OfferedFeed& feed);
  GstStructure* stats();

  GstElement* element_;
  std::mutex mutex_;
  Settings settings_;
  std::vector<Outlet> outlets_;
  std::shared_ptr<EventLoop> loop_;
  std::shared_ptr<StationLink> link_;
};

std::string text_of(const GValue* value) {
  const char* text = g_value_get_string(value);
  return text ? text : "";
}

bool has_element(const char* factory) {
  const GstObjectPtr<GstElementFactory> found(gst_element_factory_find(factory));
  return found != nullptr;
}

void SrcImpl::set_property(guint id, const GValue* value) {
  std::lock_guard lock(mutex_);
  switch (id) {
    case kPropListen:
      settings_.listen = text_of(value);
      break;
    case kPropAuthToken:
      settings_.auth_token = text_of(value);
      break;
    case kPropStunServer:
      settings_.ice.stun = text_of(value);
      break;
    case kPropTurnServers:
      settings_.ice.turn.clear();
      for (guint i = 0; i < gst_value_array_get_size(value); ++i) {
        const GValue* item = gst_value_array_get_value(value, i);
        if (G_VALUE_HOLDS_STRING(item)) settings_.ice.turn.push_back(text_of(item));
      }
      break;
    case kPropLatency:
      settings_.latency_ms = g_value_get_uint(value);
      break;
    default:
      break;
  }
}

void SrcImpl::get_property(guint id, GValue* value) {
  if (id == kPropStats) {
    g_value_take_boxed(value, stats());
    return;
  }
  std::lock_guard lock(mutex_);
  const Settings& s = settings_;
  switch (id) {
    case kPropListen:
      g_value_set_string(value, s.listen.c_str());
      break;
    case kPropAuthToken:
      g_value_set_string(value, s.auth_token.empty() ? nullptr : "(set)");
      break;
    case kPropStunServer:
      g_value_set_string(value, s.ice.stun.c_str());
      break;
    case kPropTurnServers:
      for (const std::string& turn : s.ice.turn) {
        GValue item = G_VALUE_INIT;
        g_value_init(&item, G_TYPE_STRING);
        g_value_set_string(&item, turn.c_str());
        gst_value_array_append_and_take_value(value, &item);
      }
      break;
    case kPropLatency:
      g_value_set_uint(value, s.latency_ms);
      break;
    default:
      break;
  }
}

bool SrcImpl::prepare() {
  StationLinkConfig config;
  ListenResult listen;
  auto loop = std::make_shared<EventLoop>("farwheelsrc");
  {
    std::lock_guard lock(mutex_);
    listen = parse_listen(settings_.listen);
    config.auth_token = settings_.auth_token;
    config.ice = settings_.ice;
    config.latency_ms = settings_.latency_ms;
  }
  std::string error = listen.error;
  config.bin = GST_BIN(element_);
  config.listen = listen.address;
  config.takes_radar = has_element("radarklvdepay") && has_element("radarklvdec");
  config.outlet_of = [this](const OfferedFeed& feed) { return outlet_of(feed); };
  std::shared_ptr<StationLink> link;
  if (error.empty()) {
    loop->run_and_wait([&] {
      link = std::make_shared<StationLink>(loop, std::move(config));
      error = link->start();
      if (!error.empty()) link.reset();
    });
  }
  if (!error.empty()) {
    loop->stop();
    GST_ELEMENT_ERROR(element_, RESOURCE, OPEN_READ, ("%s", error.c_str()), (nullptr));
    return false;
  }
  {
    std::lock_guard lock(mutex_);
    loop_ = loop;
    link_ = link;
  }
  loop->post([] { warm_up_sessions(); });
  g_object_notify(G_OBJECT(element_), "stats");
  return true;
}

void SrcImpl::set_playing(bool playing) {
  std::shared_ptr<EventLoop> loop;
  std::shared_ptr<StationLink> link;
  {
    std::lock_guard lock(mutex_);
    loop = loop_;
    link = link_;
  }
  // Not waited for: ending a session waits for a console that may wait for this state change.
  if (loop && link) loop->post([link, playing] { link->set_playing(playing); });
}

void SrcImpl::unprepare() {
  std::shared_ptr<EventLoop> loop;
  std::shared_ptr<StationLink> link;
  std::vector<Outlet> outlets;
  {
    std::lock_guard lock(mutex_);
    loop = std::move(loop_);
    link = std::move(link_);
    outlets.swap(outlets_);
  }
  if (loop) {
    loop->run_and_wait([&] {
      if (link) link->stop();
      link.reset();
    });
    loop->stop();
  }
  for (const Outlet& outlet : outlets) {
    gst_pad_set_active(outlet.ghost, FALSE);
    gst_element_remove_pad(element_, outlet.ghost);
    gst_element_set_locked_state(outlet.element, TRUE);
    gst_element_set_state(outlet.element, GST_STATE_NULL);
    gst_bin_remove(GST_BIN(element_), outlet.element);
  }
}

GstElement* SrcImpl::outlet_of(const OfferedFeed& feed) {
  Outlet outlet;
  FeedOutletConfig config;
  {
    std::lock_guard lock(mutex_);
    for (const Outlet& known : outlets_) {
      if (known.name == feed.name) return known.element;
    }
    config.latency = settings_.latency_ms * GST_MSECOND;
  }
  config.kind = feed.kind;
  config.name = feed.name;
  outlet.name = feed.name;
  outlet.kind = feed.kind;
  outlet.element = make_feed_outlet(config);
  gst_bin_add(GST_BIN(element_), outlet.element);
  gst_element_sync_state_with_parent(outlet.element);
  GstPadPtr src(gst_element_get_static_pad(outlet.element, "src"));
  const std::string name = std::string(pad_prefix(feed.kind)) + "%u";
  outlet.ghost = gst_ghost_pad_new_from_template(
      feed.name.c_str(), src.get(), gst_element_get_pad_template(element_, name.c_str()));
  gst_pad_set_active(outlet.ghost, TRUE);
  {
    std::lock_guard lock(mutex_);
    outlets_.push_back(outlet);
  }
  gst_element_add_pad(element_, outlet.ghost);
  return outlet.element;
}

GstStructure* SrcImpl::stats() {
  std::shared_ptr<StationLink> link;
  std::vector<OutletReport> reports;
  {
    std::lock_guard lock(mutex_);
    link = link_;
    for (const Outlet& outlet : outlets_) {
      reports.push_back({outlet.name, outlet.kind, outlet_counts(outlet.element)});
    }
  }
  return station_stats(link ? link->snapshot() : StationLinkSnapshot{}, reports);
}

void SrcImpl::on_session_error(GstObject* source, const std::string& text) {
  std::shared_ptr<StationLink> link;
  {
    std::lock_guard lock(mutex_);
    link = link_;
  }
  if (link) link->on_session_error(source, text);
}

}  // namespace
}  // namespace farwheel

struct GstFarwheelSrc {
  GstBin bin;
  farwheel::SrcImpl* impl;
};
struct GstFarwheelSrcClass {
  GstBinClass parent_class;
};

G_DEFINE_TYPE(GstFarwheelSrc, gst_farwheel_src, GST_TYPE_BIN)

namespace {

GstStaticPadTemplate video_template = GST_STATIC_PAD_TEMPLATE(
    "video_%u", GST_PAD_SRC, GST_PAD_SOMETIMES,
    GST_STATIC_CAPS("video/x-h264, stream-format=(string)byte-stream, alignment=(string)au"));
GstStaticPadTemplate radar_template =
    GST_STATIC_PAD_TEMPLATE("radar_%u", GST_PAD_SRC, GST_PAD_SOMETIMES,
                            GST_STATIC_CAPS("application/x-farwheel-radar, version=(int)1"));

farwheel::SrcImpl& impl_of(gpointer object) {
  return *static_cast<GstFarwheelSrc*>(object)->impl;
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec*) {
  impl_of(object).set_property(id, value);
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec*) {
  impl_of(object).get_property(id, value);
}

void finalize(GObject* object) {
  delete reinterpret_cast<GstFarwheelSrc*>(object)->impl;
  G_OBJECT_CLASS(gst_farwheel_src_parent_class)->finalize(object);
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
  farwheel::SrcImpl& impl = impl_of(element);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !impl.prepare()) {
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) impl.set_playing(false);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) impl.unprepare();
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_farwheel_src_parent_class)->change_state(element, transition);
  if (result == GST_STATE_CHANGE_FAILURE) {
    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) impl.unprepare();
    return result;
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) impl.set_playing(true);
  const bool to_paused = transition == GST_STATE_CHANGE_READY_TO_PAUSED ||
                         transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED;
  return to_paused ? GST_STATE_CHANGE_NO_PREROLL : result;
}

void handle_message(GstBin* bin, GstMessage* message) {
  const bool swallowed = farwheel::swallow_session_message(
      bin, message, [bin](GstObject* source, const std::string& text) {
        impl_of(bin).on_session_error(source, text);
      });
  if (swallowed) {
    gst_message_unref(message);
    return;
  }
  GST_BIN_CLASS(gst_farwheel_src_parent_class)->handle_message(bin, message);
}

void install_properties(GObjectClass* object) {
  using namespace farwheel;
  const auto ready = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                              GST_PARAM_MUTABLE_READY);
  g_object_class_install_property(
      object, kPropListen,
      g_param_spec_string("listen", "Listen",
                          "host:port of the WHIP server; port 0 takes any free one (see stats)",
                          kListen, ready));
  g_object_class_install_property(
      object, kPropAuthToken,
      g_param_spec_string("auth-token", "Auth token",
                          "Bearer token that a vehicle must show (reads back as \"(set)\")",
                          nullptr, ready));
  g_object_class_install_property(object, kPropStunServer,
                                  g_param_spec_string("stun-server", "STUN server",
                                                      "stun://host:port; empty: none", "", ready));
  g_object_class_install_property(
      object, kPropTurnServers,
      gst_param_spec_array(
          "turn-servers", "TURN servers", "turn(s)://user:password@host:port, any number of them",
          g_param_spec_string("turn-server", "TURN server", "One TURN server", nullptr, ready),
          ready));
  g_object_class_install_property(
      object, kPropLatency,
      g_param_spec_uint("latency", "Latency", "Jitter buffer's depth, in ms", 0, 10000, kLatency,
                        ready));
  g_object_class_install_property(
      object, kPropStats,
      g_param_spec_boxed(
          "stats", "Statistics", "Structure application/x-farwheelsrc-stats, see docs/stats.md",
          GST_TYPE_STRUCTURE, static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

}  // namespace

static void gst_farwheel_src_init(GstFarwheelSrc* self) {
  self->impl = new farwheel::SrcImpl(GST_ELEMENT(self));
  // Sessions come and go inside, with sources and sinks of their own; we are a source throughout.
  gst_bin_set_suppressed_flags(
      GST_BIN(self), static_cast<GstElementFlags>(GST_ELEMENT_FLAG_SOURCE | GST_ELEMENT_FLAG_SINK));
  GST_OBJECT_FLAG_SET(self, GST_ELEMENT_FLAG_SOURCE);
}

static void gst_farwheel_src_class_init(GstFarwheelSrcClass* klass) {
  GST_DEBUG_CATEGORY_INIT(farwheel_src_debug, "farwheelsrc", 0, "station's WebRTC receiver");
  auto* object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  install_properties(object);
  auto* element = GST_ELEMENT_CLASS(klass);
  element->change_state = change_state;
  GST_BIN_CLASS(klass)->handle_message = handle_message;
  gst_element_class_add_static_pad_template(element, &video_template);
  gst_element_class_add_static_pad_template(element, &radar_template);
  gst_element_class_set_static_metadata(
      element, "Farwheel Station WebRTC Source", "Source/Network/WebRTC",
      "Receives a vehicle's cameras and radar over WebRTC, as the WHIP server that it calls",
      "Farwheel <farwheel@farwheel.example>");
}

namespace farwheel {

gboolean register_farwheel_src(GstPlugin* plugin) {
  return gst_element_register(plugin, "farwheelsrc", GST_RANK_NONE, gst_farwheel_src_get_type());
}

}  // namespace farwheel
