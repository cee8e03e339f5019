#include "adaptive/paper_gains.h"

#include <algorithm>

namespace farwheel {

PaperGains paper_gains(const BbrParams& params, std::optional<TimeDelta> min_rtt,
                       std::optional<TimeDelta> max_rtt) {
  double up = params.paper_gain_equal;
  if (min_rtt && max_rtt && *max_rtt > *min_rtt) {
    const double ratio = *min_rtt / (*max_rtt - *min_rtt);
    up = std::clamp(params.paper_gain_max - ratio, params.paper_gain_min,
                    std::max(params.paper_gain_min, params.paper_gain_max));
  }
  return {up, 2 - up};
}

}  // namespace farwheel
