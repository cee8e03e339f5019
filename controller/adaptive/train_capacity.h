// The bottleneck's rate from the frames of an application-limited flow: the newest trains together,
// until they span long enough to mean something.
//
// Source: shared notes on media, section 1 ("Trains"). Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "fbe/packet_trains.h"

namespace farwheel {

class TrainCapacity {
 public:
  struct Measured {
    DataRate rate;
    // The bottleneck spread the packets: the rate is a measurement. Otherwise it is a lower bound.
    bool stretched;
  };
  void on_train(Timestamp now, const TrainSample& sample);
  // Empty while the recent trains span too little. `stretched_below`: share of the send rate.
  std::optional<Measured> measure(Timestamp now, TimeDelta noise, double stretched_below) const;
  // What the path has been shown to carry: the recent trains' common rate, if the bottleneck spread
  // almost all of them and they agree. Jitter and competing traffic spread trains too, but each to
  // another rate. Empty: no such limit is known.
  std::optional<DataRate> shown(Timestamp now, double stretched_below) const;
  void reset() { count_ = 0; }

 private:
  struct Entry {
    Timestamp at = Timestamp::infinite_past();
    DataSize size = DataSize::zero();
    TimeDelta arrival_span = TimeDelta::zero();
    TimeDelta send_span = TimeDelta::zero();
    DataSize busy_size = DataSize::zero();
    TimeDelta busy_span = TimeDelta::zero();
  };
  static constexpr std::size_t kSlots = 16;
  std::array<Entry, kSlots> ring_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

}  // namespace farwheel
