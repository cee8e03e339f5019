// Turns transport-wide congestion-control reports into packet results: keeps the sent history,
// unwraps 16-bit sequence numbers and the receiver's 24-bit x 64-ms clock, restores true wire
// sizes, and ages out what no report ever names. Pure; shared by the element, the lab and the
// replay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "feedback/packet_result.h"
#include "feedback/receiver_clock.h"

namespace farwheel {

// One entry of a report as the wire (or GStreamer's RTPTWCCPackets event) has it.
struct ReportedPacket {
  std::uint16_t sequence_number = 0;
  bool lost = false;
  // Receiver's clock as reported (ns; it wraps at 2^24 x 64 ms); empty where unknown.
  std::optional<std::int64_t> remote_ns;
  // Transport's own record of the send time (ns, sender's clock), where it kept one: for logs and
  // for a caller that checks its mirror of the numbers; results bear the time of on_packet_sent.
  std::optional<std::int64_t> local_ns;
};

// Counts of hostile or odd input, for stats: nothing of it is an error.
struct FeedbackCounters {
  std::int64_t reports = 0;
  std::int64_t unknown_sequence = 0;   // named a packet that is not in the history
  std::int64_t duplicate_results = 0;  // named a packet whose fate was known
  std::int64_t aged_out = 0;           // packets whose fate became kUnknown
  std::int64_t bad_times = 0;        // receiver times that cannot be (dropped: treated as unnamed)
  std::int64_t late_rescues = 0;     // reported lost or aged out first, delivered later
  std::int64_t rescued_unknown = 0;  // those of them that had aged out
};

class FeedbackAdapter {
 public:
  struct Config {
    // A packet that no report named is aged out when this old, or 4 RTT, whichever is more.
    TimeDelta min_age_out = TimeDelta::from_millis(250);
    // Packets remembered, rounded up to a power of two, at most 32768 (half of the 16-bit numbers,
    // so that unwrapping is never ambiguous); the oldest go first, as unknown.
    std::size_t max_history = 16384;
  };
  FeedbackAdapter();
  explicit FeedbackAdapter(const Config& config);

  // Registers a packet at the moment it leaves; its 16-bit number is the low half of packet.number.
  // Numbers must rise; one that does not, and a size (under 2 GB) or time that is none, is ignored
  // (false).
  bool on_packet_sent(const SentPacket& packet);

  // Matches a report against the history. `received_at` is the sender's clock. The result is the
  // adapter's own and holds until the next call that gives one: no allocation in steady state. A
  // packet may come twice: as lost or unknown first, and as delivered when a later report says so.
  // `ecn_ce_count`: newly marked packets, where the transport carries ECN.
  [[nodiscard]] const FeedbackReport& on_report(
      Timestamp received_at, std::span<const ReportedPacket> report,
      std::optional<std::int64_t> ecn_ce_count = std::nullopt);

  // A report on so many packets is about to be handled: what it is going to touch is fetched.
  void expect(std::size_t packets) const;

  // Packets that became too old without being named: kUnknown results, or an empty report. An
  // infinite RTT means that none was measured yet; then they wait for a second. Packets that a
  // later report began behind wait 30 ms: their own was lost, and they are not in flight.
  [[nodiscard]] const FeedbackReport& age_out(Timestamp now, TimeDelta smoothed_rtt);

  // The path changed: what is in flight is unknown at once, and what a report may yet say of
  // packets sent before is ignored, since it tells of another path.
  [[nodiscard]] const FeedbackReport& abandon(Timestamp now);

  DataSize bytes_in_flight() const { return in_flight_; }
  std::int64_t packets_in_flight() const { return packets_in_flight_; }
  // The first that a report is expected to name.
  PacketNumber oldest_number() const { return oldest_; }
  // Send time of the oldest packet whose fate is unknown; empty if none.
  std::optional<Timestamp> oldest_in_flight() const;
  const FeedbackCounters& counters() const { return counters_; }

 private:
  enum class State : std::uint8_t { kFree, kInFlight, kDelivered, kLost, kUnknown, kAbandoned };
  // A SentPacket in half a cache line: histories of many controllers do not stay in caches.
  struct Entry {
    PacketNumber number = 0;
    Timestamp sent_at = Timestamp::infinite_past();
    std::int32_t bytes = 0;
    FeedId feed = 0;
    State state = State::kFree;
    bool is_probe = false;
    SentPacket packet() const {
      return {number, DataSize::from_bytes(bytes), feed, sent_at, is_probe};
    }
  };
  static_assert(sizeof(Entry) == 32);

  Entry& slot(PacketNumber number);
  const Entry& slot(PacketNumber number) const;
  Entry* find(std::uint16_t sequence_number);
  void begin_report(Timestamp at);
  void settle(Entry& entry, State state);
  void give_up(Entry& entry, State state);
  void skip_settled();
  void take_lost(Entry& entry);
  void take_delivered(Entry& entry, Timestamp arrival, TimeDelta rtt);

  Config config_;
  std::vector<Entry> history_;  // ring, indexed by the low bits of the number
  std::uint64_t mask_;
  ReceiverClock clock_;
  FeedbackCounters counters_;
  FeedbackReport report_;
  std::vector<PacketResult> evicted_;  // pushed out of the history before any report named them
  struct Arrival {
    Entry* entry;
    Timestamp at;
  };
  std::vector<Arrival> arrivals_;  // of the report in hand
  DataSize in_flight_ = DataSize::zero();
  std::int64_t packets_in_flight_ = 0;
  std::optional<PacketNumber> newest_;
  PacketNumber oldest_ = 0;  // oldest in flight, where any is
  // A report began with this number while older ones were in flight, first so at that time.
  PacketNumber passed_ = 0;
  Timestamp passed_at_ = Timestamp::infinite_future();
};

}  // namespace farwheel
