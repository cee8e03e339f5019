// What a report brings: packets to the estimators, advice to the states, start-up, silence.
#include <algorithm>

#include "adaptive/paper_gains.h"
#include "bbr_sender_impl.h"

namespace farwheel {
namespace {
constexpr TimeDelta kUnmeasuredRtt = TimeDelta::from_millis(100);
constexpr TimeDelta kPacketTimeMost = TimeDelta::from_millis(40);
// A start is over after this time, and a picture sharper from this multiple of its first rate on.
constexpr TimeDelta kStartFor = TimeDelta::from_millis(2000);
constexpr double kSharperFrom = 4;
constexpr TimeDelta kLongSilence = TimeDelta::from_millis(150);
constexpr double kUnnamedWeight = 0.005;  // of a packet
constexpr TimeDelta kReportWaitMost = TimeDelta::from_millis(100);
constexpr double kLossMemorySeconds = 1;
// A loss so long after a queue stood was not made by it.
constexpr TimeDelta kQueueBlamedFor = TimeDelta::from_millis(1000);
constexpr double kHeavyLoss = 0.1;
}  // namespace

// ---- what a report brings

void BbrSender::Impl::take_packets(const RateSample& sample, const FeedbackReport& report) {
  PacketTrains::Limits limits{ms(model.params.fbe_cluster_gap_ms), model.params.fbe_cross_traffic};
  if (by_frames() && least_delay.value() && empty_delay.value()) {
    limits.delay = {*least_delay.value(), *empty_delay.value()};
  }
  const DataRate pace = pacing_rate();
  const bool by_bulk = bulk_pending();
  std::optional<TimeDelta> least_rtt;
  TimeDelta longest_wait = TimeDelta::zero();
  for (const PacketResult& result : report.packets) {
    const SentPacket& packet = result.packet;
    const double is_unnamed = result.fate == PacketResult::Fate::kUnknown ? 1 : 0;
    unnamed += (is_unnamed - unnamed) * kUnnamedWeight;
    if (by_bulk && packet.sent_at >= path_since) bulk.on_result(bulk_settings(), result, clock);
    // What left before the path changed came another way.
    if (result.fate != PacketResult::Fate::kDelivered || packet.sent_at < path_since) continue;
    const bool behind = !filling && !was_quiet(packet.number);
    if (!behind && !filling) rate.on_quiet_packet(result.received_at - packet.sent_at);
    if (config.algorithm == Algorithm::kAdaptiveBbr2Paper) {
      paper_signals.on_delivered(model.params, sample.now, machine.state(), result);
    }
    if (adaptive()) law.on_packet(sample.now, result);
    if (by_frames()) {
      const TimeDelta own = std::min(packet.size / rate.rate(), kPacketTimeMost);
      least_delay.update(result.received_at, result.received_at - packet.sent_at);
      empty_delay.update(result.received_at, result.received_at - packet.sent_at - own);
    }
    queue.on_packet({packet.sent_at, result.received_at, packet.size, behind});
    if (result.rtt.is_finite()) {
      least_rtt = std::min(least_rtt.value_or(result.rtt), result.rtt);
      longest_wait = std::max(longest_wait, sample.now - packet.sent_at - result.rtt);
    }
    if (auto train = trains.on_delivered(result, pace, limits)) on_train(sample.now, *train);
  }
  if (least_rtt) {
    recent_rtt.update(sample.now, std::max(*least_rtt, TimeDelta::zero()));
    report_wait.update(sample.now, std::min(longest_wait, kReportWaitMost));
  }
  if (auto train = trains.on_report_end(limits)) on_train(sample.now, *train);
}

void BbrSender::Impl::on_train(Timestamp now, const TrainSample& sample) {
  if (fbe_pending()) fbe.on_train(sample, model.path.round());
  if (!filling) rate.on_train(model, now, sample);
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
  advice.startup_held = bulk_pending();
  over_threshold = false;
  if (config.algorithm == Algorithm::kBbr2) return;

  if (config.algorithm == Algorithm::kAdaptiveBbr2Paper) {
    advise_by_paper(sample, was_over);
    return;
  }
  const PaperGains gains = paper_gains(p, rtt.min_rtt(), rtt.max_rtt());
  advice.probe_up_gain = gains.up;
  advice.probe_down_gain = gains.down;

  if (by_law()) {
    // The states follow the law: it says when to look for more, and empties the queue by itself.
    advice.bandwidth = law.rate();
    advice.probe_now = law.probing();
    advice.hold_probes = advice.hold_probes || !law.probing();
    advice.queue_over_threshold = law.limited_by_queue();
    advice.reno_coexistence = false;
    advice.lower_bounds_loss = 1;
    advice.min_rtt_is_fresh = true;
    over_threshold = law.limited_by_queue();
    return;
  }
  const TimeDelta floor =
      std::max(ms(p.threshold_floor_ms), queue.noise() * p.threshold_noise) +
      (by_frames() ? ms(p.media_queue_ms) - ms(p.threshold_floor_ms) : TimeDelta::zero());
  const TimeDelta threshold = std::min(PaperThreshold::threshold(model, gains.up, floor),
                                       std::max(floor, ms(p.threshold_most_ms)));
  const TimeDelta window = standing_window(fallback_bandwidth(), model.mss, queue.noise());
  const StandingQueue::Window seen = queue.over(window);
  over_threshold = seen.queue > threshold;
  advice.queue_over_threshold = over_threshold;
  advice.reno_coexistence = false;
  // Loss without a queue is the radio's, unless it is heavy; our own law sees every queue.
  if (over_threshold) over_threshold_at = sample.now;
  const bool blameless =
      rate.competes() || (by_frames() && sample.now - over_threshold_at > kQueueBlamedFor &&
                          recent_loss() < kHeavyLoss);
  advice.lower_bounds_loss = blameless ? 1 : p.loss_threshold;
  if (rate.started()) {
    advice.bandwidth = rate.rate();
  } else if (machine.state() == BbrState::kStartup && model.path.round() > 2 && !bulk_pending()) {
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
  advice.min_rtt_is_fresh = rate.competes() || seen_again || mostly_idle || frames_see_no_queue;
}

void BbrSender::Impl::advise_by_paper(const RateSample& sample, bool was_over) {
  const BbrParams& p = model.params;
  const std::optional<TimeDelta> min_rtt = model.path.rtt().min_rtt();
  const PaperGains gains = paper_gains(p, min_rtt, paper_signals.max_rtt(p));
  model.advice.probe_up_gain = gains.up;
  model.advice.probe_down_gain = gains.down;
  over_threshold = was_over;
  if (sample.has_delivery && paper_signals.now_rtt() && min_rtt) {
    over_threshold = *paper_signals.now_rtt() - *min_rtt >
                     PaperThreshold::threshold(model, gains.up, TimeDelta::zero());
  }
  const BbrState state = machine.state();
  const bool counts =
      (state == BbrState::kProbeBwUp && p.paper_threshold != ThresholdIn::kCruise) ||
      (state == BbrState::kProbeBwCruise && p.paper_threshold != ThresholdIn::kUp);
  model.advice.queue_over_threshold = over_threshold && counts;
}

// ---- start-up

void BbrSender::Impl::step_bulk(const RateSample& sample) {
  const bool was_verified = bulk.verified();
  bulk.on_report(bulk_settings(), bulk_situation());
  const bool accepted = bulk.phase() != BulkStartup::Phase::kAborted && !bulk.overran();
  if (bulk.verified() && !was_verified && !bulk.capacity().is_zero()) {
    events.push_back(
        ControllerEvent{sample.now, FbeEstimated{bulk.capacity(), bulk.confidence(), accepted}});
  }
  if (!bulk.done()) return;
  fbe.end();
  if (bulk.phase() == BulkStartup::Phase::kDone) {
    // Loss says that the estimate was none: no more than what came through.
    const DataRate found =
        bulk.overran() ? std::min(bulk.rate(), model.max_bw.value()) : bulk.rate();
    model.max_bw.update(found);
    leave_startup(sample.now, found);
  }
}

void BbrSender::Impl::step_fbe(const RateSample& sample) {
  if (machine.state() == BbrState::kStartup && fbe_pending() && !bulk.done() &&
      (filling || bulk.phase() == BulkStartup::Phase::kSteering)) {
    step_bulk(sample);
    return;
  }
  bulk.on_application_limited();
  const FastStartup::Settings settings = fbe_settings();
  if (fbe_pending() && (sample.has_delivery || !sample.newly_lost.is_zero())) {
    const FastStartup::Situation situation{
        sample.now,
        model.path.round(),
        sample.round_start,
        !sample.newly_lost.is_zero(),
        !filling,
        queue.over(standing_window(fallback_bandwidth(), model.mss, queue.noise())).queue,
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
  const DataRate shown = std::max(model.max_bw.value() * model.params.fbe_share,
                                  fbe.glimpse().value_or(DataRate::zero()));
  leave_startup(sample.now, std::min(shown, first_jump()));
}

void BbrSender::Impl::leave_startup(Timestamp now, DataRate rate_now) {
  if (adaptive() && !rate.started()) rate.start(now, rate_now);
  // Fast start-up leaves no queue behind; half a rate would throw away what it won.
  drains_startup = false;
  machine.finish_startup(now);
}

// ---- adaptive-bbr2 and the paper

void BbrSender::Impl::step_rate(const RateSample& sample) {
  if (!adaptive() || !(sample.has_delivery || !sample.newly_lost.is_zero())) return;
  if (!rate.started()) {
    if (!model.full_pipe.filled()) return;
    const TimeDelta round = model.path.rtt().smoothed().value_or(kUnmeasuredRtt);
    const StandingQueue::Window arrivals = queue.over(std::max(round, TimeDelta::from_millis(50)));
    rate.start(sample.now, filling && arrivals.packets >= 4 ? arrivals.rate : model.max_bw.value());
  }
  if (filling && sample.now - app_limited_at > kBulkAfter) {
    if (!law.active()) law.start(sample.now, rate.rate(), drains_startup);
    drains_startup = false;
    if (sample.round_start) law.on_marks(model.ecn.cut(model.params));
    law.on_report(sample.now, sample.newly_delivered, sample.newly_lost);
    rate.follow(sample.now, law.rate());
    report_finding(sample.now);
  } else {
    law.pause();
    drains_startup = false;
    const TimeDelta round = model.path.rtt().smoothed().value_or(kUnmeasuredRtt);
    report_frames(sample.now, rate.on_report(model, queue,
                                             {sample.now, config.max_bitrate * 2.0, round,
                                              !sample.newly_lost.is_zero(), !silent}));
  }
  model.advice.bandwidth = rate.rate();
  volatility.on_rate(sample.now, model.bw());
}

void BbrSender::Impl::watch_start(Timestamp now) {
  if (start_watched || !heard_at.is_finite()) return;
  if (!first_heard_at.is_finite()) first_heard_at = heard_at;
  start_watched = now - first_heard_at > kStartFor;
  // A stretched train is the first measurement that is no mere bound.
  if (!by_frames() || !rate.stretched() || rate.rate() < start_bitrate * kSharperFrom) return;
  start_watched = true;
  sharpens = true;
}

void BbrSender::Impl::report_finding(Timestamp now) {
  switch (law.take_finding()) {
    case ShareLaw::Finding::kNone:
      return;
    case ShareLaw::Finding::kCompetitionBegins:
      events.push_back(ControllerEvent{now, CompetitionChanged{true, law.queue()}});
      return;
    case ShareLaw::Finding::kCompetitionEnds:
      events.push_back(ControllerEvent{now, CompetitionChanged{false, law.queue()}});
      return;
    case ShareLaw::Finding::kRoute:
      events.push_back(ControllerEvent{now, BaseDelayLearnt{}});
      return;
    case ShareLaw::Finding::kPolicer:
      events.push_back(ControllerEvent{now, PolicerFound{law.rate()}});
      return;
  }
}

void BbrSender::Impl::report_frames(Timestamp now, FrameCompetition::Change change) {
  if (change == FrameCompetition::Change::kNone) return;
  const bool begins = change == FrameCompetition::Change::kBegins;
  events.push_back(ControllerEvent{now, CompetitionChanged{begins, rate.standing_queue()}});
}

void BbrSender::Impl::step_paper(const RateSample& sample) {
  if (config.algorithm == Algorithm::kBbr2 || !over_threshold) return;
  // The law of shares makes room for others by itself.
  if (machine.state() != BbrState::kProbeBwCruise || rate.started()) return;
  const bool by_paper = config.algorithm == Algorithm::kAdaptiveBbr2Paper;
  if (by_paper && model.params.paper_threshold == ThresholdIn::kUp) return;
  const PaperCut cut = by_paper ? model.params.paper_cut : PaperCut::kEachRound;
  if (paper.lower_inflight_hi(model, sample, DataSize::zero(), cut)) {
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
  set_silent(now, true);
}

// A packet was delivered. What was lost while nothing passed is no sign of congestion.
void BbrSender::Impl::on_heard(Timestamp now) {
  heard_at = now;
  if (!silent) return;
  model.path.forgive_losses_sent_before(now);
  if (rate.started()) rate.on_silence_end(now);
  if (now - silent_since > kLongSilence) volatility.on_event(now);
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
  first_heard_at = Timestamp::infinite_past();
  start_watched = false;
  machine.restart(now);
  queue.reset();
  trains.reset();
  rate = AdaptiveRate();
  volatility = VolatilePath();
  law.reset();
  drains_startup = true;
  paper = PaperThreshold();
  paper_signals.reset();
  fbe = FastStartup();
  bulk = BulkStartup();
  fbe_wanted = config.startup == StartupKind::kFbe;
  driver.reset();
  report_wait.clear();
  recent_rtt.clear();
  least_delay.clear();
  empty_delay.clear();
  startup_pacing = DataRate::zero();
  over_threshold = false;
  set_silent(now, false);
}

}  // namespace farwheel
