// What a sender that knows the future could do on the same link: the limit that figures are read
// against. It ignores jitter and random loss. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "media/link_capacity.h"
#include "media/media_config.h"

namespace farwheel::lab::media {

struct Oracle {
  // Least share of frames not complete in 300 ms: cameras at their minimum, without key frames or
  // dependences, each frame sent only if it will be in time; radar in the same queue.
  double over_300 = 0;
  // Payload deliverable of cameras at their maximum with the radar, nothing older than 275 ms.
  std::int64_t delivered_bytes = 0;
  // Radar alone on the link.
  std::optional<double> radar_p99_ms;
};

// For the first vehicle's path and feeds; cameras of all vehicles.
Oracle ask_oracle(const MediaConfig& config, const LinkCapacity& capacity);

// Times from which the link offers no delivery for 275 ms: units captured then can't be in time,
// whoever sends. In order, apart.
struct Outage {
  Timestamp from;
  Timestamp to;
};
std::vector<Outage> find_outages(const LinkCapacity& capacity, double duration_s);
bool is_in_outage(const std::vector<Outage>& outages, Timestamp at);

}  // namespace farwheel::lab::media
