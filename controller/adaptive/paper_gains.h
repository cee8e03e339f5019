// Adaptive BBRv2, Algorithm 1: the pacing gains of PROBE_UP and PROBE_DOWN as falling functions of
// MinRtt, so that the flow with the shorter round trip probes the harder.
#pragma once

#include <optional>

#include "bbr/bbr_params.h"
#include "units/time.h"

namespace farwheel {

struct PaperGains {
  double up;
  double down;
};

// gain_up = 1.5 - MinRtt / (MaxRtt - MinRtt), kept in [1.1, 1.5]; gain_down = 2 - gain_up. Unknown
// or equal RTTs (the paper does not say) give the least gain: no queue was ever seen.
PaperGains paper_gains(const BbrParams& params, std::optional<TimeDelta> min_rtt,
                       std::optional<TimeDelta> max_rtt);

}  // namespace farwheel
