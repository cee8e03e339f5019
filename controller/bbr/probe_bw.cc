#include "bbr/probe_bw.h"

#include <algorithm>
#include <utility>

namespace farwheel {
namespace {
constexpr int kMostSlopeRounds = 30;

DataSize counted_inflight(const BbrModel& model, const RateSample& sample) {
  if (model.params.inflight_count == InflightCount::kAfter) return sample.inflight;
  return sample.inflight + sample.newly_delivered + sample.newly_lost;
}
}  // namespace

void ProbeBw::enter(BbrModel& model, BbrState from, BbrState phase, Timestamp now) {
  model.cwnd_gain = model.params.cwnd_gain;
  rounds_in_phase_ = 0;
  switch (phase) {
    case BbrState::kProbeBwCruise:
      model.pacing_gain = 1;
      if (from != BbrState::kProbeBwDown) start_cycle(model, now);
      break;
    case BbrState::kProbeBwRefill:
      model.pacing_gain = 1;
      model.bounds.reset_lower();
      up_rounds_ = 0;
      up_acked_ = DataSize::zero();
      ack_phase_ = AckPhase::kRefilling;
      model.path.start_round();
      break;
    case BbrState::kProbeBwUp:
      model.pacing_gain = model.advice.probe_up_gain;
      probe_samples_ = true;
      ack_phase_ = AckPhase::kProbeStarting;
      model.path.start_round();
      cycle_stamp_ = now;
      raise_slope(model);
      break;
    default:
      model.pacing_gain = model.advice.probe_down_gain;
      last_probe_ = from == BbrState::kProbeBwUp ? std::exchange(this_probe_, ProbeEnd::kEnough)
                                                 : ProbeEnd::kEnough;
      model.bounds.reset_signals();
      start_cycle(model, now);
      break;
  }
}

void ProbeBw::start_cycle(BbrModel& model, Timestamp now) {
  up_step_ = DataSize::infinite();
  rounds_since_probe_ = model.random.uniform() < 0.5 ? 0 : 1;
  probe_wait_ = ms(model.params.probe_wait_base_ms +
                   model.params.probe_wait_random_ms * model.random.uniform());
  cycle_stamp_ = now;
  ack_phase_ = AckPhase::kProbeStopping;
  model.path.start_round();
}

std::optional<BbrState> ProbeBw::on_report(BbrModel& model, BbrState phase,
                                           const RateSample& sample) {
  lowered_inflight_hi_ = false;
  if (sample.round_start) {
    ++rounds_since_probe_;
    ++rounds_in_phase_;
  }
  if (std::optional<BbrState> next = adapt_upper_bounds(model, phase, sample)) return next;
  switch (phase) {
    case BbrState::kProbeBwDown:
      model.pacing_gain = model.advice.probe_down_gain;
      if (time_to_probe(model, sample) || retry_risky_probe(model, sample)) {
        return BbrState::kProbeBwRefill;
      }
      if (time_to_cruise(model, sample)) return BbrState::kProbeBwCruise;
      break;
    case BbrState::kProbeBwCruise:
      if (time_to_probe(model, sample)) return BbrState::kProbeBwRefill;
      break;
    case BbrState::kProbeBwRefill:
      if (sample.round_start) return BbrState::kProbeBwUp;
      break;
    case BbrState::kProbeBwUp:
      model.pacing_gain = model.advice.probe_up_gain;
      if (is_risky(model, sample)) {
        this_probe_ = ProbeEnd::kRisky;
        return BbrState::kProbeBwDown;
      }
      if (probed_far_enough(model, sample)) return BbrState::kProbeBwDown;
      break;
    default:
      break;
  }
  return std::nullopt;
}

std::optional<BbrState> ProbeBw::adapt_upper_bounds(BbrModel& model, BbrState phase,
                                                    const RateSample& sample) {
  if (sample.round_start) {
    if (ack_phase_ == AckPhase::kProbeStarting) {
      ack_phase_ = AckPhase::kProbeFeedback;
    } else if (ack_phase_ == AckPhase::kProbeStopping) {
      // Once a cycle: the phase must end here, or the filter forgets a cycle each round.
      ack_phase_ = AckPhase::kInit;
      probe_samples_ = false;
      if (!sample.is_app_limited) model.max_bw.advance_cycle();
    }
  }

  if (probe_samples_) {
    for (const LostPacket& packet : sample.losses) {
      if (!InflightBounds::too_high(model.params, packet.lost, packet.tx_in_flight)) continue;
      return on_inflight_too_high(model, phase,
                                  InflightBounds::inflight_at_loss(model.params, packet),
                                  packet.is_app_limited);
    }
  }
  if (!sample.has_delivery) return std::nullopt;
  if (InflightBounds::too_high(model.params, sample.lost, sample.tx_in_flight) ||
      EcnResponse::too_high(model.params, sample)) {
    if (probe_samples_) {
      return on_inflight_too_high(model, phase, sample.tx_in_flight, sample.is_app_limited);
    }
    return std::nullopt;
  }
  if (model.bounds.inflight_hi().is_infinite()) return std::nullopt;
  // The paper's cut is to stand until a probe lifts it; only a probe's packets may raise the bound.
  if (sample.tx_in_flight > model.bounds.inflight_hi() && !model.advice.queue_over_threshold) {
    model.bounds.set_inflight_hi(sample.tx_in_flight);
  }
  if (phase == BbrState::kProbeBwUp) raise_inflight_hi(model, sample);
  return std::nullopt;
}

std::optional<BbrState> ProbeBw::on_inflight_too_high(BbrModel& model, BbrState phase,
                                                      DataSize tx_in_flight, bool app_limited) {
  probe_samples_ = false;
  if (!app_limited) {
    model.bounds.set_inflight_hi(
        std::max(tx_in_flight, model.target_inflight() * model.params.beta));
    lowered_inflight_hi_ = true;
  }
  if (phase != BbrState::kProbeBwUp) return std::nullopt;
  this_probe_ = ProbeEnd::kTooHigh;
  return BbrState::kProbeBwDown;
}

// The last probe went too high, and this one is there again.
bool ProbeBw::is_risky(const BbrModel& model, const RateSample& sample) const {
  return model.params.precautionary_probe && last_probe_ == ProbeEnd::kTooHigh &&
         counted_inflight(model, sample) >= model.bounds.inflight_hi();
}

bool ProbeBw::retry_risky_probe(const BbrModel& model, const RateSample& sample) const {
  return model.params.precautionary_probe && last_probe_ == ProbeEnd::kRisky &&
         rounds_in_phase_ == 1 && sample.round_start && !model.advice.hold_probes;
}

void ProbeBw::raise_inflight_hi(BbrModel& model, const RateSample& sample) {
  // Only a flow that the bound holds back learns anything by growing it.
  const bool cwnd_limited = sample.tx_in_flight + model.mss >= model.cwnd;
  if (!cwnd_limited || model.cwnd < model.bounds.inflight_hi()) return;
  up_acked_ += sample.newly_delivered;
  if (up_step_.is_finite() && up_acked_ >= up_step_) {
    const double steps = static_cast<double>(up_acked_.bytes() / up_step_.bytes());
    up_acked_ = up_acked_ - up_step_ * steps;
    model.bounds.set_inflight_hi(model.bounds.inflight_hi() + model.mss * steps);
  }
  if (sample.round_start) raise_slope(model);
}

void ProbeBw::raise_slope(const BbrModel& model) {
  const double growth = static_cast<double>(std::int64_t{1} << up_rounds_);
  up_rounds_ = std::min(up_rounds_ + 1, kMostSlopeRounds);
  up_step_ = std::max(model.cwnd / growth, model.mss);
}

bool ProbeBw::time_to_probe(const BbrModel& model, const RateSample& sample) const {
  if (model.advice.hold_probes) return false;
  if (sample.now - cycle_stamp_ > probe_wait_) return true;
  if (model.advice.probe_now) return true;
  if (!model.advice.reno_coexistence) return false;
  const double packets = model.target_inflight() / model.mss;
  return rounds_since_probe_ >= std::max(1.0, std::min(packets, model.params.reno_rounds));
}

bool ProbeBw::time_to_cruise(const BbrModel& model, const RateSample& sample) const {
  if (const double share = model.params.probe_down_wait_share; share > 0) {
    const double packets = std::min(model.target_inflight() / model.mss, model.params.reno_rounds);
    if (sample.now - cycle_stamp_ > probe_wait_ * share) return true;
    if (rounds_since_probe_ >= packets * share) return true;
  }
  const DataSize inflight = counted_inflight(model, sample);
  if (inflight > model.bounds.inflight_with_headroom(model.params, model.mss)) return false;
  return inflight <= model.inflight_at(model.bandwidth(), 1.0);
}

bool ProbeBw::probed_far_enough(const BbrModel& model, const RateSample& sample) const {
  // Algorithm 2, phase 1.
  if (model.advice.queue_over_threshold || model.advice.hold_probes) return true;
  const std::optional<TimeDelta> min_rtt = model.path.rtt().min_rtt();
  if (!min_rtt) return false;
  // An application-limited probe never fills the path; it must not linger in UP for that.
  const BbrParams& p = model.params;
  if (p.app_limited_up_rounds > 0 && model.path.app_limited() &&
      rounds_in_phase_ >= p.app_limited_up_rounds) {
    return true;
  }
  if (p.probe_up_least_rounds > 0) {
    return rounds_in_phase_ >= p.probe_up_least_rounds &&
           counted_inflight(model, sample) >= model.probing_inflight();
  }
  return sample.now - cycle_stamp_ > *min_rtt &&
         counted_inflight(model, sample) > model.probing_inflight();
}

}  // namespace farwheel
