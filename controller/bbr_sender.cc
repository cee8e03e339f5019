// Joins the rooms behind bbr/bbr_sender.h: the path and BBRv2's states, the paper's algorithms and
// adaptive-bbr2's rate, fast bandwidth estimation. It stands at the top because those rooms do not
// know each other.
#include "bbr/bbr_sender.h"

#include <algorithm>
#include <utility>

#include "adaptive/adaptive_rate.h"
#include "adaptive/paper_gains.h"
#include "adaptive/paper_threshold.h"
#include "adaptive/standing_queue.h"
#include "bbr/state_machine.h"
#include "fbe/driver_queue.h"
#include "fbe/fast_startup.h"
#include "fbe/packet_trains.h"

namespace farwheel {
namespace {
constexpr TimeDelta kUnmeasuredRtt = TimeDelta::from_millis(100);
constexpr TimeDelta kWindowAllowance = TimeDelta::from_millis(6);
constexpr TimeDelta kReportWaitMost = TimeDelta::from_millis(100);
constexpr TimeDelta kReportWaitWindow = TimeDelta::from_millis(1000);
constexpr TimeDelta kReturnWayMost = TimeDelta::from_millis(300);
constexpr TimeDelta kNoiseInWindowMost = TimeDelta::from_millis(30);
constexpr TimeDelta kDeliveredWindow = TimeDelta::from_millis(200);
constexpr TimeDelta kBehindOwnGap = TimeDelta::from_millis(3);
constexpr TimeDelta kLongSilence = TimeDelta::from_millis(300);
constexpr double kLossMemorySeconds = 1;
// Loss lowered inflight_hi this recently: the bound stands, whatever the queue's delay says.
constexpr TimeDelta kLossBoundFor = TimeDelta::from_millis(5000);
// The first jump of an encoder on a bound that was never a measurement.
constexpr double kFirstJump = 4;
}  // namespace

class BbrSender::Impl {
 public:
  explicit Impl(const ControllerConfig& c)
      : config(c),
        start_bitrate(c.start_bitrate),
        model(std::max(c.max_packet_size, DataSize::from_bytes(100)), c.seed),
        machine(model, events),
        queue(ms(model.params.queue_base_window_ms)) {}

  bool adaptive() const { return config.algorithm == Algorithm::kAdaptiveBbr2; }
  bool fills_the_path(Timestamp now) const {
    return now - app_limited_at > ms(model.params.app_limited_hold_ms);
  }
  // adaptive-bbr2 measures the path with frames now.
  bool by_frames() const { return rate.started() && !filling; }
  bool fbe_pending() const { return fbe_wanted && !fbe.done(); }
  FastStartup::Settings fbe_settings() const;
  DataRate fallback_bandwidth() const;
  bool bound_by_loss() const {
    return model.bounds.inflight_lo().is_finite() || clock - inflight_hi_lost_at < kLossBoundFor;
  }

  void take_packets(const RateSample& sample, const FeedbackReport& report);
  void on_train(Timestamp now, const TrainSample& sample);
  void advise(const RateSample& sample);
  void step_fbe(const RateSample& sample);
  void leave_startup(Timestamp now, DataRate rate_now);
  void step_rate(const RateSample& sample);
  void step_paper(const RateSample& sample);
  void on_heard(Timestamp now);
  void check_silence(Timestamp now, std::optional<Timestamp> oldest);
  void set_silent(Timestamp now, bool value);
  void count_loss(const RateSample& sample);
  void restart(Timestamp now);

  DataRate pacing_rate() const;
  DataSize cwnd() const;
  DataRate media_rate() const;
  TimeDelta window_rtt() const;
  LimitedBy limited_by() const;

  ControllerConfig config;
  DataRate start_bitrate;
  std::vector<ControllerEvent> events;
  BbrModel model;
  StateMachine machine;
  StandingQueue queue;
  PacketTrains trains;
  AdaptiveRate rate;
  PaperThreshold paper;
  FastStartup fbe;
  DriverQueue driver;
  bool fbe_wanted = config.startup == StartupKind::kFbe;

