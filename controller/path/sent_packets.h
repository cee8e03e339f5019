// What the model remembers of each packet on the wire until its fate is known: the connection's
// state at the moment the packet left. A ring indexed by packet number; it grows while packets of a
// window collide and is bounded. Not thread-safe.
//
// Source: draft-ietf-ccwg-bbr-06, section 4.1.2 (delivery rate samples).
#pragma once

#include <cstddef>
#include <vector>

#include "feedback/packet_result.h"

namespace farwheel {

struct SentState {
  enum class Status { kEmpty, kInFlight, kLost };
  Status status = Status::kEmpty;
  PacketNumber number = 0;
  DataSize size = DataSize::zero();
  Timestamp sent_at = Timestamp::infinite_past();
  // Totals of the connection when the packet left.
  DataSize delivered = DataSize::zero();
  DataSize lost = DataSize::zero();
  DataSize marked = DataSize::zero();
  // In flight with this packet.
  DataSize tx_in_flight = DataSize::zero();
  // Receiver's clock: the newest arrival known when the packet left; infinite_past() after idle.
  Timestamp delivered_time = Timestamp::infinite_past();
  // Sender's clock: when the packet left that was newest delivered at the time.
  Timestamp first_send_time = Timestamp::infinite_past();
  bool is_app_limited = false;
};

class SentPackets {
 public:
  SentPackets();

  void add(const SentState& state);
  // Null when the packet was never seen, is settled, or gave its place to a newer one.
  SentState* find(PacketNumber number);
  void clear();

 private:
  std::size_t slot_of(PacketNumber number) const;
  void grow();

  std::vector<SentState> ring_;
};

}  // namespace farwheel
