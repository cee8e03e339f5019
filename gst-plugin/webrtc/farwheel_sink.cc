/**
 * SECTION:element-farwheelsink
 * @title: farwheelsink
 *
 * Sends H.264 cameras and radar from a vehicle to a station over WebRTC, signalled by WHIP
 * (RFC 9725), and reconnects for ever. Raw video gets an encoder. With the element `rtpbbrcc` in
 * the registry, it controls the rate.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 v4l2src ! video/x-raw,framerate=30/1 ! farwheelsink \
 *     whip-endpoint=http://127.0.0.1:8080 vehicle-id=car-7
 * ]|
 * Since: 0.1
 */
#include "webrtc/farwheel_sink.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <map>
#include <memory>
#include <mutex>

#include "support/gst_ptr.h"
#include "webrtc/event_loop.h"
#include "webrtc/inner_messages.h"
#include "webrtc/vehicle_feed.h"
#include "webrtc/vehicle_link.h"
#include "webrtc/warm_up.h"
#include "webrtc/whip_rules.h"

GST_DEBUG_CATEGORY(farwheel_sink_debug);
#define GST_CAT_DEFAULT farwheel_sink_debug

namespace farwheel {
namespace {

enum Property {
  kPropWhipEndpoint = 1,
  kPropAuthToken,
  kPropVehicleId,
  kPropStunServer,
  kPropTurnServers,
  kPropMinBitrate,
  kPropMaxBitrate,
  kPropStartBitrate,
  kPropDoRetransmission,
  kPropAlgorithm,
  kPropStartup,
  kPropParams,
  kPropAdjustEncoders,
  kPropTxInterface,
  kPropStats,
};

constexpr guint kMinBitrate = 150'000;
constexpr guint kMaxBitrate = 8'000'000;
constexpr guint kStartBitrate = 1'000'000;
// Feeds whose caps have not come by then are offered with the usual ones.
constexpr unsigned kCapsWait = 500;
constexpr unsigned kGoodbye = 300;
constexpr unsigned kFirstPayload = 96;

struct Settings {
  std::string whip_endpoint = "http://127.0.0.1:8080";
  std::string auth_token;
  std::string vehicle_id = "vehicle";
  IceServers ice;
  guint min_bitrate = kMinBitrate;
  guint max_bitrate = kMaxBitrate;
  guint start_bitrate = kStartBitrate;
  gboolean do_retransmission = TRUE;
  std::string algorithm = "adaptive-bbr2";
  std::string startup = "fbe";
  std::string params;
  gboolean adjust_encoders = TRUE;
  std::string tx_interface;
};

class SinkImpl {
 public:
  explicit SinkImpl(GstElement* element) : element_(element) {}

  void set_property(guint id, const GValue* value);
  void get_property(guint id, GValue* value);
  GstPad* request_pad(GstPadTemplate* pad_template, const char* name);
  void release_pad(GstPad* pad);
  // The endpoint is checked here, so that a bad one fails the change to PAUSED.
  bool prepare();
  void play();
  void pause();
  void unprepare();
  void reset_feeds();
  void remove_feeds();
  void on_session_error(GstObject* source, const std::string& text);

 private:
  void start_link();
  void start_link_when_ready();
  void on_eos();
  GstElement* make_rate_controller();
  GstStructurePtr controller_stats();
  GstStructure* stats();
  void pass_to_controller(const Settings& settings, GstElement* controller);