  Timestamp clock = Timestamp::infinite_past();
  Timestamp app_limited_at = Timestamp::infinite_past();
  bool filling = false;
  bool over_threshold = false;
  Timestamp path_since = Timestamp::infinite_past();
  Timestamp inflight_hi_lost_at = Timestamp::infinite_past();
  DataSize inflight = DataSize::zero();
  Timestamp last_packet_sent_at = Timestamp::infinite_past();
  // The pacing rate never falls while start-up still looks for the pipe.
  DataRate startup_pacing = DataRate::zero();

  BucketedExtremum<TimeDelta, std::greater<>> report_wait{kReportWaitWindow};
  BucketedExtremum<TimeDelta, std::less<>> recent_rtt{kReportWaitWindow};

  Timestamp heard_at = Timestamp::infinite_past();
  bool silent = false;
  Timestamp silent_since = Timestamp::infinite_past();
  DataRate rate_before_silence = DataRate::zero();

  double recent_lost = 0;
  double recent_delivered = 0;
  Timestamp loss_counted_at = Timestamp::infinite_past();
};

FastStartup::Settings BbrSender::Impl::fbe_settings() const {
  const BbrParams& p = model.params;
  return {ms(p.fbe_min_span_ms), static_cast<int>(p.fbe_min_clusters),
          p.fbe_share,           p.fbe_min_confidence,
          ms(p.fbe_queue_ms),    ms(p.fbe_give_up_ms)};
}

// What to go by before anything is measured.
DataRate BbrSender::Impl::fallback_bandwidth() const {
  const DataRate bw = model.bw();
  return bw.is_zero() ? start_bitrate : bw;
}

// ---- what a report brings

void BbrSender::Impl::take_packets(const RateSample& sample, const FeedbackReport& report) {
  const PacketTrains::Limits limits{ms(model.params.fbe_cluster_gap_ms),
                                    model.params.fbe_cross_traffic};
  const DataRate pace = pacing_rate();
  for (const PacketResult& result : report.packets) {
    const SentPacket& packet = result.packet;
    // What left before the path changed came another way.
    if (result.fate != PacketResult::Fate::kDelivered || packet.sent_at < path_since) continue;
    const bool behind = !filling && packet.sent_at - last_packet_sent_at < kBehindOwnGap;
    last_packet_sent_at = packet.sent_at;
    queue.on_packet({packet.sent_at, result.received_at, packet.size, behind});
    if (result.rtt.is_finite()) {
      recent_rtt.update(sample.now, std::max(result.rtt, TimeDelta::zero()));
      const TimeDelta wait = sample.now - packet.sent_at - result.rtt;
      report_wait.update(sample.now, std::clamp(wait, TimeDelta::zero(), kReportWaitMost));
    }
    if (auto train = trains.on_delivered(result, pace, limits)) on_train(sample.now, *train);
  }
  if (auto train = trains.on_report_end(limits)) on_train(sample.now, *train);
}

void BbrSender::Impl::on_train(Timestamp now, const TrainSample& sample) {
  if (fbe_pending()) fbe.on_train(sample, model.path.round());
  if (!filling) rate.on_train(model, queue, now, sample);
  // A frame that the bottleneck spread has shown its rate: a sample like any other, and it can only
  // raise. It must span long enough for the receiver's clock.
  if (!adaptive() && !filling && sample.arrival_span >= ms(model.params.fbe_min_span_ms)) {
    model.max_bw.update(sample.size / std::max(sample.arrival_span, sample.send_span));
  }
}

void BbrSender::Impl::advise(const RateSample& sample) {
  Advice& advice = model.advice;
  const BbrParams& p = model.params;
  const RttModel& rtt = model.path.rtt();
  const bool was_over = over_threshold;
  advice = Advice{};
  advice.probe_up_gain = p.probe_up_gain;
  advice.probe_down_gain = p.probe_down_gain;
  advice.hold_probes = silent || driver.holds_probes(sample.now);
  if (fbe.phase() == FastStartup::Phase::kVerifying) {
    advice.bandwidth = fbe.rate(fbe_settings());
  }
  over_threshold = false;
  if (config.algorithm == Algorithm::kBbr2) return;

  const PaperGains gains = paper_gains(p, rtt.min_rtt(), rtt.max_rtt());
  advice.probe_up_gain = gains.up;
  advice.probe_down_gain = gains.down;
  if (config.algorithm == Algorithm::kAdaptiveBbr2Paper) {
    // NowRtt is the newest packet's, raw.
    if (sample.has_delivery && rtt.latest() && rtt.min_rtt()) {
      const TimeDelta threshold = PaperThreshold::threshold(model, gains.up, TimeDelta::zero());
      over_threshold = *rtt.latest() - *rtt.min_rtt() > threshold;
    } else {
      over_threshold = was_over;
    }
    advice.queue_over_threshold = over_threshold;
    return;
  }

  const TimeDelta floor =
      std::max(ms(p.threshold_floor_ms), queue.noise() * p.threshold_noise) +
      (by_frames() ? ms(p.media_queue_ms) - ms(p.threshold_floor_ms) : TimeDelta::zero());
  const TimeDelta threshold = std::min(PaperThreshold::threshold(model, gains.up, floor),
                                       std::max(floor, ms(p.threshold_most_ms)));
  const TimeDelta window = queue_window(fallback_bandwidth(), model.mss, queue.noise());
  const StandingQueue::Window seen = queue.over(window);
  over_threshold = seen.queue > threshold;
  advice.queue_over_threshold = over_threshold;
  advice.reno_coexistence = false;
  advice.lower_bounds_loss = p.loss_threshold;
  if (rate.started()) {
    advice.bandwidth = rate.rate();
    advice.probe_now = filling && rate.path_is_empty();
  } else if (machine.state() == BbrState::kStartup && model.path.round() > 2) {
    const TimeDelta round = rtt.smoothed().value_or(kUnmeasuredRtt);
    const StandingQueue::Window last_round =
        queue.over(std::max(round, TimeDelta::from_millis(30)));
    const TimeDelta limit =
        std::max(ms(p.startup_queue_ms), rtt.min_rtt().value_or(kUnmeasuredRtt) * 0.5);
    advice.startup_queue = filling && last_round.packets >= 5 && last_round.queue > limit;
  }
  const bool seen_again = rtt.min_rtt() && sample.min_rtt.is_finite() &&
                          sample.min_rtt <= *rtt.min_rtt() * (1 + p.min_rtt_margin);
  // An application that leaves the path without a queue shows its length all the time, though not
  // in the RTT of packets that wait behind their own frame.
  const bool mostly_idle = !filling && inflight <= model.inflight_at(fallback_bandwidth(), 0.5);
  const bool frames_see_no_queue = by_frames() && rate.standing_queue() < ms(p.threshold_floor_ms);
  advice.min_rtt_is_fresh = seen_again || mostly_idle || frames_see_no_queue;
}

// ---- start-up

void BbrSender::Impl::step_fbe(const RateSample& sample) {
  const FastStartup::Settings settings = fbe_settings();
  if (fbe_pending() && (sample.has_delivery || !sample.newly_lost.is_zero())) {
    const FastStartup::Situation situation{
        sample.now,
        model.path.round(),
        sample.round_start,
        !sample.newly_lost.is_zero(),
        !filling,
        queue.over(queue_window(fallback_bandwidth(), model.mss, queue.noise())).queue,
        model.path.rtt().min_rtt().value_or(TimeDelta::zero())};
    if (fbe.on_report(settings, situation)) {
      const DataRate found = fbe.rate(settings).value_or(DataRate::zero());
      if (fbe.phase() == FastStartup::Phase::kVerifying) {
        // Drains what the first flights queued, and is enough for the rate.
        model.cwnd = model.inflight_at(found, 1.0) + model.aggregation.extra_acked();
      }
      if (fbe.done()) {
        const bool accepted = fbe.phase() != FastStartup::Phase::kAborted;
        events.push_back(ControllerEvent{
            sample.now, FbeEstimated{fbe.estimate().rate, fbe.estimate().confidence, accepted}});
        if (accepted) model.max_bw.update(found);
        if (fbe.phase() == FastStartup::Phase::kAccepted) leave_startup(sample.now, found);
      }
    }
  }
  if (machine.state() != BbrState::kStartup || fbe_pending() || filling) return;
  if (config.algorithm == Algorithm::kBbr2 && !fbe_wanted) return;
  // An application-limited flow never shows a plateau: STARTUP would not end.
  if (model.path.round() <= 3 || !sample.has_delivery) return;
  leave_startup(sample.now, std::min(model.max_bw.value() * model.params.fbe_share,
                                     start_bitrate * kFirstJump));
}

void BbrSender::Impl::leave_startup(Timestamp now, DataRate rate_now) {
  if (adaptive() && !rate.started()) rate.start(now, rate_now);
  machine.finish_startup(now);
}

// ---- adaptive-bbr2 and the paper

void BbrSender::Impl::step_rate(const RateSample& sample) {
  if (!adaptive() || !sample.has_delivery) return;
  if (!rate.started()) {
    if (!model.full_pipe.filled()) return;
    const TimeDelta round = model.path.rtt().smoothed().value_or(kUnmeasuredRtt);
    const StandingQueue::Window arrivals = queue.over(std::max(round, TimeDelta::from_millis(50)));
    rate.start(sample.now, filling && arrivals.packets >= 4 ? arrivals.rate : model.max_bw.value());
  }
  const DataRate most = config.max_bitrate * 2.0;
  rate.on_report(model, queue, {sample.now, machine.state(), !filling, most});
  model.advice.bandwidth = rate.rate();
}

void BbrSender::Impl::step_paper(const RateSample& sample) {
  if (config.algorithm == Algorithm::kBbr2 || !over_threshold) return;
  if (machine.state() != BbrState::kProbeBwCruise || by_frames()) return;
  // The queue law already makes room for others; its rate must keep a window to live in.
  const DataSize least = rate.started() ? model.inflight_at(rate.rate(), 1.25) : DataSize::zero();
  if (paper.lower_inflight_hi(model, sample, least)) {
    events.push_back(ControllerEvent{
        sample.now, InflightBoundLowered{model.bounds.inflight_hi(), LimitedBy::kQueueDelay}});
  }
}

// ---- silence

void BbrSender::Impl::set_silent(Timestamp now, bool value) {
  if (silent == value) return;
  silent = value;
  events.push_back(ControllerEvent{now, SilenceChanged{value}});
}

void BbrSender::Impl::check_silence(Timestamp now, std::optional<Timestamp> oldest) {
  if (silent || !oldest) return;
  const RttModel& rtt = model.path.rtt();
  if (!rtt.smoothed()) return;  // not yet heard at all: start-up, not silence
  const TimeDelta expected =
      rtt.smoothed().value() + report_wait.value().value_or(TimeDelta::zero());
  const Timestamp since = std::max(heard_at, *oldest + expected);
  if (now - since <= ms(model.params.silence_ms)) return;
  silent_since = since;
  rate_before_silence = rate.rate();
  set_silent(now, true);
}

// A packet was delivered. What was lost while nothing passed is no sign of congestion.
void BbrSender::Impl::on_heard(Timestamp now) {
  heard_at = now;
  if (!silent) return;
  model.path.forgive_losses_sent_before(now);
  if (rate.started()) rate.on_silence_end(now);
  set_silent(now, false);
}

void BbrSender::Impl::count_loss(const RateSample& sample) {
  const TimeDelta passed =
      loss_counted_at.is_finite() ? sample.now - loss_counted_at : TimeDelta::zero();
  loss_counted_at = sample.now;
  const double keep = std::max(0.0, 1 - passed.seconds() / kLossMemorySeconds);
  recent_lost = recent_lost * keep + static_cast<double>(sample.newly_lost.bytes());
  recent_delivered = recent_delivered * keep + static_cast<double>(sample.newly_delivered.bytes());
}

void BbrSender::Impl::restart(Timestamp now) {
  path_since = now;
  machine.restart(now);
  queue.reset();
  trains.reset();
  rate = AdaptiveRate();
  paper = PaperThreshold();
  fbe = FastStartup();
  fbe_wanted = config.startup == StartupKind::kFbe;
  driver.reset();
  report_wait.clear();
  recent_rtt.clear();
  startup_pacing = DataRate::zero();
  over_threshold = false;
  set_silent(now, false);
}

// ---- decisions

DataRate BbrSender::Impl::pacing_rate() const {
  const BbrParams& p = model.params;
  const DataRate least = DataRate::from_mbps(p.min_pacing_mbps);
  const DataRate initial = DataRate::from_mbps(p.initial_pacing_mbps);
  if (machine.state() == BbrState::kStartup) {
    if (fbe.phase() == FastStartup::Phase::kVerifying) return std::max(model.bw(), least);
    if (fbe_pending() && fbe.probing_rate()) {
      return std::max(*fbe.probing_rate(), fbe.estimate().lower_bound ? initial : least);
    }
    return std::max(startup_pacing, initial);
  }
  const DataRate bw = fallback_bandwidth();
  if (by_frames() && machine.state() != BbrState::kDrain) {
    const double gain = rate.limited_by_queue() ? p.media_queue_gain
                        : rate.stretched()      ? p.media_stretched_gain
                                                : p.media_pacing_gain;
    return std::max(bw * gain, least);
  }
  double gain = model.pacing_gain * (1 - p.pacing_margin);
  if (rate.started()) gain *= rate.pacing_scale();
  return std::max(bw * gain, least);
}

// The way back may have become longer than min_rtt knows; the window follows, the queue does not.
TimeDelta BbrSender::Impl::window_rtt() const {
  const TimeDelta least = model.path.rtt().min_rtt().value_or(kUnmeasuredRtt);
  const TimeDelta recent = recent_rtt.value().value_or(least) - rate.standing_queue();
  return std::max(least, std::min(recent, least + kReturnWayMost));
}

DataSize BbrSender::Impl::cwnd() const {
  DataSize window = model.cwnd;
  if (rate.started() && machine.state() != BbrState::kProbeRtt) {
    const TimeDelta allowance =
        std::max(kWindowAllowance, std::min(queue.noise() * 3.0, kNoiseInWindowMost));
    const TimeDelta wait = report_wait.value().value_or(TimeDelta::zero());
    const DataSize needed = model.bw() * (window_rtt() + wait + allowance) + model.mss * 0.5;
    // A queue is the rate's to drain; only loss may bring the window under what the rate needs.
    if (by_frames()) {
      window = needed;
    } else if (!bound_by_loss()) {
      window = std::max(window, needed);
    }
  }
  return std::max(window * driver.window_scale(clock), model.min_cwnd());
}

DataRate BbrSender::Impl::media_rate() const {
  const BbrParams& p = model.params;
  if (!heard_at.is_finite()) return start_bitrate;
  DataRate wanted = start_bitrate;
  if (rate.started()) {
    const TimeDelta wait = report_wait.value().value_or(TimeDelta::zero());
    const DataSize fits = model.bw() * (window_rtt() + wait);
    const DataSize standing = std::max(inflight - fits, DataSize::zero());
    wanted = model.bw() * p.media_share - standing / ms(p.media_drain_ms);
  } else if (model.full_pipe.filled()) {
    const double gain = std::max(1.0, machine.state() == BbrState::kDrain ? 1 : model.pacing_gain);
    wanted = model.bw() * (gain * p.media_share);
    if (const auto srtt = model.path.rtt().smoothed()) {
      wanted = std::min(wanted, cwnd() / std::max(*srtt, TimeDelta::from_millis(1)));
    }
  } else if (fbe.phase() == FastStartup::Phase::kVerifying) {
    wanted = std::min(model.bw(), start_bitrate * kFirstJump);
  } else {
    // Start-up goes on: no more than what has been shown to fit, no less than was asked for unless
    // a queue stands.
    const DataRate shown = std::min(model.max_bw.value(), start_bitrate * kFirstJump);
    wanted = over_threshold ? std::min(start_bitrate, shown) : std::max(start_bitrate, shown);
  }
  wanted = wanted * driver.encoder_share(clock);
  if (silent && clock - silent_since > ms(p.silence_ms + p.silence_floor_ms)) {
    wanted = std::min(wanted, config.min_bitrate);
  }
  return std::max(wanted, DataRate::from_mbps(p.min_pacing_mbps));
}

LimitedBy BbrSender::Impl::limited_by() const {
  if (!heard_at.is_finite()) return LimitedBy::kNothing;
  if (silent) return LimitedBy::kSilence;
  if (driver.limits(clock)) return LimitedBy::kDriverQueue;
  if (machine.state() == BbrState::kStartup || machine.state() == BbrState::kDrain) {
    return LimitedBy::kStartup;
  }
  if (model.bounds.bw_lo().is_finite() || model.bounds.inflight_lo().is_finite()) {
    return LimitedBy::kLoss;
  }
  if (over_threshold || (rate.started() && rate.limited_by_queue())) return LimitedBy::kQueueDelay;
  return filling ? LimitedBy::kBandwidth : LimitedBy::kEncoder;
}

// ---- the boundary

BbrSender::BbrSender(const ControllerConfig& config) : impl_(std::make_unique<Impl>(config)) {}
BbrSender::~BbrSender() = default;
BbrSender::BbrSender(BbrSender&&) noexcept = default;
BbrSender& BbrSender::operator=(BbrSender&&) noexcept = default;

void BbrSender::set_algorithm(Timestamp now, Algorithm algorithm) {
  Impl& m = *impl_;
  if (m.config.algorithm == algorithm) return;
  const DataRate bw = m.model.bw();
  m.config.algorithm = algorithm;
  m.over_threshold = false;
  if (m.adaptive()) {
    if (m.model.full_pipe.filled()) m.rate.start(now, bw);
  } else if (m.rate.started()) {
    m.rate = AdaptiveRate();
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

void BbrSender::on_packet_sent(const SentPacket& packet, DataSize inflight, bool /*more_waiting*/) {
  Impl& m = *impl_;
  m.clock = std::max(m.clock, packet.sent_at);
  m.inflight = inflight;
  if (inflight <= packet.size && m.model.path.app_limited()) m.machine.on_restart_from_idle();
  m.model.path.on_packet_sent(packet, inflight);
  m.trains.on_packet_sent(packet.number);
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

  const RateSample& sample = m.model.path.on_report(
      now, report, inflight,
      {ms(m.model.params.probe_rtt_interval_ms), ms(m.model.params.min_rtt_window_ms)});
  m.count_loss(sample);
  m.take_packets(sample, report);
  m.advise(sample);
  m.machine.on_report(sample);
  if (m.machine.lowered_inflight_hi()) m.inflight_hi_lost_at = now;
  m.step_paper(sample);
  m.step_fbe(sample);
  m.step_rate(sample);
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
  m.filling = false;
  m.inflight = std::max(inflight, DataSize::zero());
  m.model.path.on_application_limited(m.inflight);
}

void BbrSender::on_driver_queue(Timestamp now, const DriverQueueReport& report) {
  Impl& m = *impl_;
  m.clock = now = std::max(m.clock, now);
  const BbrParams& p = m.model.params;
  m.driver.on_report({ms(p.driver_high_ms), ms(p.driver_low_ms), ms(p.driver_freeze_ms),
                      ms(p.driver_cap_ms), p.driver_backoff},
                     now, report.backlog, m.pacing_rate(), !m.filling);
}

void BbrSender::on_tick(Timestamp now, DataSize inflight,
                        std::optional<Timestamp> oldest_in_flight) {
  Impl& m = *impl_;
  m.clock = now = std::max(m.clock, now);
  m.inflight = std::max(inflight, DataSize::zero());
  m.check_silence(now, oldest_in_flight);
  m.machine.on_time(now);
}

void BbrSender::on_path_changed(Timestamp now) {
  Impl& m = *impl_;
  m.clock = now = std::max(m.clock, now);
  m.restart(now);
}

void BbrSender::on_start_bitrate(DataRate rate) {
  impl_->start_bitrate = std::max(rate, DataRate::from_bps(1000));
}

DataRate BbrSender::pacing_rate() const {
  return impl_->pacing_rate();
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
  const double counted = m.recent_lost + m.recent_delivered;
  s.loss = counted > 0 ? m.recent_lost / counted : 0;
  if (!m.fbe.estimate().rate.is_zero()) {
    s.fbe_estimate = m.fbe.estimate().rate;
    s.fbe_confidence = m.fbe.estimate().confidence;
  }
  s.fbe_done = !m.fbe_pending();
  s.silent = m.silent;
  s.app_limited = !m.filling;
}

std::vector<ControllerEvent> BbrSender::take_events() {
  return std::exchange(impl_->events, {});
}

TimeDelta BbrSender::smoothed_rtt() const {
  return impl_->model.path.rtt().smoothed().value_or(TimeDelta::infinite());
}

}  // namespace farwheel
