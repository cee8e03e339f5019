// Life and settings of the element; its threads are in the files beside this one.
#include "rtpbbrcc/rtp_bbr_cc.h"

#include <algorithm>

#include "rtpbbrcc/stats.h"

#define GST_CAT_DEFAULT gst_rtp_bbr_cc_debug

namespace farwheel {
namespace {

// A sweep older than this is overtaken by the next (13 Hz).
constexpr TimeDelta kRadarQueueTime = TimeDelta::from_millis(80);
// Packets of nothing but headers must not blow a target up.
constexpr double kLeastPayloadShare = 0.5;

}  // namespace

RtpBbrCc::RtpBbrCc(GstElement* element, GstPad* sink, GstPad* src, GParamSpec* estimated_bitrate)
    : element_(element),
      sink_(sink),
      src_(src),
      estimated_bitrate_spec_(estimated_bitrate),
      clock_(gst_system_clock_obtain()),
      controller_(std::make_unique<SendController>(settings_.controller)) {}

RtpBbrCc::~RtpBbrCc() {
  stop();
}

Timestamp RtpBbrCc::clock_now() const {
  return Timestamp::from_nanos(static_cast<std::int64_t>(gst_clock_get_time(clock_.get())));
}

RtpBbrCcSettings RtpBbrCc::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void RtpBbrCc::set_algorithm(Algorithm algorithm) {
  const std::lock_guard lock(mutex_);
  settings_.controller.algorithm = algorithm;
  controller_->set_algorithm(clock_now(), algorithm);
  wake_control_locked();
}

void RtpBbrCc::set_startup(StartupKind startup) {
  const std::lock_guard lock(mutex_);
  settings_.controller.startup = startup;
  controller_->set_startup(startup);
}

void RtpBbrCc::set_min_bitrate(DataRate rate) {
  const std::lock_guard lock(mutex_);
  settings_.controller.min_bitrate = rate;
  renew_feeds_locked(clock_now());
}

void RtpBbrCc::set_max_bitrate(DataRate rate) {
  const std::lock_guard lock(mutex_);
  settings_.controller.max_bitrate = rate;
  renew_feeds_locked(clock_now());
}

void RtpBbrCc::set_start_bitrate(DataRate rate) {
  const std::lock_guard lock(mutex_);
  settings_.controller.start_bitrate = rate;
  controller_->set_start_bitrate(rate);
  wake_control_locked();
}

void RtpBbrCc::set_params(const std::string& text) {
  std::string fault;
  {
    const std::lock_guard lock(mutex_);
    fault = controller_->set_params(text);
    if (fault.empty()) settings_.params = text;
  }
  if (!fault.empty()) {
    GST_ELEMENT_WARNING(element_, LIBRARY, SETTINGS,
                        ("The property params was not changed: %s", fault.c_str()),
                        ("asked for \"%s\"", text.c_str()));
  }
}

void RtpBbrCc::set_adjust_encoders(bool adjust) {
  const std::lock_guard lock(mutex_);
  settings_.adjust_encoders = adjust;
  wake_control_locked();
}

void RtpBbrCc::set_tx_interface(const std::string& name) {
  const std::lock_guard lock(mutex_);
  settings_.tx_interface = name;
  interface_changed_ = true;
  wake_control_locked();
}

DataRate RtpBbrCc::estimated_bitrate() const {
  const std::lock_guard lock(mutex_);
  return estimate_locked();
}

std::vector<RtpBbrCc::WireTarget> RtpBbrCc::wire_targets_locked() const {
  std::vector<WireTarget> targets;
  DataRate sum = DataRate::zero();
  for (const FeedTarget& target : controller_->targets()) {
    const Feed& feed = feeds_.at(target.feed);
    // A radar's is measured on the wire.
    const double share =
        feed.kind == FeedKind::kRadar ? 1 : std::clamp(feed.payload_share, kLeastPayloadShare, 1.0);
    targets.push_back({target.feed, target.bitrate / share, target.bitrate});
    sum += targets.back().wire;
  }
  const DataRate most =
      std::max(settings_.controller.min_bitrate, settings_.controller.max_bitrate);
  if (sum <= most) return targets;
  const double scale = most / sum;
  for (WireTarget& target : targets) {
    target.wire = target.wire * scale;
    target.media = target.media * scale;
  }
  return targets;
}

DataRate RtpBbrCc::estimate_locked() const {
  DataRate sum = DataRate::zero();
  for (const WireTarget& target : wire_targets_locked()) sum += target.wire;
  // Before the first packet there is no stream to have a target.
  return sum.is_zero() ? settings_.controller.start_bitrate : sum;
}

DataRate RtpBbrCc::pacing_bitrate() const {
  const std::lock_guard lock(mutex_);
  return controller_->snapshot(clock_now()).pacing_rate;
}

GstStructurePtr RtpBbrCc::stats() const {
  const std::lock_guard lock(mutex_);
  const Timestamp now = clock_now();
  StatsSource source;
  source.now = now;
  source.algorithm = settings_.controller.algorithm;
  source.startup = settings_.controller.startup;
  source.snapshot = controller_->snapshot(now);
  // As the feeds were told, and as they are listed below.
  source.snapshot.target = DataRate::zero();
  for (const auto& feed : feeds_.all()) source.snapshot.target += feed->target;
  source.reports = reports_;
  source.odd_reports = odd_reports_;
  source.driver_backlog = driver_backlog_;
  source.tx_interface = driver_interface_;
  source.owd = owd_.read(now);
  source.feeds = &feeds_.all();
  return make_stats(source);
}

FeedConfig RtpBbrCc::feed_config_locked(const Feed& feed) const {
  FeedConfig config;
  config.kind = feed.kind;
  const DataRate least =
      std::min(settings_.controller.min_bitrate, settings_.controller.max_bitrate);
  const DataRate most =
      std::max(settings_.controller.min_bitrate, settings_.controller.max_bitrate);
  config.min_bitrate = std::min(config.min_bitrate, least);
  config.max_bitrate = most;
  if (feed.kind == FeedKind::kRadar) config.max_queue_time = kRadarQueueTime;
  return config;
}

void RtpBbrCc::renew_feeds_locked(Timestamp now) {
  controller_->set_bitrate_bounds(now, settings_.controller.min_bitrate,
                                  settings_.controller.max_bitrate);
  for (const auto& feed : feeds_.all()) {
    if (feed->in_controller) controller_->add_feed(now, feed->id, feed_config_locked(*feed));
  }
  wake_control_locked();
}

void RtpBbrCc::reset_locked() {
  controller_ = std::make_unique<SendController>(settings_.controller);
  if (!settings_.params.empty()) {
    // It was accepted when it was set.
    const std::string fault = controller_->set_params(settings_.params);
    if (!fault.empty()) GST_ERROR_OBJECT(element_, "params: %s", fault.c_str());
  }
  feeds_.clear();
  mirror_ = SequenceMirror();
  owd_.clear();
  waiting_.clear();
  events_.clear();
  context_.reset();
  eos_received_ = false;
  eos_deadline_ = Timestamp::infinite_future();
  first_sent_at_ = Timestamp::infinite_future();
  reports_ = odd_reports_ = bad_packets_ = packets_without_twcc_ = 0;
  warned_extension_ = warned_reports_ = warned_odd_ = warned_bad_packet_ = false;
  driver_backlog_.reset();
  packet_size_bound_.reset();
}

void RtpBbrCc::start() {
  stop();
  GstObjectPtr<GstClock> clock(gst_system_clock_obtain());
  const std::lock_guard lock(mutex_);
  clock_ = std::move(clock);
  reset_locked();
  control_stops_ = false;
  interface_changed_ = true;
  control_ = std::thread(&RtpBbrCc::control_loop, this);
}

void RtpBbrCc::stop() {
  {
    const std::lock_guard lock(mutex_);
    control_stops_ = true;
    wake_control_locked();
  }
  if (control_.joinable()) control_.join();
  const std::lock_guard lock(mutex_);
  driver_queue_.reset();
}

bool RtpBbrCc::activate_sink(bool active) {
  const std::lock_guard lock(mutex_);
  if (!active) {
    flushing_ = true;
    flow_ = GST_FLOW_FLUSHING;
    wake_pacer_locked();
    drained_.notify_all();
  }
  return true;
}

bool RtpBbrCc::activate_src(bool active) {
  if (active) {
    {
      const std::lock_guard lock(mutex_);
      flushing_ = false;
      flow_ = GST_FLOW_OK;
    }
    pushed_.forget();
    return gst_pad_start_task(src_, &RtpBbrCc::task_function, this, nullptr) != FALSE;
  }
  std::vector<GstBufferPtr> dropped;
  {
    const std::lock_guard lock(mutex_);
    flushing_ = true;
    flow_ = GST_FLOW_FLUSHING;
    clear_queue_locked(clock_now(), dropped);
    events_.clear();
    wake_pacer_locked();
    drained_.notify_all();
  }
  // Without the mutex: the task may want it to find out that it is over.
  return gst_pad_stop_task(src_) != FALSE;
}

void RtpBbrCc::wake_pacer_locked() {
  pacer_woken_ = true;
  pacer_wake_.notify_one();
}

void RtpBbrCc::wake_control_locked() {
  control_woken_ = true;
  control_wake_.notify_one();
}

void RtpBbrCc::clear_queue_locked(Timestamp now, std::vector<GstBufferPtr>& dropped) {
  static_cast<void>(controller_->flush(now));
  for (auto& [token, waiting] : waiting_) dropped.push_back(std::move(waiting.buffer));
  waiting_.clear();
}

void RtpBbrCc::collect_drops_locked(std::vector<GstBufferPtr>& dropped) {
  for (const std::uint64_t token : controller_->take_drops()) {
    auto node = waiting_.extract(token);
    if (node.empty()) continue;
    if (node.mapped().ends_unit) ++feeds_.at(node.mapped().feed).units_dropped;
    dropped.push_back(std::move(node.mapped().buffer));
  }
}

}  // namespace farwheel
