// What became of every frame and sweep, and of every packet that arrived: what a vehicle and its
// receiver write down, and what the figures are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pacing/feed_queues.h"
#include "units/time.h"

namespace farwheel::lab::media {

// A frame or a sweep.
struct Unit {
  Timestamp captured = Timestamp::infinite_past();
  Timestamp complete = Timestamp::infinite_future();  // its last byte at the receiver
  Timestamp shown = Timestamp::infinite_future();     // and that of all that it needs
  std::int64_t first_packet = 0;                      // its feed's number of it
  std::int32_t packets = 0;
  std::int32_t missing = 0;
  bool is_key = false;
};

struct FeedLog {
  std::string name;
  FeedKind kind = FeedKind::kCamera;
  std::vector<Unit> units;
  std::int64_t delivered_bytes = 0;
  std::int64_t dropped_units = 0;  // by us
  std::int64_t key_frames_requested = 0;
  std::int64_t key_frames_sent = 0;
};

// A camera's or radar's packet at the receiver, for the first time.
struct PacketArrival {
  Timestamp at;
  TimeDelta owd;  // socket to socket; infinite: not known
  std::int32_t bytes;
  FeedId feed;
};

struct VehicleLog {
  std::vector<FeedLog> feeds;
  std::vector<PacketArrival> arrivals;
};

}  // namespace farwheel::lab::media
