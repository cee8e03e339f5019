// The largest bandwidth sample of the last two ProbeBW cycles (draft-cardwell-iccrg-bbr-congestion-
// control-02, sections 4.5.2.2 and 4.5.2.5: MaxBwFilterLen = 2). The owner advances the cycle.
#pragma once

#include <algorithm>
#include <array>

#include "units/data.h"

namespace farwheel {

class MaxBwFilter {
 public:
  void update(DataRate sample) { slots_[1] = std::max(slots_[1], sample); }
  // Forgets the older cycle. A cycle that measured nothing is not one: it leaves the filter as it
  // is.
  void advance_cycle() {
    if (slots_[1].is_zero()) return;
    slots_[0] = slots_[1];
    slots_[1] = DataRate::zero();
  }
  // Replaces what both cycles saw: the path is known to be another one.
  void reset(DataRate value) { slots_ = {value, DataRate::zero()}; }
  DataRate value() const { return std::max(slots_[0], slots_[1]); }

 private:
  std::array<DataRate, 2> slots_ = {DataRate::zero(), DataRate::zero()};
};

}  // namespace farwheel
