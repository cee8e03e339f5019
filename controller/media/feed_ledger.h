// What each feed produces, sends and is asked for, over the last second or two, and the targets
// that follow from it. Pure, not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "controller_types.h"
#include "media/media_targets.h"
#include "media/windowed_sum.h"
#include "pacing/feed_queues.h"

namespace farwheel {

class FeedLedger {
 public:
  void set_feed(FeedId feed, const FeedConfig& config);
  void remove_feed(FeedId feed);

  void on_queued(Timestamp now, const QueuedPacket& packet);
  void on_sent(Timestamp now, const SentPacket& packet);
  void on_key_request(FeedId feed);

  // Targets under this budget; its payload share is filled in from the packets seen.
  void targets(Timestamp now, MediaBudget budget, const FeedQueues& queues,
               std::vector<FeedTarget>& targets) const;

  // True if the cameras take clearly less than their targets, or are at their maxima: more
  // bandwidth would change nothing.
  bool cameras_are_the_limit(Timestamp now, std::span<const FeedTarget> targets,
                             DataRate max_sum) const;
  FeedSnapshot snapshot(Timestamp now, FeedId feed, const FeedQueues& queues) const;

 private:
  struct Feed {
    FeedId id;
    FeedConfig config;
    WindowedSum queued{TimeDelta::from_seconds(1)};   // bytes on the wire, without what is resent
    WindowedSum packets{TimeDelta::from_seconds(1)};  // the same packets, counted
    WindowedSum sent{TimeDelta::from_seconds(1)};     // bytes on the wire
    WindowedSum radar{TimeDelta::from_seconds(2)};    // bytes; longer, for sweeps are few
    std::int64_t packets_sent = 0;
    std::int64_t key_frames_requested = 0;
  };
  Feed* find(FeedId id);
  const Feed* find(FeedId id) const;
  double share(Timestamp now) const;

  std::vector<Feed> feeds_;
  // Reused by targets(), which is logically const.
  mutable std::vector<RadarDemand> radars_;
  mutable std::vector<CameraDemand> cameras_;
};

}  // namespace farwheel
