// Who may have the station's one session. An offer is refused (409, Retry-After) while media of the
// present session arrived within the last 300 ms, or while that session is still connecting and
// younger than 1.5 s; otherwise it takes over at once. So a vehicle that was killed and starts
// again is back as fast as it can ask, and a live one is never displaced. Pure.
#pragma once

#include <cstdint>

namespace farwheel {

// On one clock, in ns.
struct SlotState {
  std::uint64_t now = 0;
  std::uint64_t created_at = 0;
  std::uint64_t last_media = 0;  // 0: none yet
};
bool may_take_over(const SlotState& slot);

// How a session stands by what has arrived.
enum class SessionHealth { kConnecting, kConnected, kStale, kLost };
struct HealthInput {
  std::uint64_t now = 0;
  std::uint64_t connected_at = 0;  // 0: not yet
  std::uint64_t last_media = 0;    // 0: none yet
};
SessionHealth health_of(const HealthInput& input);
// "connecting", "connected", "stale", "lost".
const char* to_string(SessionHealth health);

}  // namespace farwheel
