// The packets that wait for the pacer, one queue a feed: radar before cameras, bounded by time, whole
// frames dropped, a key frame never for the sake of a delta frame. Holds descriptors; the caller
// keeps the packets themselves under the token it gave.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "feedback/packet_result.h"
#include "units/data.h"

namespace farwheel {

enum class FeedKind { kCamera, kRadar };

enum class FrameKind {
  kKey,             // decodable alone
  kDelta,           // needs the frames before it
  kSweep,           // a radar sweep: decodable alone, stale quickly
  kRetransmission,  // a packet asked for again
};

struct FeedConfig {
  FeedKind kind = FeedKind::kCamera;
  // Share of what is left after the radar and the minima, relative to the other cameras. > 0.
  double weight = 1;
  DataRate min_bitrate = DataRate::from_kbps(150);
  DataRate max_bitrate = DataRate::from_mbps(8);
  // A unit that waited longer than this is dropped whole.
  TimeDelta max_queue_time = TimeDelta::from_millis(300);
};

struct QueuedPacket {
  // The caller's handle; given back exactly once, by next packet or by a drop.
  std::uint64_t token = 0;
  FeedId feed = 0;
  DataSize size = DataSize::zero();
  FrameKind kind = FrameKind::kDelta;
  // Last packet of its frame or sweep (RTP marker).
  bool ends_unit = false;
  Timestamp queued_at = Timestamp::infinite_past();
};

// What the queues gave up, and whether the feed needs a key frame because of it.
struct Drops {
  std::vector<std::uint64_t> tokens;
  std::vector<FeedId> needs_key_frame;
};

}  // namespace farwheel
