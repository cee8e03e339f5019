#include "bbr/probe_rtt.h"

#include <algorithm>

namespace farwheel {
namespace {
// The volume in flight may never fall so far when reports fail; then time ends the stay.
constexpr TimeDelta kLongestStay = TimeDelta::from_millis(1500);
}  // namespace

bool ProbeRtt::wanted(BbrModel& model, const RateSample& sample) {
  if (!sample.has_delivery || model.params.min_rtt_rule == MinRttRule::kOverwrite) return false;
  if (model.advice.min_rtt_is_fresh) {
    model.path.rtt().renew_probe_rtt(sample.now);
    return false;
  }
  return model.path.rtt().probe_rtt_expired() && !model.idle_restart;
}

bool ProbeRtt::wanted_after_down(BbrModel& model, const RateSample& sample) {
  RttModel& rtt = model.path.rtt();
  if (model.params.min_rtt_rule != MinRttRule::kOverwrite || !rtt.min_rtt()) return false;
  if (sample.now < rtt.min_rtt_stamp() + ms(model.params.min_rtt_window_ms)) return false;
  if (sample.min_rtt.is_infinite()) return false;
  rtt.overwrite_min_rtt(sample.now, sample.min_rtt);
  return true;
}

void ProbeRtt::enter(BbrModel& model, BbrState from) {
  from_ = from;
  model.pacing_gain = 1;
  model.cwnd_gain = model.params.probe_rtt_cwnd_gain;
  entered_at_ = Timestamp::infinite_past();
  done_at_ = Timestamp::infinite_future();
  saved_cwnd_ = model.cwnd;
  round_done_ = false;
  model.path.start_round();
}

DataSize ProbeRtt::window(const BbrModel& model) {
  const DataSize half = model.bdp(model.bw(), model.params.probe_rtt_cwnd_gain);
  return half.is_infinite() ? model.min_cwnd() : std::max(half, model.min_cwnd());
}

std::optional<BbrState> ProbeRtt::on_report(BbrModel& model, const RateSample& sample) {
  if (!entered_at_.is_finite()) entered_at_ = sample.now;
  // What is sent now says how little we offered, not how much fits.
  model.path.on_application_limited(sample.inflight);
  if (!done_at_.is_finite()) {
    if (sample.inflight <= window(model)) {
      done_at_ = sample.now + ms(model.params.probe_rtt_duration_ms);
      round_done_ = false;
      model.path.start_round();
    }
  } else if (sample.round_start) {
    round_done_ = true;
  }
  const bool needs_round = model.params.min_rtt_rule == MinRttRule::kDraft;
  if (done_at_.is_finite() && (round_done_ || !needs_round) && sample.now > done_at_) {
    return leave(model, sample.now);
  }
  return on_time(model, sample.now);
}

std::optional<BbrState> ProbeRtt::on_restart_from_idle(BbrModel& model, Timestamp now) {
  if (!done_at_.is_finite() || now <= done_at_) return std::nullopt;
  return leave(model, now);
}

std::optional<BbrState> ProbeRtt::on_time(BbrModel& model, Timestamp now) {
  if (!entered_at_.is_finite()) entered_at_ = now;
  const TimeDelta rtt = model.path.rtt().smoothed().value_or(TimeDelta::zero());
  if (now - entered_at_ < kLongestStay + rtt * 4.0) return std::nullopt;
  return leave(model, now);
}

std::optional<BbrState> ProbeRtt::leave(BbrModel& model, Timestamp now) {
  model.path.rtt().renew_probe_rtt(now);
  model.cwnd = std::max(model.cwnd, saved_cwnd_);
  model.bounds.reset_lower();
  if (!model.full_pipe.filled()) return BbrState::kStartup;
  const bool refilling =
      model.params.min_rtt_rule == MinRttRule::kOverwrite && from_ == BbrState::kProbeBwRefill;
  return refilling ? from_ : BbrState::kProbeBwCruise;
}

}  // namespace farwheel
