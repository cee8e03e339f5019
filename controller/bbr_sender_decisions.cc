// What follows from the model: pacing rate, window, the encoders' rate, and what limits them.
#include <algorithm>

#include "bbr_sender_impl.h"

namespace farwheel {
namespace {
constexpr TimeDelta kUnmeasuredRtt = TimeDelta::from_millis(100);
constexpr TimeDelta kWindowAllowance = TimeDelta::from_millis(6);
constexpr TimeDelta kBehindOwnGap = TimeDelta::from_millis(3);
// Of what the path holds without a queue.
// Beside a flow that fills the queue: room for it, and frames that leave without waiting for it.
constexpr TimeDelta kOthersQueue = TimeDelta::from_millis(400);
constexpr double kCompetingGain = 1.25;
constexpr TimeDelta kGivenUpAfter = TimeDelta::from_millis(30);
constexpr double kUnnamedGain = 4;
constexpr double kQuietFlight = 0.9;
constexpr double kQuietWait = 0.4;  // of the longest wait for a report
constexpr TimeDelta kReturnWayMost = TimeDelta::from_millis(300);
constexpr TimeDelta kNoiseInWindowMost = TimeDelta::from_millis(30);
// The first jump of an encoder on a bound that was never a measurement.
constexpr double kFirstJump = 4;
}  // namespace

FastStartup::Settings BbrSender::Impl::fbe_settings() const {
  const BbrParams& p = model.params;
  return {ms(p.fbe_min_span_ms), static_cast<int>(p.fbe_min_clusters),
          p.fbe_share,           p.fbe_min_confidence,
          ms(p.fbe_queue_ms),    ms(p.fbe_give_up_ms)};
}

BulkStartup::Settings BbrSender::Impl::bulk_settings() const {
  const BbrParams& p = model.params;
  return {static_cast<int>(p.initial_window_packets),
          DataRate::from_mbps(p.fbe_train_mbps),
          {ms(p.fbe_cluster_gap_ms), ms(p.fbe_min_span_ms), static_cast<int>(p.fbe_min_clusters)},
          static_cast<std::int64_t>(p.fbe_steered_rounds),
          p.loss_threshold,
          ms(p.fbe_give_up_ms)};
}

BulkStartup::Situation BbrSender::Impl::bulk_situation() const {
  return {clock,
          model.path.round(),
          !fills_the_path(clock),
          model.path.rtt().min_rtt().value_or(kUnmeasuredRtt),
          report_wait.value().value_or(TimeDelta::zero()),
          model.mss};
}

// What to go by before anything is measured.
DataRate BbrSender::Impl::fallback_bandwidth() const {
  const DataRate bw = model.bw();
  return bw.is_zero() ? start_bitrate : bw;
}

DataRate BbrSender::Impl::first_jump() const {
  return std::max(start_bitrate * kFirstJump, fbe.glimpse().value_or(DataRate::zero()));
}

DataRate BbrSender::Impl::model_pacing_rate() const {
  const BbrParams& p = model.params;
  const DataRate least = DataRate::from_mbps(p.min_pacing_mbps);
  const DataRate initial = DataRate::from_mbps(p.initial_pacing_mbps);
  if (machine.state() == BbrState::kStartup) {
    if (bulk_pending()) {
      return std::max(bulk.pacing_rate(bulk_settings(), bulk_situation(), model.cwnd), least);
    }
    if (fbe.phase() == FastStartup::Phase::kVerifying) return std::max(model.bw(), least);
    if (fbe_pending() && fbe.probing_rate()) {
      return std::max(*fbe.probing_rate(), fbe.estimate().lower_bound ? initial : least);
    }
    return std::max(startup_pacing, initial);
  }
  if (by_law()) return std::max(law.pacing(), least);
  const DataRate bw = fallback_bandwidth();
  if (by_frames() && machine.state() != BbrState::kDrain) {
    const double gain = rate.competes()           ? kCompetingGain
                        : rate.limited_by_queue() ? p.media_queue_gain
                        : rate.stretched()        ? p.media_stretched_gain
                                                  : p.media_pacing_gain;
    return std::max(bw * gain, least);
  }
  return std::max(bw * (model.pacing_gain * (1 - p.pacing_margin)), least);
}

void BbrSender::Impl::note_quiet(const SentPacket& packet, DataSize before) {
  const TimeDelta min_rtt = model.path.rtt().min_rtt().value_or(kUnmeasuredRtt);
  const TimeDelta wait = report_wait.value().value_or(TimeDelta::zero());
  const TimeDelta quiet_time = min_rtt * kQuietFlight + wait * kQuietWait;
  quiet[slot_of(packet.number)] = packet.sent_at - last_packet_sent_at >= kBehindOwnGap &&
                                  before < fallback_bandwidth() * quiet_time;
  last_packet_sent_at = packet.sent_at;
}

// The way back may have become longer than min_rtt knows; the window follows, the queue does not.
TimeDelta BbrSender::Impl::window_rtt() const {
  const TimeDelta least = model.path.rtt().min_rtt().value_or(kUnmeasuredRtt);
  const TimeDelta recent = recent_rtt.value().value_or(least) - rate.standing_queue();
  return std::max(least, std::min(recent, least + kReturnWayMost));
}

DataSize BbrSender::Impl::cwnd() const {
  if (by_law()) return std::max(law.window() * driver.window_scale(clock), model.min_cwnd());
  DataSize window = model.cwnd;
  if (machine.state() == BbrState::kStartup && bulk_pending()) {
    const auto wanted = bulk.window(bulk_settings(), bulk_situation());
    return std::max(wanted.value_or(window) * driver.window_scale(clock), model.min_cwnd());
  }
  if (rate.started() && machine.state() != BbrState::kProbeRtt) {
    const TimeDelta allowance =
        std::max(kWindowAllowance,
                 std::min((by_frames() ? rate.noise() : queue.noise()) * 3.0, kNoiseInWindowMost));
    const TimeDelta wait = report_wait.value().value_or(TimeDelta::zero());
    // Reports that are lost leave their packets in flight until they are given up.
    const TimeDelta unreported = kGivenUpAfter * std::min(1.0, unnamed * kUnnamedGain);
    const DataSize needed =
        model.bw() * (window_rtt() + wait + allowance + unreported) + model.mss * 0.5;
    // A queue is the rate's to drain; only loss may bring the window under what the rate needs.
    if (by_frames()) {
      window = needed;
      if (rate.competes()) window += model.bw() * kOthersQueue;
    } else if (!bound_by_loss()) {
      window = std::max(window, needed);
    }
  }
  return std::max(window * driver.window_scale(clock), model.min_cwnd());
}

DataSize BbrSender::Impl::standing_in_flight(DataSize flying) const {
  const TimeDelta wait = report_wait.value().value_or(TimeDelta::zero());
  const TimeDelta slack = std::max(ms(model.params.media_slack_ms), rate.noise() * 6.0);
  const TimeDelta unreported = kGivenUpAfter * std::min(1.0, unnamed * kUnnamedGain);
  const DataSize fits = model.bw() * (window_rtt() + wait + slack + unreported);
  return std::max(flying - fits, DataSize::zero());
}

DataRate BbrSender::Impl::media_rate() const {
  const BbrParams& p = model.params;
  if (!heard_at.is_finite()) return start_bitrate;
  DataRate wanted = start_bitrate;
  if (rate.started()) {
    const DataSize standing = rate.competes()
                                  ? DataSize::zero()
                                  : std::min(standing_in_flight(inflight), standing_at_frame);
    wanted =
        volatility.bounded(clock, model.bw()) * p.media_share - standing / ms(p.media_drain_ms);
  } else if (model.full_pipe.filled()) {
    const double gain = std::max(1.0, machine.state() == BbrState::kDrain ? 1 : model.pacing_gain);
    wanted = model.bw() * (gain * p.media_share);
    if (const auto srtt = model.path.rtt().smoothed()) {
      wanted = std::min(wanted, cwnd() / std::max(*srtt, TimeDelta::from_millis(1)));
    }
  } else if (fbe.phase() == FastStartup::Phase::kVerifying) {
    wanted = std::min(model.bw(), first_jump());
  } else {
    const DataRate glimpse = fbe.glimpse().value_or(DataRate::zero());
    // Start-up goes on: no more than what has been shown to fit, no less than was asked for unless
    // a queue stands.
    const DataRate shown = std::min(std::max(model.max_bw.value(), glimpse), first_jump());
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
  const bool queue_holds = by_law() ? law.limited_by_queue() : rate.limited_by_queue();
  if (over_threshold || (rate.started() && queue_holds)) return LimitedBy::kQueueDelay;
  return filling ? LimitedBy::kBandwidth : LimitedBy::kEncoder;
}

}  // namespace farwheel
