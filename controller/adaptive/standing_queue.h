// The queue that stands at the bottleneck, from one-way delays on the receiver's clock: the least
// delay of a window less the least of ten seconds. A minimum is blind to jitter and to our own
// bursts, and the way back does not enter. Also the rate at which packets arrive over a window and
// a measure of delay noise. Not thread-safe.
//
// Invariant: one-way delays here hold an unknown clock offset; only their differences mean
// anything. Source: shared notes on real links, section 2 (windowed minimum).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>

#include "path/bucketed_extremum.h"
#include "units/data.h"
#include "units/prefetch.h"

namespace farwheel {

class StandingQueue {
 public:
  explicit StandingQueue(TimeDelta base_window);

  struct Packet {
    Timestamp sent_at = Timestamp::infinite_past();
    Timestamp received_at = Timestamp::infinite_past();
    DataSize size = DataSize::zero();
    // Left right behind another of an application-limited flow: its wait behind that one is no
    // noise of the path.
    bool behind_own = false;
  };
  void on_packet(const Packet& packet);
  // The path is another one.
  void reset();
  // The base is kept, however old: what stands now is another's queue.
  void hold_base(bool held) { base_held_ = held; }
  // What stands now is taken for the path's own delay (a longer route).
  void rebase();

  struct Window {
    int packets = 0;
    TimeDelta span = TimeDelta::zero();   // first to last arrival
    TimeDelta queue = TimeDelta::zero();  // least delay over base
    TimeDelta first_queue = TimeDelta::zero();
    TimeDelta last_queue = TimeDelta::zero();
    DataRate rate = DataRate::zero();  // without the first packet; zero for fewer than two
  };
  // The last `length` of arrivals, not reaching behind a gap in the path's service.
  Window over(TimeDelta length) const;
  // Delay noise that no queue of ours explains: mean over minimum in short windows, smoothed.
  TimeDelta noise() const { return TimeDelta::from_nanos(static_cast<std::int64_t>(noise_ns_)); }
  bool measured() const { return count_ > 0; }
  // Packets are about to come.
  void expect(std::size_t packets) const {
    prefetch(this, 512);
    prefetch(&ring_[next_], std::min(packets, kInBlock) * sizeof(Arrival));
  }

 private:
  struct Arrival {
    Timestamp at = Timestamp::infinite_past();
    TimeDelta owd = TimeDelta::zero();
    DataSize size = DataSize::zero();
  };
  // Sixteen arrivals in one: a window is walked by these, and by arrivals at its ends alone.
  struct Block {
    Timestamp earliest = Timestamp::infinite_future();
    TimeDelta least_owd = TimeDelta::infinite();
    DataSize size = DataSize::zero();
  };
  std::size_t slot_of(std::size_t back) const { return (next_ + kSlots - 1 - back) % kSlots; }
  const Arrival& newest() const { return ring_[slot_of(0)]; }
  void add(const Arrival& arrival);
  void take_noise(Timestamp received_at, TimeDelta queue);

  static constexpr std::size_t kSlots = 512;
  static constexpr std::size_t kInBlock = 16;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  Timestamp gap_end_ = Timestamp::infinite_past();
  TimeDelta base_window_;
  bool base_held_ = false;
  BucketedExtremum<TimeDelta, std::less<>, 20> base_;

  double noise_ns_ = 0;
  double noise_weight_ = 0;
  int noise_packets_ = 0;
  double noise_sum_ns_ = 0;
  TimeDelta noise_least_ = TimeDelta::infinite();
  Timestamp noise_start_ = Timestamp::infinite_past();

  std::array<Block, kSlots / kInBlock> blocks_;
  std::array<Arrival, kSlots> ring_;
};

// How far back to look: about the same number of packets at every rate.
TimeDelta standing_window(DataRate rate, DataSize mss, TimeDelta noise);

}  // namespace farwheel
