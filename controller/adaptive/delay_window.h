// One-way delays by steps of the law: the least and largest of each step, so that the standing part
// of a window is the least of its steps. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace farwheel {

class DelayWindow {
 public:
  void on_packet(double delay) {
    least_ = std::min(least_, delay);
    most_ = std::max(most_, delay);
  }
  // A step of the law is over. False when nothing came in it.
  bool end_step(double now) {
    if (least_ == kNone) return false;
    ring_[next_] = {now, least_, most_};
    next_ = (next_ + 1) % kSteps;
    count_ = std::min(count_ + 1, kSteps);
    least_ = kNone;
    most_ = -kNone;
    return true;
  }
  // Least delay of the steps that ended in the last `window` seconds, at least of the newest.
  double least(double now, double window) const {
    double least = kNone;
    for (std::size_t back = 0; back < count_; ++back) {
      const Step& step = ring_[(next_ + kSteps - 1 - back) % kSteps];
      if (back > 0 && now - step.at >= window) break;
      least = std::min(least, step.least);
    }
    return least;
  }
  // Least of the newest step that had any.
  double newest_least() const { return ring_[(next_ + kSteps - 1) % kSteps].least; }
  // Largest of all that is kept, some 0.8 s, and of the step in hand.
  double most() const {
    double most = most_;
    for (std::size_t back = 0; back < count_; ++back) {
      most = std::max(most, ring_[(next_ + kSteps - 1 - back) % kSteps].most);
    }
    return most;
  }
  void reset() {
    count_ = 0;
    least_ = kNone;
    most_ = -kNone;
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  static constexpr std::size_t kSteps = 32;
  struct Step {
    double at = 0;
    double least = 0;
    double most = 0;
  };
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  double least_ = kNone;
  double most_ = -kNone;
  std::array<Step, kSteps> ring_{};
};

}  // namespace farwheel
