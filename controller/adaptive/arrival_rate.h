// What arrived, on the receiver's clock: the rate over any window of the last second or so.
// Arrivals within a millisecond are one entry. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "units/prefetch.h"

namespace farwheel {

class ArrivalRate {
 public:
  void on_packet(double received_at, double bytes);
  // Bytes a second over the last `window` seconds, first entry left out; zero where unknown.
  double over(double window) const;
  void reset() { count_ = 0; }
  // Packets are about to come.
  void expect(std::size_t packets) const {
    prefetch(&ring_[next_], std::min<std::size_t>(packets, 16) * sizeof(Entry));
  }

 private:
  static constexpr double kMerge = 0.001;
  static constexpr std::size_t kSlots = 1024;
  struct Entry {
    double at = 0;     // newest arrival in it
    double total = 0;  // bytes up to and with it
  };
  const Entry& newest(std::size_t back) const {
    return ring_[(next_ + kSlots - 1 - back) % kSlots];
  }

  std::size_t next_ = 0;
  std::size_t count_ = 0;
  double total_ = 0;
  double first_ = 0;  // arrival that opened the newest entry
  std::array<Entry, kSlots> ring_{};
};

}  // namespace farwheel
