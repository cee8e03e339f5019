// What arrived, on the receiver's clock: the rate over any window of the last second or so.
// Arrivals within a millisecond are one entry. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>

namespace farwheel {

class ArrivalRate {
 public:
  void on_packet(double received_at, double bytes);
  // Bytes a second over the last `window` seconds, first entry left out; zero where unknown.
  double over(double window) const;
  void reset() { count_ = 0; }

 private:
  static constexpr double kMerge = 0.001;
  static constexpr std::size_t kSlots = 1024;
  struct Entry {
    double first = 0;  // arrival that opened the entry
    double at = 0;     // newest in it
    double total = 0;  // bytes up to and with it
  };
  const Entry& newest(std::size_t back) const {
    return ring_[(next_ + kSlots - 1 - back) % kSlots];
  }

  std::array<Entry, kSlots> ring_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  double total_ = 0;
};

}  // namespace farwheel
