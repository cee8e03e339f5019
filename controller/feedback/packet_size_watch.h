// Notices from feedback that the path swallows packets above some size while smaller ones arrive:
// a path MTU below ours whose ICMP messages never reach us (RFC 8899 calls it a black hole). A
// bound only ever falls; what smaller packets cost is under 1 % (1000 bytes) to 5 % (576). Pure,
// not thread-safe.
#pragma once

#include <array>

#include "feedback/packet_result.h"

namespace farwheel {

class PacketSizeWatch {
 public:
  // IP packets that may be tried, the largest first: below tunnels, below odd ones, and what IPv4
  // asks of every host (RFC 791).
  static constexpr std::array<std::int64_t, 4> kSteps = {1180, 1000, 800, 576};

  // Empty `min_rtt`: not yet measured. True: the bound fell by this report, one step.
  bool on_report(const FeedbackReport& report, std::optional<TimeDelta> min_rtt);
  // Another path.
  void reset() { *this = PacketSizeWatch(); }

  // No packet above it arrives. Empty: nothing is known to vanish.
  std::optional<DataSize> bound() const { return bound_; }

 private:
  // Packets above a step that were lost, without one of them delivered in between.
  struct Run {
    int lost = 0;
    // Below the step, delivered, and sent between two of those that were lost.
    int passed = 0;
    int passed_since_lost = 0;
    Timestamp first = Timestamp::infinite_past();  // sent
    Timestamp last = Timestamp::infinite_past();
  };
  void take(const PacketResult& result, std::optional<TimeDelta> min_rtt);
  static bool proves(const Run& run);

  std::array<Run, kSteps.size()> runs_;
  bool suspects_ = false;  // a run has begun
  std::optional<DataSize> bound_;
};

}  // namespace farwheel
