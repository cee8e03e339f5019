// Delay noise: how far packets lie over the least of their few neighbours, in seconds. Slots, radio
// repeats and jitter make it; a queue that stands does not. Not thread-safe.
//
// The mean over the minimum of n samples falls short of its limit by (n-1)/(n+1) for evenly spread
// noise; without the correction, and without an end by time, the faster of two flows would see the
// larger noise, take the larger target for it, and keep its lead.
// Source: shared notes on the default law, sections 1.1 and 6.
#pragma once

#include <algorithm>

namespace farwheel {

class DelayNoise {
 public:
  // `counts`: false while a queue moves, whose slope would look like noise.
  void on_packet(double received_at, double delay, bool counts) {
    if (packets_ == 0) {
      start_ = received_at;
      least_ = delay;
      first_ = delay;
      sum_ = 0;
    }
    ++packets_;
    sum_ += delay - first_;
    least_ = std::min(least_, delay);
    const double length = received_at - start_;
    if ((packets_ < kPackets || length < kLeastWindow) && length < kWindow) return;
    if (packets_ >= 3 && counts) take(length);
    packets_ = 0;
  }
  double value() const { return value_; }
  void reset() {
    value_ = 0;
    taken_ = 0;
    packets_ = 0;
  }

 private:
  static constexpr int kPackets = 8;
  static constexpr double kLeastWindow = 0.025;
  static constexpr double kWindow = 0.060;
  static constexpr double kSeconds = 2;

  void take(double length) {
    const double n = packets_;
    const double over = first_ + sum_ / n - least_;
    ++taken_;
    const double share = std::max(std::min(1.0, length / kSeconds), 1 / (taken_ + 4));
    value_ += share * (over * (n + 1) / (n - 1) - value_);
  }

  int packets_ = 0;
  double start_ = 0;
  double first_ = 0;
  double sum_ = 0;
  double least_ = 0;
  double taken_ = 0;
  double value_ = 0;
};

}  // namespace farwheel
