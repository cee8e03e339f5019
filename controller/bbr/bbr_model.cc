#include "bbr/bbr_model.h"

#include <algorithm>

namespace farwheel {

DataSize BbrModel::bdp(DataRate rate, double gain) const {
  const std::optional<TimeDelta> min_rtt = path.rtt().min_rtt();
  if (!min_rtt || rate.is_zero()) return DataSize::infinite();
  return rate * *min_rtt * gain;
}

DataSize BbrModel::inflight_at(DataRate rate, double gain) const {
  const DataSize volume = bdp(rate, gain);
  if (volume.is_infinite()) return mss * params.initial_window_packets;
  // One packet of rounding: a window that is not a multiple of the packet size never fills.
  return std::max(volume + mss, min_cwnd());
}

}  // namespace farwheel
