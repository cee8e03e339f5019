// The first window as a train: it leaves back to back, and the intervals at which it arrives are
// the bottleneck's service times. Two clocks time an arrival: the receiver's stamp (250-us steps)
// and the moment the report of that packet alone came back. Where the two differ by no more than
// the stamp's rounding over the whole train, the way back added nothing and the finer one counts;
// else the stamp, with its rounding carried through as an interval. Not thread-safe.
//
// Source: FBE ("Small Chunks can Talk", abstract: the effective ACK's returning rate, ACK interval
// compensation); steps from the shared notes on the lab's scenarios, section 7, and on real links,
// section 3. The clocks' check and the interval arithmetic are ours.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "feedback/packet_result.h"

namespace farwheel {

class FirstTrain {
 public:
  struct Capacity {
    DataRate rate = DataRate::zero();
    // Sure within the clock's resolution; equal to the rate where that is fine.
    DataRate least = DataRate::zero();
    // All intervals fit one rate: nothing of others came between.
    bool uniform = false;
  };

  void on_delivered(const PacketResult& result, Timestamp heard_at);
  std::size_t packets() const { return count_; }
  // Empty: too few packets, or arrivals in clusters (uplink grants, aggregates) whose intervals are
  // not service times.
  std::optional<Capacity> capacity() const;

 private:
  struct Arrival {
    Timestamp sent_at = Timestamp::infinite_past();
    Timestamp stamp = Timestamp::infinite_past();
    Timestamp heard_at = Timestamp::infinite_past();
    DataSize size = DataSize::zero();
  };
  // The reports' own times are as good as the stamps, and finer.
  bool heard_times_hold() const;
  Timestamp arrival(std::size_t k, bool by_heard) const {
    return by_heard ? arrivals_[k].heard_at : arrivals_[k].stamp;
  }
  std::optional<Capacity> by_quartile() const;
  std::optional<Capacity> by_bounds() const;
  // Rate of the arrivals that follow the first instant.
  DataRate mean_rate(bool by_heard) const;

  static constexpr std::size_t kMost = 32;
  std::array<Arrival, kMost> arrivals_{};
  std::size_t count_ = 0;
};

}  // namespace farwheel
