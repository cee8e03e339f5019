// Adaptive BBRv2, Algorithm 2: a queueing-delay threshold that ends PROBE_UP and, in PROBE_CRUISE,
// lowers inflight_hi so that others can grow.
//
// The paper leaves open how often the second part may fire and whose volume in flight it means:
// paper_cut, paper_inflight. Its mode tests the newest RTT; adaptive-bbr2 tests a filtered delay
// against a threshold with a floor, and cuts once a round.
#pragma once

#include <cstdint>

#include "bbr/bbr_model.h"
#include "controller_types.h"

namespace farwheel {

class PaperThreshold {
 public:
  // (gain_up - 1) x MinRtt, but not under `floor`; infinite while MinRtt is unknown.
  static TimeDelta threshold(const BbrModel& model, double gain_up, TimeDelta floor);

  // Part two, to be called at each report in PROBE_CRUISE when the delay is over the threshold:
  // inflight_target *= 0.7; inflight_hi = max(inflight_at_send, inflight_target). True when it
  // fired and inflight_hi is lower than before. Never under `least`.
  bool lower_inflight_hi(BbrModel& model, const RateSample& sample, DataSize least, PaperCut cut);

 private:
  std::int64_t last_round_ = -1;
};

}  // namespace farwheel
