#include "rtpbbrcc/rate_window.h"

namespace farwheel {

void RateWindow::add(Timestamp now, std::int64_t bytes) {
  const std::int64_t slot = now.ns() / kSlotNs;
  const auto at = static_cast<std::size_t>(slot % (kSlots + 1));
  if (slot_[at] != slot) {
    slot_[at] = slot;
    bytes_[at] = 0;
  }
  bytes_[at] += bytes;
}

DataRate RateWindow::rate(Timestamp now) const {
  // The running slot is left out: it is not full yet.
  const std::int64_t slot = now.ns() / kSlotNs;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i <= kSlots; ++i) {
    if (slot_[i] < slot && slot_[i] >= slot - kSlots) sum += bytes_[i];
  }
  return DataSize::from_bytes(sum) / TimeDelta::from_nanos(kSlotNs * kSlots);
}

}  // namespace farwheel
