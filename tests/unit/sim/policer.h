// A token bucket without a queue: what finds too few tokens does not pass.
#pragma once

#include <algorithm>

#include "units/data.h"

namespace farwheel::sim {

class Policer {
 public:
  // A bucket of nothing lets everything pass.
  Policer(DataRate rate, DataSize bucket) : rate_(rate), bucket_(bucket), tokens_(bucket) {}

  bool passes(Timestamp now, DataSize size) {
    if (bucket_.is_zero()) return true;
    const DataSize earned = rate_ * (now - filled_at_);
    // Filled in steps that lose no fraction worth speaking of.
    if (earned >= DataSize::from_bytes(64)) {
      tokens_ = std::min(bucket_, tokens_ + earned);
      filled_at_ = now;
    }
    if (tokens_ < size) return false;
    tokens_ -= size;
    return true;
  }

 private:
  DataRate rate_;
  DataSize bucket_;
  DataSize tokens_;
  Timestamp filled_at_ = Timestamp::from_nanos(0);
};

}  // namespace farwheel::sim