  GstElement* element_;
  std::mutex mutex_;
  Settings settings_;
  std::string endpoint_;
  std::map<std::string, std::unique_ptr<VehicleFeed>> feeds_;
  std::shared_ptr<EventLoop> loop_;
  std::shared_ptr<VehicleLink> link_;
  GstElementPtr controller_;
  VehicleLinkSnapshot last_;
  bool warned_no_controller_ = false;
  // On the loop.
  bool waiting_for_caps_ = false;
  EventLoop::Timer caps_timer_;
};

std::string text_of(const GValue* value) {
  const char* text = g_value_get_string(value);
  return text ? text : "";
}

void SinkImpl::set_property(guint id, const GValue* value) {
  std::unique_lock lock(mutex_);
  Settings& s = settings_;
  switch (id) {
    case kPropWhipEndpoint:
      s.whip_endpoint = text_of(value);
      break;
    case kPropAuthToken:
      s.auth_token = text_of(value);
      break;
    case kPropVehicleId:
      s.vehicle_id = text_of(value);
      break;
    case kPropStunServer:
      s.ice.stun = text_of(value);
      break;
    case kPropTurnServers:
      s.ice.turn.clear();
      for (guint i = 0; i < gst_value_array_get_size(value); ++i) {
        const GValue* item = gst_value_array_get_value(value, i);
        if (G_VALUE_HOLDS_STRING(item)) s.ice.turn.push_back(text_of(item));
      }
      break;
    case kPropMinBitrate:
      s.min_bitrate = g_value_get_uint(value);
      break;
    case kPropMaxBitrate:
      s.max_bitrate = g_value_get_uint(value);
      break;
    case kPropStartBitrate:
      s.start_bitrate = g_value_get_uint(value);
      break;
    case kPropDoRetransmission:
      s.do_retransmission = g_value_get_boolean(value);
      break;
    case kPropAlgorithm:
      s.algorithm = text_of(value);
      break;
    case kPropStartup:
      s.startup = text_of(value);
      break;
    case kPropParams:
      s.params = text_of(value);
      break;
    case kPropAdjustEncoders:
      s.adjust_encoders = g_value_get_boolean(value);
      break;
    case kPropTxInterface:
      s.tx_interface = text_of(value);
      break;
    default:
      return;
  }
  const Settings copy = s;
  GstElementPtr controller = ref_gst(controller_.get());
  lock.unlock();
  if (controller) pass_to_controller(copy, controller.get());
}

void SinkImpl::get_property(guint id, GValue* value) {
  if (id == kPropStats) {
    g_value_take_boxed(value, stats());
    return;
  }
  std::lock_guard lock(mutex_);
  const Settings& s = settings_;
  switch (id) {
    case kPropWhipEndpoint:
      g_value_set_string(value, s.whip_endpoint.c_str());
      break;
    case kPropAuthToken:
      g_value_set_string(value, s.auth_token.empty() ? nullptr : "(set)");
      break;
    case kPropVehicleId:
      g_value_set_string(value, s.vehicle_id.c_str());
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
    case kPropMinBitrate:
      g_value_set_uint(value, s.min_bitrate);
      break;
    case kPropMaxBitrate:
      g_value_set_uint(value, s.max_bitrate);
      break;
    case kPropStartBitrate:
      g_value_set_uint(value, s.start_bitrate);
      break;
    case kPropDoRetransmission:
      g_value_set_boolean(value, s.do_retransmission);
      break;
    case kPropAlgorithm:
      g_value_set_string(value, s.algorithm.c_str());
      break;
    case kPropStartup:
      g_value_set_string(value, s.startup.c_str());
      break;
    case kPropParams:
      g_value_set_string(value, s.params.c_str());
      break;
    case kPropAdjustEncoders:
      g_value_set_boolean(value, s.adjust_encoders);
      break;
    case kPropTxInterface:
      g_value_set_string(value, s.tx_interface.c_str());
      break;
    default:
      break;
  }
}

GstPad* SinkImpl::request_pad(GstPadTemplate* pad_template, const char* name) {
  const bool camera = g_str_has_prefix(GST_PAD_TEMPLATE_NAME_TEMPLATE(pad_template), "video");
  VehicleFeedConfig config;
  config.stream.kind = camera ? FeedKind::kCamera : FeedKind::kRadar;
  const std::string prefix = pad_prefix(config.stream.kind);
  std::unique_lock lock(mutex_);
  unsigned number = 0;
  if (name && std::strchr(name, '%') == nullptr) {
    config.name = name;
  } else {
    while (feeds_.contains(prefix + std::to_string(number))) ++number;
    config.name = prefix + std::to_string(number);
  }
  if (feeds_.contains(config.name) || feeds_.size() >= 8) return nullptr;
  // Every other number: webrtcbin takes the one between for retransmission.
  config.stream.payload = kFirstPayload;
  config.stream.ssrc = g_random_int();
  const auto taken = [this](unsigned payload) {
    return std::any_of(feeds_.begin(), feeds_.end(), [payload](const auto& feed) {
      return feed.second->config().stream.payload == payload;
    });
  };
  while (taken(config.stream.payload)) config.stream.payload += 2;
  config.start_bitrate = [this]() -> std::uint64_t {
    std::lock_guard guard(mutex_);
    return settings_.start_bitrate;
  };
  lock.unlock();
  VehicleFeed::Callbacks callbacks{[this] { start_link_when_ready(); }, [this] { on_eos(); }};
  auto feed = std::make_unique<VehicleFeed>(element_, config, callbacks);
  GstPad* pad = feed->pad();
  lock.lock();
  feeds_[config.name] = std::move(feed);
  return pad;
}

void SinkImpl::release_pad(GstPad* pad) {
  std::unique_ptr<VehicleFeed> feed;
  std::shared_ptr<EventLoop> loop;
  {
    std::lock_guard lock(mutex_);
    const auto found = std::find_if(feeds_.begin(), feeds_.end(), [pad](const auto& entry) {
      return entry.second->pad() == pad;
    });
    if (found == feeds_.end()) return;
    feed = std::move(found->second);
    feeds_.erase(found);
    loop = loop_;
  }
  // A session still has its gate: start another without it.
  const bool running = link_ != nullptr;
  if (running) pause();
  feed.reset();
  if (running) play();
}

bool SinkImpl::prepare() {
  std::lock_guard lock(mutex_);
  const UrlResult url = whip_endpoint_url(settings_.whip_endpoint, settings_.vehicle_id);
  if (!url.error.empty()) {
    GST_ELEMENT_ERROR(element_, RESOURCE, SETTINGS, ("whip-endpoint: %s", url.error.c_str()),
                      (nullptr));
    return false;
  }
  endpoint_ = url.url;
  loop_ = std::make_shared<EventLoop>("farwheelsink");
  // While the cameras and encoders start.
  loop_->post([] { warm_up_sessions(); });
  return true;
}

void SinkImpl::play() {
  std::shared_ptr<EventLoop> loop;
  {
    std::lock_guard lock(mutex_);
    loop = loop_;
  }
  if (!loop) return;
  loop->post([this, loop] {
    waiting_for_caps_ = true;
    caps_timer_ = loop->call_after(kCapsWait, [this] { start_link(); });
  });
  start_link_when_ready();
}

// Streaming threads come here with caps. The offer waits for all feeds' caps, up to a bound.
void SinkImpl::start_link_when_ready() {
  std::lock_guard lock(mutex_);
  if (!loop_) return;
  const bool ready =
      !feeds_.empty() &&
      std::all_of(feeds_.begin(), feeds_.end(), [](const auto& f) { return f.second->has_caps(); });
  if (ready) loop_->post([this] { start_link(); });
}

void SinkImpl::start_link() {
  if (!std::exchange(waiting_for_caps_, false)) return;
  caps_timer_.cancel();
  VehicleLinkConfig config;
  VehicleLink::Callbacks callbacks;
  std::shared_ptr<VehicleLink> link;
  {
    std::lock_guard lock(mutex_);
    if (feeds_.empty()) return;
    config.endpoint = endpoint_;
    config.auth_token = settings_.auth_token;
    config.session.bin = GST_BIN(element_);
    config.session.vehicle_id = settings_.vehicle_id;
    config.session.ice = settings_.ice;
    config.session.retransmit = settings_.do_retransmission;
    for (const auto& [name, feed] : feeds_) {
      config.session.feeds.push_back({name, feed->config().stream, feed->gate()});
    }
    config.session.make_rate_controller = [this] { return make_rate_controller(); };
    callbacks.controller_stats = [this] { return controller_stats(); };
    callbacks.on_trouble = [this](const std::string& why) {
      GST_ELEMENT_WARNING(element_, RESOURCE, OPEN_WRITE,
                          ("No connection to the station, trying again: %s", why.c_str()),
                          (nullptr));
    };
    link = std::make_shared<VehicleLink>(loop_, std::move(config), std::move(callbacks));
    link_ = link;
  }
  link->start();
}

void SinkImpl::pause() {
  std::shared_ptr<EventLoop> loop;
  {
    std::lock_guard lock(mutex_);
    loop = loop_;
  }
  if (!loop) return;
  auto told = std::make_shared<std::promise<void>>();
  std::future<void> future = told->get_future();
  std::shared_ptr<VehicleLink> link;
  loop->run_and_wait([this, &link, &told] {
    waiting_for_caps_ = false;
    caps_timer_.cancel();
    {
      std::lock_guard lock(mutex_);
      link = link_;
    }
    if (link) {
      link->stop([told] { told->set_value(); });
    } else {
      told->set_value();
    }
  });
  // The station should know, but a dead one must not hold the pipeline.
  future.wait_for(std::chrono::milliseconds(kGoodbye));
  loop->run_and_wait([this, &link] {
    std::shared_ptr<VehicleLink> last;
    std::lock_guard lock(mutex_);
    if (link) last_ = link->snapshot();
    last = std::move(link_);
    link.reset();
  });
}

void SinkImpl::unprepare() {
  std::shared_ptr<EventLoop> loop;
  {
    std::lock_guard lock(mutex_);
    loop = std::move(loop_);
    controller_.reset();
  }
  if (loop) loop->stop();
}

void SinkImpl::reset_feeds() {
  for (auto& [name, feed] : feeds_) feed->reset();
}

void SinkImpl::remove_feeds() {
  std::map<std::string, std::unique_ptr<VehicleFeed>> feeds;
  std::unique_lock lock(mutex_);
  feeds.swap(feeds_);
  lock.unlock();
}

void SinkImpl::on_eos() {
  std::unique_lock lock(mutex_);
  const bool all = std::all_of(feeds_.begin(), feeds_.end(),
                               [](const auto& feed) { return feed.second->at_eos(); });
  lock.unlock();
  if (all) gst_element_post_message(element_, gst_message_new_eos(GST_OBJECT(element_)));
}

void SinkImpl::on_session_error(GstObject* source, const std::string& text) {
  std::shared_ptr<VehicleLink> link;
  {
    std::lock_guard lock(mutex_);
    link = link_;
  }
  if (link) link->on_session_error(source, text);
}

void set_if_known(GstElement* element, const char* name, const std::string& text) {
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(element), name)) {
    gst_util_set_object_arg(G_OBJECT(element), name, text.c_str());
  }
}

