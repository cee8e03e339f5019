// Makes one continuous time line of the receiver's clock as transport-wide reports carry it: a
// 24-bit count of 64 ms that wraps after 12.4 days and begins anywhere
// (draft-holmer-rmcat-transport-wide-cc-extensions-01, section 3.1). Pure, not thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "units/time.h"

namespace farwheel {

class ReceiverClock {
 public:
  // 2^24 x 64 ms.
  static constexpr TimeDelta kPeriod = TimeDelta::from_nanos(16777216LL * 64000000LL);

  struct Reading {
    std::int64_t raw_ns;    // as reported; any number
    Timestamp sent_at;      // sender's clock
    Timestamp reported_at;  // sender's clock
  };

  // The reading on the continuous line, or nothing if it cannot be: one-way delay may not change by
  // more than the packets concerned were under way, and a second. A receiver whose clock jumped
  // for good is believed after 32 readings that agree over 200 ms of send time; the line goes on
  // from there at the delay last seen.
  std::optional<Timestamp> read(const Reading& reading);

 private:
  bool accept_jump(const Reading& reading, std::int64_t raw);

  struct Anchor {
    std::int64_t raw;  // in [0, period)
    Timestamp time;    // the same moment on the line
    TimeDelta delay;   // line minus sender's clock; holds the unknown offset
    TimeDelta slack;   // how long the packet that set it was under way at most
  };
  std::optional<Anchor> anchor_;

  // A jump that has yet to prove itself.
  struct Jump {
    TimeDelta delay;
    Timestamp first_sent;
    int readings;
  };
  std::optional<Jump> jump_;
};

}  // namespace farwheel
