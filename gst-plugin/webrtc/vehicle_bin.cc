#include "webrtc/vehicle_bin.h"

#include <algorithm>
#include <cstring>
#include <future>

#include "rtpbbrcc/path_event.h"
#include "webrtc/warm_up.h"
#include "webrtc/whip_rules.h"

GST_DEBUG_CATEGORY_EXTERN(farwheel_sink_debug);
#define GST_CAT_DEFAULT farwheel_sink_debug

namespace farwheel {
namespace {

// Feeds whose caps have not come by then are offered with the usual ones.
constexpr unsigned kCapsWait = 500;
constexpr unsigned kGoodbye = 300;
constexpr unsigned kFirstPayload = 96;

}  // namespace

void VehicleBin::set_property(guint id, const GValue* value) {
  std::unique_lock lock(mutex_);
  set_vehicle_property(&settings_, id, value);
  const VehicleSettings copy = settings_;
  const GstElementPtr controller = ref_gst(controller_.get());
  if (id == kPropUplink && loop_ && link_) {
    loop_->post([link = link_, uplink = copy.uplink] { link->prefer_uplink(uplink); });
  }
  lock.unlock();
  if (controller) pass_to_controller(copy, controller.get());
}

void VehicleBin::get_property(guint id, GValue* value) {
  if (id == kPropStats) {
    g_value_take_boxed(value, stats());
    return;
  }
  std::lock_guard lock(mutex_);
  get_vehicle_property(settings_, id, value);
}

GstPad* VehicleBin::request_pad(GstPadTemplate* pad_template, const char* name) {
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
  config.unit_log = unit_log_;
  lock.unlock();
  VehicleFeed::Callbacks callbacks{[this] { start_link_when_ready(); }, [this] { on_eos(); }};
  auto feed = std::make_unique<VehicleFeed>(element_, config, callbacks);
  GstPad* pad = feed->pad();
  lock.lock();
  feeds_[config.name] = std::move(feed);
  return pad;
}

void VehicleBin::release_pad(GstPad* pad) {
  std::unique_ptr<VehicleFeed> feed;
  bool running = false;
  {
    std::lock_guard lock(mutex_);
    const auto found = std::find_if(feeds_.begin(), feeds_.end(), [pad](const auto& entry) {
      return entry.second->pad() == pad;
    });
    if (found == feeds_.end()) return;
    feed = std::move(found->second);
    feeds_.erase(found);
    running = link_ != nullptr;
  }
  // A session still has its gate: start another without it.
  if (running) pause();
  feed.reset();
  if (running) play();
}

bool VehicleBin::prepare() {
  std::lock_guard lock(mutex_);
  const UrlResult url = whip_endpoint_url(settings_.whip_endpoint, settings_.vehicle_id);
  if (!url.error.empty()) {
    GST_ELEMENT_ERROR(element_, RESOURCE, SETTINGS, ("whip-endpoint: %s", url.error.c_str()),
                      (nullptr));
    return false;
  }
  const std::string fault =
      settings_.unit_log.empty() ? std::string() : unit_log_->open(settings_.unit_log);
  if (!fault.empty()) {
    GST_ELEMENT_ERROR(element_, RESOURCE, OPEN_WRITE, ("unit-log: %s", fault.c_str()), (nullptr));
    return false;
  }
  endpoint_ = url.url;
  loop_ = std::make_shared<EventLoop>("farwheelsink");
  // While the cameras and encoders start.
  loop_->post([] { warm_up_sessions(); });
  return true;
}

void VehicleBin::play() {
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
void VehicleBin::start_link_when_ready() {
  std::lock_guard lock(mutex_);
  if (!loop_) return;
  const bool ready =
      !feeds_.empty() &&
      std::all_of(feeds_.begin(), feeds_.end(), [](const auto& f) { return f.second->has_caps(); });
  if (ready) loop_->post([this] { start_link(); });
}

void VehicleBin::start_link() {
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
    config.session.uplink = settings_.uplink;
    for (const auto& [name, feed] : feeds_) {
      config.session.feeds.push_back({name, feed->config().stream, feed->gate()});
    }
    config.session.make_rate_controller = [this] { return make_rate_controller(); };
    config.session.path_changed = [this] { tell_path_changed(); };
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

void VehicleBin::pause() {
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

void VehicleBin::unprepare() {
  std::shared_ptr<EventLoop> loop;
  {
    std::lock_guard lock(mutex_);
    loop = std::move(loop_);
    controller_.reset();
  }
  if (loop) loop->stop();
  unit_log_->close();
}

void VehicleBin::reset_feeds() {
  for (auto& [name, feed] : feeds_) feed->reset();
}

void VehicleBin::remove_feeds() {
  std::map<std::string, std::unique_ptr<VehicleFeed>> feeds;
  std::unique_lock lock(mutex_);
  feeds.swap(feeds_);
  lock.unlock();
}

void VehicleBin::on_eos() {
  std::unique_lock lock(mutex_);
  const bool all = std::all_of(feeds_.begin(), feeds_.end(),
                               [](const auto& feed) { return feed.second->at_eos(); });
  lock.unlock();
  if (all) gst_element_post_message(element_, gst_message_new_eos(GST_OBJECT(element_)));
}

void VehicleBin::on_session_error(GstObject* source, const std::string& text) {
  std::shared_ptr<VehicleLink> link;
  {
    std::lock_guard lock(mutex_);
    link = link_;
  }
  if (link) link->on_session_error(source, text);
}

GstElement* VehicleBin::make_rate_controller() {
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
  const VehicleSettings copy = settings_;
  controller_.reset(GST_ELEMENT(gst_object_ref(controller)));
  std::vector<GstElementPtr> payloaders;
  for (const auto& [name, feed] : feeds_) payloaders.push_back(feed->payloader());
  lock.unlock();
  // A new session may go another way than the one that found large packets to vanish.
  for (const GstElementPtr& payloader : payloaders) {
    if (payloader) g_object_set(payloader.get(), "mtu", kPayloaderMtu, nullptr);
  }
  pass_to_controller(copy, controller);
  return controller;
}

void VehicleBin::tell_path_changed() {
  GstElementPtr controller;
  {
    std::lock_guard lock(mutex_);
    controller = ref_gst(controller_.get());
  }
  if (!controller) return;
  gst_element_send_event(
      controller.get(),
      gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty(kPathChangedEvent)));
}

GstStructurePtr VehicleBin::controller_stats() {
  GstElementPtr controller;
  {
    std::lock_guard lock(mutex_);
    controller = ref_gst(controller_.get());
  }
  GstStructure* stats = nullptr;
  if (controller) g_object_get(controller.get(), "stats", &stats, nullptr);
  return GstStructurePtr(stats);
}

GstStructure* VehicleBin::stats() {
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
      static_cast<guint64>(snapshot.datachannel_bytes), "path-checks", G_TYPE_UINT64,
      static_cast<guint64>(snapshot.path_checks), "uplink-changes", G_TYPE_UINT64,
      static_cast<guint64>(snapshot.uplink_changes), nullptr);
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

}  // namespace farwheel
