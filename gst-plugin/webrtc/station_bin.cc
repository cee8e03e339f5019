#include "webrtc/station_bin.h"

#include "webrtc/feed_outlet.h"
#include "webrtc/station_stats.h"
#include "webrtc/warm_up.h"
#include "webrtc/whip_rules.h"

namespace farwheel {
namespace {

bool has_element(const char* factory) {
  const GstObjectPtr<GstElementFactory> found(gst_element_factory_find(factory));
  return found != nullptr;
}

}  // namespace

void StationBin::set_property(guint id, const GValue* value) {
  std::lock_guard lock(mutex_);
  set_station_property(&settings_, id, value);
}

void StationBin::get_property(guint id, GValue* value) {
  if (id == kStationPropStats) {
    g_value_take_boxed(value, stats());
    return;
  }
  std::lock_guard lock(mutex_);
  get_station_property(settings_, id, value);
}

bool StationBin::prepare() {
  StationLinkConfig config;
  ListenResult listen;
  std::string unit_log;
  auto loop = std::make_shared<EventLoop>("farwheelsrc");
  {
    std::lock_guard lock(mutex_);
    listen = parse_listen(settings_.listen);
    config.auth_token = settings_.auth_token;
    config.ice = settings_.ice;
    config.latency_ms = settings_.latency_ms;
    unit_log = settings_.unit_log;
  }
  std::string error = listen.error;
  if (error.empty() && !unit_log.empty()) {
    error = unit_log_->open(unit_log);
    if (!error.empty()) error = "unit-log: " + error;
  }
  config.unit_log = unit_log_;
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
    unit_log_->close();
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

void StationBin::set_playing(bool playing) {
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

void StationBin::unprepare() {
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
  unit_log_->close();
}

GstElement* StationBin::outlet_of(const OfferedFeed& feed) {
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

GstStructure* StationBin::stats() {
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

void StationBin::on_session_error(GstObject* source, const std::string& text) {
  std::shared_ptr<StationLink> link;
  {
    std::lock_guard lock(mutex_);
    link = link_;
  }
  if (link) link->on_session_error(source, text);
}

}  // namespace farwheel
