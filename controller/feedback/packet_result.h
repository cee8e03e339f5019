// What is known about packets on the wire: a packet as it was sent, and what feedback said of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "units/data.h"

namespace farwheel {

// Names one feed (camera, radar) inside one controller. Given out by the caller, dense from 0.
using FeedId = std::uint32_t;

// The transport-wide sequence number, unwrapped: it never repeats in the life of a session.
using PacketNumber = std::int64_t;

struct SentPacket {
  PacketNumber number;
  // Everything that occupies the link: IP, UDP, RTP with extensions, SRTP tag, payload.
  DataSize size;
  FeedId feed;
  // Sender's clock.
  Timestamp sent_at;
  // True for a packet sent for its arrival alone (probe padding or a repeated packet).
  bool is_probe = false;
};

// What became of one sent packet.
struct PacketResult {
  enum class Fate {
    kDelivered,
    kLost,     // a report named it as not received
    kUnknown,  // no report ever named it; neither delivered nor lost
  };
  SentPacket packet;
  Fate fate = Fate::kUnknown;
  // Receiver's clock, 250-us steps, unwrapped; infinite_past() unless delivered.
  Timestamp received_at = Timestamp::infinite_past();
  // Round trip net of the receiver's wait before it reported (feedback time − send − (newest
  // arrival − this arrival)); infinite unless delivered.
  TimeDelta rtt = TimeDelta::infinite();
};

// One report's worth of results, in order of packet number.
struct FeedbackReport {
  // Sender's clock: when the report came.
  Timestamp received_at = Timestamp::infinite_past();
  std::vector<PacketResult> packets;
  // Newly ECN-CE-marked packets; absent where the transport carries no ECN (transport-wide cc).
  std::optional<std::int64_t> ecn_ce_count;
};

}  // namespace farwheel
