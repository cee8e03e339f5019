#include "bbr/drain.h"

namespace farwheel {

void Drain::enter(BbrModel& model) {
  model.pacing_gain = model.params.drain_pacing_gain;
  model.cwnd_gain = model.params.startup_cwnd_gain;
  first_round_ = model.path.round();
}

std::optional<BbrState> Drain::on_report(BbrModel& model, const RateSample& sample) {
  const bool drained = sample.inflight <= model.inflight_at(model.bandwidth(), 1.0);
  const double rounds = static_cast<double>(model.path.round() - first_round_);
  const bool too_long = model.params.drain_rounds > 0 && rounds > model.params.drain_rounds;
  if (drained || too_long) return BbrState::kProbeBwDown;
  return std::nullopt;
}

}  // namespace farwheel