void SinkImpl::pass_to_controller(const Settings& s, GstElement* controller) {
  set_if_known(controller, "algorithm", s.algorithm);
  set_if_known(controller, "startup", s.startup);
  set_if_known(controller, "min-bitrate", std::to_string(s.min_bitrate));
  set_if_known(controller, "max-bitrate", std::to_string(s.max_bitrate));
  set_if_known(controller, "start-bitrate", std::to_string(s.start_bitrate));
  set_if_known(controller, "adjust-encoders", s.adjust_encoders ? "true" : "false");
  if (!s.params.empty()) set_if_known(controller, "params", s.params);
  if (!s.tx_interface.empty()) set_if_known(controller, "tx-interface", s.tx_interface);
}

GstElement* SinkImpl::make_rate_controller() {
  GstElement* controller = gst_element_factory_make("rtpbbrcc", nullptr);
  std::unique_lock lock(mutex_);
  if (!controller) {
    const bool first = !std::exchange(warned_no_controller_, true);
    lock.unlock();
    if (first) {
      GST_ELEMENT_WARNING(element_, CORE, MISSING_PLUGIN,
                          ("No element rtpbbrcc: the rate is not controlled."), (nullptr));
    }
    return nullptr;
  }
  const Settings copy = settings_;
  controller_.reset(GST_ELEMENT(gst_object_ref(controller)));
  lock.unlock();
  pass_to_controller(copy, controller);
  return controller;
}

