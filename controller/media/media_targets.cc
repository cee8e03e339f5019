#include "media/media_targets.h"

#include <algorithm>
#include <cstddef>

namespace farwheel {
namespace {

// IPv4 20, UDP 8, RTP 12, one-byte extensions with a transport number and a capture time 16, FU-A
// 2, SRTP tag 10; without a byte for the few packets that bear less.
constexpr double kOverheadBytes = 68;

bool fits(const CameraDemand& camera, DataRate level_per_weight) {
  return level_per_weight * camera.weight < camera.max - camera.min;
}

}  // namespace

double payload_share(DataSize mean_packet) {
  const auto bytes = static_cast<double>(mean_packet.bytes());
  if (bytes <= 0) return 1;
  return std::clamp((bytes - kOverheadBytes) / bytes, 0.5, 1.0);
}

void split_budget(const MediaBudget& budget, std::span<const RadarDemand> radars,
                  std::span<const CameraDemand> cameras, std::vector<FeedTarget>& targets) {
  targets.clear();
  DataRate radar = DataRate::zero();
  for (const RadarDemand& demand : radars) {
    radar += demand.measured;
    targets.push_back({demand.feed, demand.measured});
  }
  const DataRate low = std::max(budget.min - radar, DataRate::zero());
  const DataRate high = std::max(budget.max - radar, DataRate::zero());
  const DataRate left = std::max(budget.path - radar, DataRate::zero()) * budget.payload_share;
  DataRate spare = std::clamp(left, low, std::max(low, high));
  double weights = 0;
  for (const CameraDemand& camera : cameras) {
    spare -= camera.min;
    weights += camera.weight;
  }
  spare = std::max(spare, DataRate::zero());
  const double all_weights = weights;
  // Cameras that reach their maximum leave the rest to the others; each pass settles at least one.
  DataRate level = weights > 0 ? spare / weights : DataRate::zero();
  for (std::size_t pass = 0; pass < cameras.size(); ++pass) {
    DataRate open = spare;
    double open_weights = 0;
    for (const CameraDemand& camera : cameras) {
      if (fits(camera, level)) {
        open_weights += camera.weight;
      } else {
        open -= std::max(camera.max - camera.min, DataRate::zero());
      }
    }
    if (open_weights <= 0) break;
    level = std::max(level, open / open_weights);
  }
  for (const CameraDemand& camera : cameras) {
    const DataRate share = std::min(camera.min + level * camera.weight, camera.max);
    const DataSize standing = camera.backlog + budget.network_queue * (camera.weight / all_weights);
    const DataRate owed = standing / budget.drain_time * budget.payload_share;
    targets.push_back({camera.feed, std::max(share - owed, std::min(camera.min, camera.max))});
  }
}

}  // namespace farwheel
