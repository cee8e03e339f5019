#include "adaptive/arrival_rate.h"

#include <algorithm>

namespace farwheel {

void ArrivalRate::on_packet(double received_at, double bytes) {
  total_ += bytes;
  if (count_ > 0) {
    Entry& last = ring_[(next_ + kSlots - 1) % kSlots];
    if (received_at < first_ + kMerge) {
      last.at = std::max(last.at, received_at);
      last.total = total_;
      return;
    }
  }
  first_ = received_at;
  ring_[next_] = {received_at, total_};
  next_ = (next_ + 1) % kSlots;
  count_ = std::min(count_ + 1, kSlots);
}

double ArrivalRate::over(double window) const {
  if (count_ < 2) return 0;
  const double begin = newest(0).at - window;
  // The oldest entry inside: entries are in order of time, each opened a millisecond after another.
  std::size_t inside = 0;
  std::size_t outside = std::min(count_, static_cast<std::size_t>(window / kMerge) + 4);
  while (outside - inside > 1) {
    const std::size_t middle = (inside + outside) / 2;
    (newest(middle).at >= begin ? inside : outside) = middle;
  }
  const Entry& first = newest(inside);
  const double span = newest(0).at - first.at;
  return span > 0 ? (newest(0).total - first.total) / span : 0;
}

}  // namespace farwheel
