// What is known of each unit (coded picture) on its way through the decoder, found again by its
// presentation time: decoders keep that, but not every one keeps metas. Bounded; the oldest leave.
// Threads: any.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "backend/video_frame.h"

namespace farwheel::station {

class UnitLedger {
 public:
  struct Entry {
    std::uint64_t pts = 0;
    Nanoseconds arrived_at = 0;
    std::optional<CaptureTime> capture;
  };
  static constexpr std::size_t kCapacity = 256;

  void enter(const Entry& entry);
  // The newest entry with this time.
  std::optional<Entry> find(std::uint64_t pts) const;

 private:
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
};

}  // namespace farwheel::station
