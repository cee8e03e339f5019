#include "media/media_run.h"

#include <memory>
#include <utility>
#include <vector>

#include "media/tcp_peer.h"
#include "media/vehicle_model.h"

namespace farwheel::lab::media {
namespace {

// What is under way at the end may still arrive.
constexpr double kTailSeconds = 1;

}  // namespace

RunResult run_media(const MediaConfig& config) {
  sim::EventQueue events;
  const std::unique_ptr<LinkCapacity> capacity = make_capacity(config);
  MediaLink link(events, *capacity, config);
  std::vector<std::unique_ptr<VehicleModel>> vehicles;
  for (std::size_t i = 0; i < config.vehicles; ++i) {
    vehicles.push_back(std::make_unique<VehicleModel>(events, link, config, i));
  }
  std::unique_ptr<TcpPeer> peer;
  if (config.peer) peer = std::make_unique<TcpPeer>(events, link, config);
  events.run_until(Timestamp::from_seconds(config.duration_s + kTailSeconds));

  RunResult result;
  std::int64_t sent = 0;
  std::int64_t lost = 0;
  std::vector<VehicleLog> logs;
  for (const auto& vehicle : vehicles) {
    const LinkCounters& counters = link.counters(vehicle->flow());
    sent += counters.sent;
    lost += counters.lost();
    logs.push_back(vehicle->finish());
  }
  result.loss = sent > 0 ? static_cast<double>(lost) / static_cast<double>(sent) : 0;
  result.figures = measure(config, *capacity, logs);
  result.oracle = ask_oracle(config, *capacity);
  if (peer) result.peer_mbps = peer->mbps();
  return result;
}

}  // namespace farwheel::lab::media
