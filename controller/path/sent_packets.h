// What the model remembers of each packet on the wire until its fate is known: the connection's
// state at the moment the packet left. A ring indexed by packet number; it grows while packets of a
// window collide and is bounded. Not thread-safe.
//
// Source: draft-ietf-ccwg-bbr-06, section 4.1.2 (delivery rate samples).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "feedback/packet_result.h"
#include "units/prefetch.h"

namespace farwheel {

// One cache line; the packet's size and time come with its result.
struct SentState {
  enum class Status : std::uint8_t { kEmpty, kInFlight, kLost };
  PacketNumber number = 0;
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
  Status status = Status::kEmpty;
  bool is_app_limited = false;
};
static_assert(sizeof(SentState) <= 64);

class SentPackets {
 public:
  SentPackets();

  // The place of a packet that leaves, for the caller to fill in.
  SentState& add(PacketNumber number);
  // Null when the packet was never seen, is settled, or gave its place to a newer one.
  SentState* find(PacketNumber number);
  void clear();
  // The states of so many packets from this one on are about to be asked for.
  void expect(PacketNumber first, std::size_t packets) const {
    prefetch(&ring_[slot_of(first)], std::min(packets, kMostExpected) * sizeof(SentState));
  }

 private:
  static constexpr std::size_t kMostExpected = 16;

  std::size_t slot_of(PacketNumber number) const;
  void grow();

  std::vector<SentState> ring_;
};

}  // namespace farwheel