GstStructurePtr SinkImpl::controller_stats() {
  GstElementPtr controller;
  {
    std::lock_guard lock(mutex_);
    controller = ref_gst(controller_.get());
  }
  GstStructure* stats = nullptr;
  if (controller) g_object_get(controller.get(), "stats", &stats, nullptr);
  return GstStructurePtr(stats);
}

GstStructure* SinkImpl::stats() {
  std::shared_ptr<VehicleLink> link;
  std::string vehicle_id;
  std::string endpoint;
  VehicleLinkSnapshot snapshot;
  {
    std::lock_guard lock(mutex_);
    link = link_;
    vehicle_id = settings_.vehicle_id;
    endpoint = endpoint_;
    snapshot = last_;
  }
  if (link) snapshot = link->snapshot();
  GstStructure* stats = gst_structure_new(
      "application/x-farwheelsink-stats", "connection", G_TYPE_STRING, snapshot.connection,
      "encrypted", G_TYPE_BOOLEAN, static_cast<gboolean>(snapshot.encrypted), "vehicle-id",
      G_TYPE_STRING, vehicle_id.c_str(), "sessions-total", G_TYPE_UINT64,
      static_cast<guint64>(snapshot.sessions_total), "datachannel-bytes", G_TYPE_UINT64,
      static_cast<guint64>(snapshot.datachannel_bytes), nullptr);
  if (!endpoint.empty()) {
    gst_structure_set(stats, "endpoint", G_TYPE_STRING, endpoint.c_str(), nullptr);
  }
  if (!snapshot.session_url.empty()) {
    gst_structure_set(stats, "session-url", G_TYPE_STRING, snapshot.session_url.c_str(), nullptr);
  }
  if (GstStructurePtr cc = controller_stats()) {
    gst_structure_set(stats, "cc", GST_TYPE_STRUCTURE, cc.get(), nullptr);
  }
  return stats;
}

}  // namespace
}  // namespace farwheel

