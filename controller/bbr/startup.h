// STARTUP: doubling of the rate each round until the pipe is full
// (draft-cardwell-iccrg-bbr-congestion-control-02, section 4.3.1). FBE may end it earlier.
#pragma once

#include <optional>

#include "bbr/bbr_model.h"
#include "controller_types.h"

namespace farwheel {

class Startup {
 public:
  void enter(BbrModel& model);
  // The next state, or none to stay.
  std::optional<BbrState> on_report(BbrModel& model, const RateSample& sample);
};

}  // namespace farwheel
