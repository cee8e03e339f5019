// Delay noise of the path of an application-limited flow: how far the one-way delays of packets
// that had nothing of ours before them lie over the least of them. Packets behind their own frame,
// or behind a flight that fills the path, wait for us and say nothing. Not thread-safe.
//
// Source: shared notes on media, section 1 ("State") and pitfall 4.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "units/data.h"

namespace farwheel {

class FrameNoise {
 public:
  // One-way delay with the receiver's clock; only differences count.
  void on_packet(TimeDelta owd) {
    ring_[next_] = owd.ns();
    next_ = (next_ + 1) % kPackets;
    count_ = std::min(count_ + 1, kPackets);
  }
  // Once in 100 ms: sorts. `packet_time` of the bottleneck is nobody's noise.
  void update(TimeDelta packet_time) {
    if (count_ < kLeastPackets) return;
    std::array<std::int64_t, kPackets> sorted = ring_;
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto high = sorted.begin() + static_cast<std::ptrdiff_t>(count_ * 4 / 5);
    std::nth_element(sorted.begin(), high, end);
    const std::int64_t least = *std::min_element(sorted.begin(), end);
    value_ = std::clamp(TimeDelta::from_nanos(*high) - TimeDelta::from_nanos(least) - packet_time,
                        TimeDelta::zero(), kMost);
  }
  TimeDelta value() const { return value_; }

 private:
  static constexpr std::size_t kPackets = 50;
  static constexpr std::size_t kLeastPackets = 10;
  static constexpr TimeDelta kMost = TimeDelta::from_millis(30);

  std::array<std::int64_t, kPackets> ring_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  TimeDelta value_ = TimeDelta::zero();
};

}  // namespace farwheel
