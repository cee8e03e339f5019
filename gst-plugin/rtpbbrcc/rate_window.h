// What passed of late, as a rate. Pure, not thread-safe.
#pragma once

#include <cstdint>

#include "units/data.h"
#include "units/time.h"

namespace farwheel {

// Bytes in slots of 100 ms over the last second.
class RateWindow {
 public:
  void add(Timestamp now, std::int64_t bytes);
  DataRate rate(Timestamp now) const;

 private:
  static constexpr std::int64_t kSlotNs = 100000000;
  static constexpr std::int64_t kSlots = 10;
  std::int64_t bytes_[kSlots + 1] = {};
  std::int64_t slot_[kSlots + 1] = {};
};

}  // namespace farwheel