struct GstFarwheelSink {
  GstBin bin;
  farwheel::SinkImpl* impl;
};
struct GstFarwheelSinkClass {
  GstBinClass parent_class;
};

G_DEFINE_TYPE(GstFarwheelSink, gst_farwheel_sink, GST_TYPE_BIN)

namespace {

farwheel::SinkImpl& impl_of(gpointer object) {
  return *static_cast<GstFarwheelSink*>(object)->impl;
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec*) {
  impl_of(object).set_property(id, value);
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec*) {
  impl_of(object).get_property(id, value);
}

void dispose(GObject* object) {
  impl_of(object).remove_feeds();
  G_OBJECT_CLASS(gst_farwheel_sink_parent_class)->dispose(object);
}

void finalize(GObject* object) {
  delete reinterpret_cast<GstFarwheelSink*>(object)->impl;
  G_OBJECT_CLASS(gst_farwheel_sink_parent_class)->finalize(object);
}

GstPad* request_new_pad(GstElement* element, GstPadTemplate* pad_template, const gchar* name,
                        const GstCaps*) {
  return impl_of(element).request_pad(pad_template, name);
}

void release_pad(GstElement* element, GstPad* pad) {
  impl_of(element).release_pad(pad);
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
  farwheel::SinkImpl& impl = impl_of(element);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !impl.prepare()) {
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) impl.pause();
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_farwheel_sink_parent_class)->change_state(element, transition);
  if (result == GST_STATE_CHANGE_FAILURE) return result;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) impl.play();
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    impl.unprepare();
    impl.reset_feeds();
  }
  return result;
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
  GST_BIN_CLASS(gst_farwheel_sink_parent_class)->handle_message(bin, message);
}

