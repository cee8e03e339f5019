// Receiver's time of arrival less the sender's time of departure, over the last 100 ms of reports:
// the one-way delay plus the unknown offset between the two clocks (docs/stats.md, owd-raw-*).
// Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "units/time.h"

namespace farwheel {

class OwdWindow {
 public:
  struct Raw {
    std::int64_t min_ns = 0;
    std::int64_t p50_ns = 0;
  };

  void add(Timestamp reported_at, std::int64_t remote_ns, std::int64_t local_ns);
  // Of the samples reported in the 100 ms up to `now`; empty when there were none.
  std::optional<Raw> read(Timestamp now) const;
  void clear() { samples_.clear(); }

 private:
  static constexpr TimeDelta kSpan = TimeDelta::from_millis(100);
  static constexpr std::size_t kMost = 4096;
  struct Sample {
    Timestamp reported_at;
    std::int64_t raw_ns;
  };
  std::deque<Sample> samples_;
};

}  // namespace farwheel
