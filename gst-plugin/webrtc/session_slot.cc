#include "webrtc/session_slot.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kLiveMedia = 300 * kMillisecond;
constexpr std::uint64_t kConnectGrace = 1500 * kMillisecond;
constexpr std::uint64_t kLostAfter = 3000 * kMillisecond;
}  // namespace

bool may_take_over(const SlotState& slot) {
  if (slot.last_media != 0) return slot.now > slot.last_media + kLiveMedia;
  return slot.now > slot.created_at + kConnectGrace;
}

SessionHealth health_of(const HealthInput& input) {
  if (input.connected_at == 0) return SessionHealth::kConnecting;
  const std::uint64_t sign = std::max(input.last_media, input.connected_at);
  if (input.now > sign + kLostAfter) return SessionHealth::kLost;
  if (input.now > sign + kLiveMedia) return SessionHealth::kStale;
  return SessionHealth::kConnected;
}

const char* to_string(SessionHealth health) {
  switch (health) {
    case SessionHealth::kConnecting:
      return "connecting";
    case SessionHealth::kConnected:
      return "connected";
    case SessionHealth::kStale:
      return "stale";
    case SessionHealth::kLost:
      return "lost";
  }
  return "lost";
}

}  // namespace farwheel
