#include "bbr/bbr_sender.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "bbr_sender_impl.h"

namespace farwheel {
namespace {
constexpr TimeDelta kDeliveredWindow = TimeDelta::from_millis(200);
constexpr std::size_t kMaxEvents = 1024;
// Of a part that begins with what each packet changes.
constexpr std::size_t kHotPart = 512;
}  // namespace

BbrSender::BbrSender(const ControllerConfig& config) : impl_(std::make_unique<Impl>(config)) {}
BbrSender::~BbrSender() = default;
BbrSender::BbrSender(BbrSender&&) noexcept = default;
BbrSender& BbrSender::operator=(BbrSender&&) noexcept = default;

void BbrSender::set_algorithm(Timestamp now, Algorithm algorithm) {
  Impl& m = *impl_;
  if (m.config.algorithm == algorithm) return;
  const DataRate bw = m.model.bw();
  m.model.params.rebase(Impl::base_of(m.config.algorithm), Impl::base_of(algorithm));
  m.config.algorithm = algorithm;
  m.over_threshold = false;
  if (m.adaptive()) {
    if (m.model.full_pipe.filled()) m.rate.start(now, bw);
  } else if (m.rate.started()) {
    m.rate = AdaptiveRate();
    m.law.pause();
    m.model.max_bw.reset(bw);
  }
  m.model.advice = Advice{};
}

void BbrSender::set_startup(StartupKind startup) {
  impl_->config.startup = startup;
}
std::string BbrSender::set_params(std::string_view text) {
  return impl_->model.params.set(text);
}
std::string BbrSender::params() const {
  return impl_->model.params.to_string();
}

void BbrSender::on_packet_sent(const SentPacket& packet, DataSize inflight) {
  Impl& m = *impl_;
  m.clock = std::max(m.clock, packet.sent_at);
  m.inflight = inflight;
  m.sent += packet.size;
  if (m.adaptive()) m.note_quiet(packet, inflight - packet.size);
  if (inflight <= packet.size && m.model.path.app_limited()) {
    m.machine.on_restart_from_idle(m.clock);
  }
  m.model.path.on_packet_sent(packet, inflight);
  m.trains.on_packet_sent(packet.number);
  if (m.bulk_pending()) m.bulk.on_packet_sent(m.bulk_settings(), packet);
}

void BbrSender::expect_report(PacketNumber first, std::size_t packets) const {
  const Impl& m = *impl_;
  m.model.path.expect(first, packets);
  prefetch(&m.model, sizeof(m.model) + sizeof(m.machine));
  prefetch(&m.trains, kHotPart);
  prefetch(&m.rate, sizeof(m.rate));
  if (m.adaptive()) m.law.expect(packets);
  m.queue.expect(packets);
  prefetch(&m.clock, kHotPart);
}

void BbrSender::on_report(Timestamp now, const FeedbackReport& report, DataSize inflight) {
  Impl& m = *impl_;
  m.clock = now = std::max(m.clock, now);
  m.inflight = inflight = std::max(inflight, DataSize::zero());
  m.filling = m.fills_the_path(now);
  const bool heard =
      std::any_of(report.packets.begin(), report.packets.end(),
                  [](const PacketResult& r) { return r.fate == PacketResult::Fate::kDelivered; });
  if (heard) m.on_heard(now);

  const RateSample& sample = m.model.path.on_report(now, report, inflight, m.rtt_windows());
  m.count_loss(sample);
  m.take_packets(sample, report);
  m.advise(sample);
  m.machine.on_report(sample);
  if (m.machine.lowered_inflight_hi()) m.inflight_hi_lost_at = now;
  m.step_paper(sample);
  m.step_fbe(sample);
  m.step_rate(sample);
  m.watch_start(now);
  // Whoever never asks for events loses the older half.
  if (m.events.size() > kMaxEvents) {
    m.events.erase(m.events.begin(), m.events.begin() + kMaxEvents / 2);
  }
  if (m.machine.state() == BbrState::kStartup) {
    const DataRate wanted = m.model.bw() * m.model.pacing_gain;
    m.startup_pacing = std::max(m.startup_pacing, wanted * (1 - m.model.params.pacing_margin));
  } else {
    m.startup_pacing = DataRate::zero();
  }
}

void BbrSender::on_application_limited(Timestamp now, DataSize inflight) {
  Impl& m = *impl_;
  m.clock = std::max(m.clock, now);
  m.app_limited_at = m.clock;
  // A source that pauses before it is heard, as a camera between two frames, sends no second train.
  if (!m.heard_at.is_finite()) m.bulk.on_application_limited();
  m.filling = false;
  m.inflight = std::max(inflight, DataSize::zero());
  m.model.path.on_application_limited(m.inflight);
}

void BbrSender::on_frames_dropped(Timestamp now) {
  impl_->volatility.on_event(now);
}

void BbrSender::on_frame(Timestamp now, DataSize inflight) {
  Impl& m = *impl_;
  m.clock = std::max(m.clock, now);
  m.standing_at_frame = m.standing_in_flight(inflight);
}

void BbrSender::on_driver_queue(Timestamp now, const DriverQueueReport& report) {
  Impl& m = *impl_;
  m.clock = now = std::max(m.clock, now);
  const BbrParams& p = m.model.params;
  const DriverQueue::Report seen{now, report.backlog, m.sent, m.model_pacing_rate(), !m.filling};
  // The first train is meant to stand there.
  if (m.bulk_pending() && m.bulk.phase() == BulkStartup::Phase::kFirstTrain) {
    m.driver.begin_at(seen);
    return;
  }
  m.driver.on_report({ms(p.driver_high_ms), ms(p.driver_low_ms), ms(p.driver_freeze_ms),
                      ms(p.driver_cap_ms), p.driver_backoff},
                     seen);
}

void BbrSender::on_tick(Timestamp now, DataSize inflight,
                        std::optional<Timestamp> oldest_in_flight) {
  Impl& m = *impl_;
  m.clock = now = std::max(m.clock, now);
  m.inflight = std::max(inflight, DataSize::zero());
  m.check_silence(now, oldest_in_flight);
  m.machine.on_time(now);
}

void BbrSender::on_path_changed(Timestamp now, std::optional<DataRate> likely) {
  Impl& m = *impl_;
  m.clock = now = std::max(m.clock, now);
  m.restart(now);
  if (!likely || !m.adaptive() || m.filling) return;
  m.fbe.end();
  m.model.max_bw.update(*likely);
  m.leave_startup(now, *likely);
}

void BbrSender::on_start_bitrate(DataRate rate) {
  impl_->start_bitrate = std::max(rate, DataRate::from_bps(1000));
}

DataRate BbrSender::pacing_rate() const {
  return impl_->pacing_rate();
}
bool BbrSender::fills_path() const {
  return impl_->by_law();
}
DataSize BbrSender::cwnd() const {
  return impl_->cwnd();
}
DataRate BbrSender::media_rate() const {
  return impl_->media_rate();
}

void BbrSender::fill(Timestamp now, ControllerSnapshot& s) const {
  const Impl& m = *impl_;
  const RttModel& rtt = m.model.path.rtt();
  const InflightBounds& bounds = m.model.bounds;
  s.state = m.machine.state();
  s.limited_by = m.limited_by();
  s.pacing_rate = m.pacing_rate();
  s.bw = m.model.bw();
  s.max_bw = m.model.bandwidth();
  const bool recent = m.heard_at.is_finite() && now - m.heard_at < TimeDelta::from_millis(1000);
  s.delivered_rate = recent ? m.queue.over(kDeliveredWindow).rate : DataRate::zero();
  s.cwnd = m.cwnd();
  if (bounds.inflight_hi().is_finite()) s.inflight_hi = bounds.inflight_hi();
  if (bounds.inflight_lo().is_finite()) s.inflight_lo = bounds.inflight_lo();
  if (bounds.bw_lo().is_finite()) s.bw_lo = bounds.bw_lo();
  s.min_rtt = rtt.min_rtt();
  s.max_rtt = rtt.max_rtt();
  s.smoothed_rtt = rtt.smoothed();
  s.latest_rtt = rtt.latest();
  if (m.queue.measured()) {
    s.queue_delay = m.queue.over(TimeDelta::from_millis(100)).queue;
  }
  s.loss = m.recent_loss();
  if (!m.bulk.capacity().is_zero()) {
    s.fbe_estimate = m.bulk.capacity();
    s.fbe_confidence = m.bulk.confidence();
  } else if (!m.fbe.estimate().rate.is_zero()) {
    s.fbe_estimate = m.fbe.estimate().rate;
    s.fbe_confidence = m.fbe.estimate().confidence;
  }
  s.fbe_done = !m.fbe_pending();
  s.silent = m.silent;
  s.app_limited = !m.filling;
}

std::vector<ControllerEvent> BbrSender::take_events() {
  // A copy: what the next event needs stays allocated.
  std::vector<ControllerEvent> taken(impl_->events.begin(), impl_->events.end());
  impl_->events.clear();
  return taken;
}

bool BbrSender::take_sharpening() {
  return std::exchange(impl_->sharpens, false);
}

std::optional<TimeDelta> BbrSender::min_rtt() const {
  return impl_->model.path.rtt().min_rtt();
}

TimeDelta BbrSender::smoothed_rtt() const {
  return impl_->model.path.rtt().smoothed().value_or(TimeDelta::infinite());
}

}  // namespace farwheel
