// The sum of what was added over the last second or so, in twenty steps: rates and loss for gauges
// and targets. Pure, not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "units/time.h"

namespace farwheel {

class WindowedSum {
 public:
  explicit WindowedSum(TimeDelta window) : step_ns_(window.ns() / kSteps) {}

  void add(Timestamp now, std::int64_t amount) {
    advance(now);
    slot(newest_) += amount;
    sum_ += amount;
  }
  std::int64_t sum(Timestamp now) const {
    WindowedSum at_present = *this;
    at_present.advance(now);
    return at_present.sum_;
  }
  // Time that the sum covers: less than the window at first, but never less than a quarter of it,
  // so that one early packet makes no huge rate.
  TimeDelta covered(Timestamp now) const {
    const std::int64_t oldest = std::max(first_, step(now) - kSteps + 1);
    const std::int64_t span = now.ns() - oldest * step_ns_;
    return TimeDelta::from_nanos(std::max(span, step_ns_ * kSteps / 4));
  }

 private:
  static constexpr std::int64_t kSteps = 20;

  std::int64_t step(Timestamp now) const { return now.ns() / step_ns_; }
  std::int64_t& slot(std::int64_t at) {
    return steps_[static_cast<std::size_t>((at % kSteps + kSteps) % kSteps)];
  }
  void advance(Timestamp now) {
    if (now.ns() < newest_end_ns_) return;
    const std::int64_t present = step(now);
    if (!started_) {
      started_ = true;
      first_ = newest_ = present;
    }
    if (present - newest_ >= kSteps) {
      steps_.fill(0);
      sum_ = 0;
      newest_ = present;
    }
    while (newest_ < present) {
      ++newest_;
      sum_ -= slot(newest_);
      slot(newest_) = 0;
    }
    if (newest_ >= 0) newest_end_ns_ = (newest_ + 1) * step_ns_;
  }

  std::int64_t step_ns_;
  std::array<std::int64_t, kSteps> steps_{};
  std::int64_t sum_ = 0;
  std::int64_t first_ = 0;
  std::int64_t newest_ = 0;
  bool started_ = false;
  // Where the newest step ends: until then there is nothing to move.
  std::int64_t newest_end_ns_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace farwheel
