// How long a station waits for a packet that is missing. Its jitter buffers pass on at once what is
// in order, so that waiting delays only what comes after a gap and needs it: as long as a
// retransmission is sooner than a key frame would be, and no longer. Pure, not thread-safe.
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

  // Again and again, monotonic times in ns; `last_packet` 0: none yet. Nothing that a silent path
  // swallowed is waited for when it, or another, is back. True: wait_ms() is another now.
  bool on_tick(std::int64_t now, std::int64_t last_packet);

  // From when the packet was due until it is given up.
  unsigned wait_ms() const { return skips_ ? least_ms_ : wait_ms_; }
  // From a request until the next one for the same packet.
  unsigned retry_ms() const { return retry_ms_; }

 private:
  void decide();

  unsigned least_ms_;
  double rtt_ms_ = 0;  // smoothed; 0: none yet
  double decided_for_ms_ = 0;
  unsigned wait_ms_ = 0;
  unsigned retry_ms_ = 0;
  bool skips_ = false;
  std::int64_t back_since_ = 0;  // 0: silent
};

}  // namespace farwheel
