#include "bbr/startup.h"

#include <algorithm>

namespace farwheel {

void Startup::enter(BbrModel& model) {
  model.pacing_gain = model.params.startup_pacing_gain;
  model.cwnd_gain = model.params.startup_cwnd_gain;
}

std::optional<BbrState> Startup::on_report(BbrModel& model, const RateSample& sample) {
  if (model.advice.startup_held) return std::nullopt;
  model.full_pipe.on_report(model.params, sample, model.max_bw.value());
  if (model.ecn.fills_the_pipe(model.params)) model.full_pipe.set_filled_by_congestion();
  if (model.advice.startup_queue) model.full_pipe.set_filled();
  if (!model.full_pipe.filled()) return std::nullopt;
  if (model.full_pipe.filled_by_congestion()) {
    // Section 4.3.1.3; what was delivered in the round is a floor, as draft-ietf-ccwg-bbr-06
    // (5.3.1.3) has it.
    model.bounds.set_inflight_hi(
        std::max(model.inflight_at(model.max_bw.value(), 1.0), model.bounds.inflight_latest()));
  }
  return BbrState::kDrain;
}

}  // namespace farwheel
