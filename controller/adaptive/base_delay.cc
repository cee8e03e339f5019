#include "adaptive/base_delay.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr std::size_t kLeastHistory = 20;
}  // namespace

void BaseDelay::on_least(double least, double low_share) {
  history_[next_] = least;
  next_ = (next_ + 1) % kHistory;
  count_ = std::min(count_ + 1, kHistory);
  if (count_ <= kLeastHistory) return;
  std::array<double, kHistory> sorted;
  std::size_t n = 0;
  for (std::size_t back = 1; back <= count_; ++back) {
    sorted[n++] = history_[(next_ + kHistory - back) % kHistory];
  }
  const auto at = static_cast<std::ptrdiff_t>(static_cast<double>(n) * low_share);
  std::nth_element(sorted.begin(), sorted.begin() + at,
                   sorted.begin() + static_cast<std::ptrdiff_t>(n));
  low_ = sorted[static_cast<std::size_t>(at)];
}

double BaseDelay::bias(double most) const {
  if (count_ <= kLeastHistory || most <= 0) return 0;
  return std::clamp(low_ - value(), 0.0, most);
}

bool BaseDelay::creep(double now, double band, double over) {
  if (count_ < kCreep) return false;
  double least = history_[(next_ + kHistory - 1) % kHistory];
  double most = least;
  for (std::size_t back = 2; back <= kCreep; ++back) {
    const double value = history_[(next_ + kHistory - back) % kHistory];
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (most - least > band || least <= value() + over) return false;
  rebase(now, least);
  return true;
}

void BaseDelay::rebase(double now, double delay) {
  least_.replace(delay);
  count_ = 0;
  touched_at_ = now;
}

}  // namespace farwheel
