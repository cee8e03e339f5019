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
  return std::max(volume + mss * params.window_packets, min_cwnd());
}

DataSize BbrModel::probing_inflight() const {
  const DataSize volume = bdp(bandwidth(), params.probe_up_gain);
  if (volume.is_infinite()) return volume;
  return std::max(volume, min_cwnd()) + mss * params.probe_up_packets;
}

}  // namespace farwheel