void install_properties(GObjectClass* object) {
  using namespace farwheel;
  const auto ready = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                              GST_PARAM_MUTABLE_READY);
  const auto playing = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                GST_PARAM_MUTABLE_PLAYING);
  const auto text = [object](guint id, const char* name, const char* nick, const char* blurb,
                             const char* value, GParamFlags flags) {
    g_object_class_install_property(object, id,
                                    g_param_spec_string(name, nick, blurb, value, flags));
  };
  const auto rate = [object, playing](guint id, const char* name, const char* nick,
                                      const char* blurb, guint value) {
    g_object_class_install_property(
        object, id, g_param_spec_uint(name, nick, blurb, 1000, G_MAXUINT, value, playing));
  };
  text(kPropWhipEndpoint, "whip-endpoint", "WHIP endpoint",
       "Base URL of the station, to which /whip/<vehicle-id> is added, or the whole endpoint",
       "http://127.0.0.1:8080", ready);
  text(kPropAuthToken, "auth-token", "Auth token",
       "Bearer token for the station (reads back as \"(set)\")", nullptr, ready);
  text(kPropVehicleId, "vehicle-id", "Vehicle ID",
       "Name of this vehicle: 1 to 64 letters, digits, '.', '_' or '-'", "vehicle", ready);
  text(kPropStunServer, "stun-server", "STUN server", "stun://host:port; empty: none", "", ready);
  g_object_class_install_property(
      object, kPropTurnServers,
      gst_param_spec_array(
          "turn-servers", "TURN servers", "turn(s)://user:password@host:port, any number of them",
          g_param_spec_string("turn-server", "TURN server", "One TURN server", nullptr, ready),
          ready));
  rate(kPropMinBitrate, "min-bitrate", "Minimum bitrate",
       "Least sum of all feeds' target bitrates, in bit/s", kMinBitrate);
  rate(kPropMaxBitrate, "max-bitrate", "Maximum bitrate",
       "Greatest sum of all feeds' target bitrates, in bit/s", kMaxBitrate);
  rate(kPropStartBitrate, "start-bitrate", "Start bitrate",
       "Bitrate until the path has been measured, in bit/s", kStartBitrate);
  g_object_class_install_property(
      object, kPropDoRetransmission,
      g_param_spec_boolean("do-retransmission", "Do retransmission",
                           "Send lost packets again when the station asks for them", TRUE, ready));
  text(kPropAlgorithm, "algorithm", "Algorithm", "As rtpbbrcc's property of this name",
       "adaptive-bbr2", playing);
  text(kPropStartup, "startup", "Startup", "As rtpbbrcc's property of this name", "fbe", playing);
  text(kPropParams, "params", "Parameters", "As rtpbbrcc's property of this name", "", playing);
  g_object_class_install_property(
      object, kPropAdjustEncoders,
      g_param_spec_boolean("adjust-encoders", "Adjust encoders",
                           "As rtpbbrcc's property of this name", TRUE, playing));
  text(kPropTxInterface, "tx-interface", "Transmit interface",
       "As rtpbbrcc's property of this name", "", playing);
  g_object_class_install_property(
      object, kPropStats,
      g_param_spec_boxed(
          "stats", "Statistics", "Structure application/x-farwheelsink-stats, see docs/stats.md",
          GST_TYPE_STRUCTURE, static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

}  // namespace

static void gst_farwheel_sink_init(GstFarwheelSink* self) {
  self->impl = new farwheel::SinkImpl(GST_ELEMENT(self));
  // Sessions come and go inside, with sources and sinks of their own; we are a sink throughout.
  gst_bin_set_suppressed_flags(
      GST_BIN(self), static_cast<GstElementFlags>(GST_ELEMENT_FLAG_SOURCE | GST_ELEMENT_FLAG_SINK));
  GST_OBJECT_FLAG_SET(self, GST_ELEMENT_FLAG_SINK);
}

static void gst_farwheel_sink_class_init(GstFarwheelSinkClass* klass) {
  GST_DEBUG_CATEGORY_INIT(farwheel_sink_debug, "farwheelsink", 0, "vehicle's WebRTC sender");
  auto* object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->dispose = dispose;
  object->finalize = finalize;
  install_properties(object);
  auto* element = GST_ELEMENT_CLASS(klass);
  element->request_new_pad = request_new_pad;
  element->release_pad = release_pad;
  element->change_state = change_state;
  GST_BIN_CLASS(klass)->handle_message = handle_message;
  for (const auto kind : {farwheel::FeedKind::kCamera, farwheel::FeedKind::kRadar}) {
    const std::string name = std::string(farwheel::pad_prefix(kind)) + "%u";
    farwheel::GstCapsPtr caps(gst_caps_from_string(farwheel::feed_caps_text(kind)));
    gst_element_class_add_pad_template(
        element, gst_pad_template_new(name.c_str(), GST_PAD_SINK, GST_PAD_REQUEST, caps.get()));
  }
  gst_element_class_set_static_metadata(
      element, "Farwheel Vehicle WebRTC Sink", "Sink/Network/WebRTC",
      "Sends cameras and radar to a remote driving station over WebRTC, signalled by WHIP",
      "Farwheel <farwheel@farwheel.example>");
}

namespace farwheel {

gboolean register_farwheel_sink(GstPlugin* plugin) {
  return gst_element_register(plugin, "farwheelsink", GST_RANK_NONE, gst_farwheel_sink_get_type());
}

}  // namespace farwheel
