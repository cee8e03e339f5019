// From a known capacity to the rate that is ours: what the verifying train's arrivals say of cross
// traffic, and the queue that stands, steer the rate for a few rounds. Both are looked at over
// epochs of about half a round trip. Not thread-safe.
//
// Source: FBE (abstract) for the idea of steering by a queue after the estimate; the law is that of
// the shared notes on the lab's scenarios, section 7, steps 2 and 3.
#pragma once

#include "feedback/packet_result.h"

namespace farwheel {

class RateSteering {
 public:
  struct Path {
    TimeDelta min_rtt;
    DataSize mss;
    TimeDelta noise;  // delay that no queue of ours explains
  };
  struct Start {
    DataRate capacity;
    DataRate available;  // a first guess; others' share of it is then measured
    DataRate rate;
  };
  // Packets sent from then on are the train and what follows it.
  void start(Timestamp now, const Start& start);
  // `queue`: the packet's own delay over the path's base.
  void on_delivered(const PacketResult& result, TimeDelta queue);
  // The report is over; an epoch may have ended with it.
  void on_report(const Path& path);

  DataRate rate() const { return rate_; }
  DataRate capacity() const { return capacity_; }
  // What others leave us, as far as is known.
  DataRate available() const { return available_; }
  int epochs() const { return epochs_; }
  // Enough packets in a round trip for others' share of them to be no chance.
  static bool tells_shares(DataRate capacity, TimeDelta min_rtt, DataSize mss);
  // Others were seen: the window steers, at a pace above what is ours.
  bool shares() const { return !several_ && available_ < capacity_; }
  // Nothing of others was seen, and no queue stood in the newest epoch.
  bool idles() const { return !several_ && !busy_ && available_ >= capacity_; }
  // The queue that may stand beside others, so that the link idles in no pause of theirs: their
  // packets vary by the root of their number.
  TimeDelta standing_queue(TimeDelta min_rtt, DataSize mss) const;

 private:
  struct Epoch {
    Timestamp first_sent = Timestamp::infinite_past();
    Timestamp last_sent = Timestamp::infinite_past();
    Timestamp first_arrival = Timestamp::infinite_past();
    Timestamp last_arrival = Timestamp::infinite_past();
    DataSize size = DataSize::zero();  // without the first packet
    TimeDelta least_queue = TimeDelta::infinite();
    int packets = 0;
  };
  void take(const Epoch& epoch, const Path& path, TimeDelta length);

  Timestamp since_ = Timestamp::infinite_future();
  DataRate capacity_ = DataRate::zero();
  DataRate available_ = DataRate::zero();
  DataRate rate_ = DataRate::zero();
  Epoch epoch_;
  int epochs_ = 0;
  // Several start at once: they would wait for one another's windows.
  bool several_ = false;
  bool busy_ = true;
};

}  // namespace farwheel
