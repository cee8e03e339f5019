#include "path/ack_aggregation.h"

#include <algorithm>

namespace farwheel {

void AckAggregation::on_report(Timestamp now, std::int64_t round, DataSize newly_delivered,
                               DataRate bw, DataSize cwnd, std::int64_t window_rounds) {
  if (newly_delivered.is_zero()) return;
  const std::int64_t half = std::max<std::int64_t>(1, window_rounds / 2);
  if (round >= slots_[1].first_round + half) {
    slots_[0] = slots_[1];
    slots_[1] = Slot{round, DataSize::zero()};
  }
  DataSize expected = interval_start_.is_finite() && now > interval_start_
                          ? bw * (now - interval_start_)
                          : DataSize::zero();
  if (!interval_start_.is_finite() || delivered_ <= expected) {
    delivered_ = DataSize::zero();
    interval_start_ = now;
    expected = DataSize::zero();
  }
  delivered_ += newly_delivered;
  const DataSize extra = std::min(delivered_ - expected, cwnd);
  slots_[1].most = std::max(slots_[1].most, extra);
}

void AckAggregation::restart(Timestamp now) {
  interval_start_ = now;
  delivered_ = DataSize::zero();
}

DataSize AckAggregation::extra_acked() const {
  return std::max(slots_[0].most, slots_[1].most);
}

}  // namespace farwheel
