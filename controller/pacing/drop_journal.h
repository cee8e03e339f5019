// What the queues gave up, kept until the caller asks: tokens to free, key frames to ask for, and
// events that a log can bear. Pure, not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "controller_types.h"
#include "pacing/feed_queues.h"

namespace farwheel {

class DropJournal {
 public:
  DropJournal();
  // Takes over what is in `drops` and empties it; events go to the end of `events`.
  void take(Timestamp now, Drops& drops, std::vector<ControllerEvent>& events);

  std::vector<std::uint64_t> take_tokens();
  std::vector<FeedId> take_key_frame_requests();

 private:
  void count(const DroppedPacket& packet);
  void report(Timestamp now, std::vector<ControllerEvent>& events);

  std::vector<std::uint64_t> tokens_;
  std::vector<FeedId> requests_;
  std::vector<FramesDropped> unreported_;
  Timestamp reported_at_ = Timestamp::infinite_past();
};

}  // namespace farwheel
