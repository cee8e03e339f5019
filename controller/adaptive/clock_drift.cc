#include "adaptive/clock_drift.h"

#include <algorithm>
#include <cmath>

namespace farwheel {
namespace {
constexpr double kSpan = 2.5;
constexpr double kLeastApart = 7;
constexpr double kLargestSkew = 300e-6;  // no crystal is worse
constexpr std::size_t kLeastSlopes = 3;
}  // namespace

double ClockDrift::correct(double now, double one_way, double round_trip) {
  const double value = one_way - round_trip;
  if (!begun_) {
    begun_ = true;
    span_start_ = now;
    last_ = now;
    most_ = value;
  }
  most_ = std::max(most_, value);
  correction_ += skew_ * std::max(0.0, now - last_);
  last_ = std::max(last_, now);
  if (now - span_start_ >= kSpan) {
    end_span(now);
    most_ = value;
  }
  return one_way - correction_;
}

void ClockDrift::end_span(double now) {
  points_[next_] = {now, most_};
  next_ = (next_ + 1) % kPoints;
  count_ = std::min(count_ + 1, kPoints);
  span_start_ = now;
  std::size_t slopes = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t j = 0; j < count_; ++j) {
      const double apart = points_[i].at - points_[j].at;
      if (apart < kLeastApart) continue;
      const double slope = (points_[i].value - points_[j].value) / apart;
      if (std::abs(slope) < kLargestSkew) slopes_[slopes++] = static_cast<float>(slope);
    }
  }
  if (slopes < kLeastSlopes) return;
  const auto middle = slopes_.begin() + static_cast<std::ptrdiff_t>(slopes / 2);
  std::nth_element(slopes_.begin(), middle, slopes_.begin() + static_cast<std::ptrdiff_t>(slopes));
  skew_ = *middle;
}

}  // namespace farwheel
