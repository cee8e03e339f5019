// DRAIN: empties the queue that STARTUP built (draft-cardwell-iccrg-bbr-congestion-control-02,
// section 4.3.2), for three rounds at most (draft-ietf-ccwg-bbr-06, section 5.3.2).
#pragma once

#include <cstdint>
#include <optional>

#include "bbr/bbr_model.h"
#include "controller_types.h"

namespace farwheel {

class Drain {
 public:
  void enter(BbrModel& model);
  std::optional<BbrState> on_report(BbrModel& model, const RateSample& sample);

 private:
  std::int64_t first_round_ = 0;
};

}  // namespace farwheel
