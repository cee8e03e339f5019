// How long a station waits for a packet that is missing. Its jitter buffers pass on at once what is
// in order, so that waiting delays only what comes after a gap: as long as a retransmission can
// still bring a frame in time, and no longer. Pure, not thread-safe.
//
// Source: ours; the round trip's bounds as in RFC 4588 section 6 (a retransmission must be useful).
#pragma once

#include <cstdint>

namespace farwheel {

class RepairWait {
 public:
  // Never shorter: a packet may be overtaken by others.
  explicit RepairWait(unsigned least_ms) : least_ms_(least_ms) { decide(); }

  // A round trip that was measured, in ns. True: wait_ms() or retry_ms() is another now.
  bool on_round_trip(std::int64_t rtt_ns);

  // From when the packet was due until it is given up.
  unsigned wait_ms() const { return wait_ms_; }
  // From a request until the next one for the same packet.
  unsigned retry_ms() const { return retry_ms_; }

 private:
  void decide();

  unsigned least_ms_;
  double rtt_ms_ = 0;  // smoothed; 0: none yet
  double decided_for_ms_ = 0;
  unsigned wait_ms_ = 0;
  unsigned retry_ms_ = 0;
};

}  // namespace farwheel
