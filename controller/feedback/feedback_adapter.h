// Turns transport-wide congestion-control reports into packet results: keeps the sent history,
// unwraps 16-bit sequence numbers and the receiver's 24-bit x 64-ms clock, restores true wire sizes,
// and ages out what no report ever names. Pure; shared by the element, the lab and the replay.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "feedback/packet_result.h"

namespace farwheel {

// One entry of a report as the wire (or GStreamer's RTPTWCCPackets event) has it.
struct ReportedPacket {
  std::uint16_t sequence_number = 0;
  bool lost = false;
  // Receiver's clock as reported (ns; it wraps at 2^24 x 64 ms); empty where unknown.
  std::optional<std::int64_t> remote_ns;
  // Sender's own record of the send time (ns, sender's clock) where the transport kept one.
  std::optional<std::int64_t> local_ns;
};

// Counts of hostile or odd input, for stats: nothing of it is an error.
struct FeedbackCounters {
  std::int64_t reports = 0;
  std::int64_t unknown_sequence = 0;   // named a packet that is not in the history
  std::int64_t duplicate_results = 0;  // named a packet whose fate was known
  std::int64_t aged_out = 0;           // packets whose fate became kUnknown
  std::int64_t bad_times = 0;          // receiver times that cannot be (dropped: treated as unnamed)
  std::int64_t late_rescues = 0;       // reported lost first, delivered later
};

class FeedbackAdapter {
 public:
  struct Config {
    // A packet that no report named is aged out when this old, or 4 RTT, whichever is more.
    TimeDelta min_age_out = TimeDelta::from_millis(250);
    // The most packets remembered; the oldest go first, as unknown.
    std::size_t max_history = 16384;
  };
  FeedbackAdapter();
  explicit FeedbackAdapter(const Config& config);

  // Registers a packet at the moment it leaves; its 16-bit number is the low half of packet.number.
  // Numbers must rise; one that does not is ignored (returns false).
  bool on_packet_sent(const SentPacket& packet);

  // Matches a report against the history. `received_at` is the sender's clock.
  [[nodiscard]] FeedbackReport on_report(Timestamp received_at, std::span<const ReportedPacket>);

  // Packets that became too old without being named: kUnknown results, or an empty report.
  [[nodiscard]] FeedbackReport age_out(Timestamp now, TimeDelta smoothed_rtt);

  DataSize bytes_in_flight() const;
  // Send time of the oldest packet whose fate is unknown; empty if none.
  std::optional<Timestamp> oldest_in_flight() const;
  const FeedbackCounters& counters() const;

 private:
  struct Entry;
  // (implementer's)
};

}  // namespace farwheel
