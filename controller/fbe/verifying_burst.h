// A short burst at twice an estimated rate that asks whether the path carries more: what is at the
// estimate leaves it no faster than that, and what is faster shows it. The packets after it leave
// at half the rate, so that the mean is the estimate's and the queue it makes, half of its packets
// for one pass, is gone when it ends. A radio that sends single frames while none wait, and many at
// once when they do, needs it: its intervals are no service times of the loaded link.
// Not thread-safe.
//
// Source: ours; the notes on congestion control, section 2.1 (a train that verifies the estimate).
#pragma once

#include <optional>

#include "feedback/packet_result.h"

namespace farwheel {

class VerifyingBurst {
 public:
  // The next packet begins a burst over `estimate`.
  void arm(DataRate estimate);
  void on_packet_sent(const SentPacket& packet);
  void on_result(const PacketResult& result);

  bool under_way() const { return armed_; }
  // Factor on the rate at which the next packet leaves.
  double pace_gain() const;
  // Of the burst, beyond what the rate alone has in flight.
  DataSize ahead(DataSize mss) const;
  // The rate that the burst came through at, where it is surely over the estimate: once, when its
  // last packet has been heard of. Empty otherwise.
  std::optional<DataRate> take_shown();

 private:
  DataRate estimate_ = DataRate::zero();
  bool armed_ = false;
  int sent_ = 0;
  int settled_ = 0;
  PacketNumber first_ = 0;
  PacketNumber last_ = 0;
  Timestamp first_arrival_ = Timestamp::infinite_past();
  Timestamp last_arrival_ = Timestamp::infinite_past();
  Timestamp last_sent_at_ = Timestamp::infinite_past();
  Timestamp first_sent_at_ = Timestamp::infinite_past();
  DataSize arrived_ = DataSize::zero();  // without the first
  bool whole_ = true;
};

}  // namespace farwheel
