#include "bbr/bbr_sender.h"

#include <algorithm>
#include <utility>

#include "path/max_bw_filter.h"
#include "path/path_model.h"

namespace farwheel {

class BbrSender::Impl {
 public:
  explicit Impl(const ControllerConfig& c) : config(c), start(c.start_bitrate) {}

  DataRate bw() const { return max_bw.value().is_zero() ? start : max_bw.value(); }

  ControllerConfig config;
  DataRate start;
  PathModel path;
  MaxBwFilter max_bw;
  BbrState state = BbrState::kStartup;
  DataRate full_bw = DataRate::zero();
  int full_bw_count = 0;
  Timestamp cycle_stamp = Timestamp::infinite_past();
  std::vector<ControllerEvent> events;
};

BbrSender::BbrSender(const ControllerConfig& config) : impl_(std::make_unique<Impl>(config)) {}
BbrSender::~BbrSender() = default;
BbrSender::BbrSender(BbrSender&&) noexcept = default;
BbrSender& BbrSender::operator=(BbrSender&&) noexcept = default;

void BbrSender::set_algorithm(Timestamp, Algorithm algorithm) {
  impl_->config.algorithm = algorithm;
}
void BbrSender::set_startup(StartupKind startup) {
  impl_->config.startup = startup;
}
std::string BbrSender::set_params(std::string_view text) {
  return text.empty() ? std::string() : "no parameter can be set yet";
}
std::string BbrSender::params() const {
  return {};
}

void BbrSender::on_packet_sent(const SentPacket& packet, DataSize inflight, bool) {
  impl_->path.on_packet_sent(packet, inflight);
}

void BbrSender::on_report(Timestamp now, const FeedbackReport& report, DataSize inflight) {
  Impl& m = *impl_;
  const RateSample& rs = m.path.on_report(
      now, report, inflight, {TimeDelta::from_millis(5000), TimeDelta::from_millis(10000)});
  if (!rs.has_delivery) return;
  if (rs.delivery_rate && (!rs.is_app_limited || *rs.delivery_rate > m.max_bw.value())) {
    m.max_bw.update(*rs.delivery_rate);
  }
  if (m.state == BbrState::kStartup && rs.round_start && !rs.is_app_limited) {
    if (m.max_bw.value() >= m.full_bw * 1.25) {
      m.full_bw = m.max_bw.value();
      m.full_bw_count = 0;
    } else if (++m.full_bw_count >= 3) {
      m.state = BbrState::kProbeBwCruise;
      m.events.push_back({now, StateChanged{BbrState::kStartup, m.state}});
    }
  }
  if (now > m.cycle_stamp + TimeDelta::from_millis(2500)) {
    m.cycle_stamp = now;
    if (!rs.is_app_limited) m.max_bw.advance_cycle();
  }
}

void BbrSender::on_application_limited(Timestamp, DataSize inflight) {
  impl_->path.on_application_limited(inflight);
}
void BbrSender::on_driver_queue(Timestamp, const DriverQueueReport&) {}
void BbrSender::on_tick(Timestamp, DataSize, std::optional<Timestamp>) {}
void BbrSender::on_path_changed(Timestamp) {
  impl_->path.on_path_changed();
}
void BbrSender::on_start_bitrate(DataRate rate) {
  impl_->start = rate;
}

DataRate BbrSender::pacing_rate() const {
  const double gain = impl_->state == BbrState::kStartup ? 2.77 : 1.05;
  return impl_->bw() * gain;
}
DataSize BbrSender::cwnd() const {
  const TimeDelta rtt = impl_->path.rtt().min_rtt().value_or(TimeDelta::from_millis(100));
  return std::max(impl_->bw() * rtt * 2.0, impl_->config.max_packet_size * 10.0);
}
DataRate BbrSender::media_rate() const {
  return impl_->bw();
}
void BbrSender::fill(Timestamp, ControllerSnapshot& snapshot) const {
  const RttModel& rtt = impl_->path.rtt();
  snapshot.state = impl_->state;
  snapshot.bw = impl_->bw();
  snapshot.max_bw = impl_->max_bw.value();
  snapshot.pacing_rate = pacing_rate();
  snapshot.cwnd = cwnd();
  snapshot.min_rtt = rtt.min_rtt();
  snapshot.max_rtt = rtt.max_rtt();
  snapshot.smoothed_rtt = rtt.smoothed();
  snapshot.latest_rtt = rtt.latest();
  snapshot.app_limited = impl_->path.app_limited();
}
std::vector<ControllerEvent> BbrSender::take_events() {
  return std::exchange(impl_->events, {});
}
TimeDelta BbrSender::smoothed_rtt() const {
  return impl_->path.rtt().smoothed().value_or(TimeDelta::infinite());
}

}  // namespace farwheel
