// Splits what the path gives among the feeds: radar's measured rate first, then each camera's
// minimum, then the rest by weight up to each one's maximum. Pure functions.
#pragma once

#include <span>
#include <vector>

#include "controller_types.h"
#include "units/data.h"

namespace farwheel {

struct RadarDemand {
  FeedId feed;
  DataRate measured;  // on the wire
};

struct CameraDemand {
  FeedId feed;
  double weight;
  DataRate min;  // of the encoder's output
  DataRate max;
  DataSize backlog;  // queued bytes that the pacer was too slow for
};

struct MediaBudget {
  DataRate path;  // what the path carries, on the wire
  DataRate min;   // bounds of the sum of the targets
  DataRate max;
  double payload_share = 1;                   // encoder bytes in a byte on the wire
  DataSize network_queue = DataSize::zero();  // ours, standing in the network
  // Backlog and standing queue are to be gone after this time.
  TimeDelta drain_time = TimeDelta::from_millis(170);
};

// One target a feed, radar feeds (their measured rate) before cameras. A camera's target is never
// below its minimum, even where the sum then exceeds the path: its encoder could not obey.
void split_budget(const MediaBudget& budget, std::span<const RadarDemand> radars,
                  std::span<const CameraDemand> cameras, std::vector<FeedTarget>& targets);

// Encoder bytes in a byte on the wire for packets of this mean size: headers, extensions, SRTP tag.
double payload_share(DataSize mean_packet);

}  // namespace farwheel
