#include "webrtc/repair_wait.h"

#include <algorithm>
#include <cmath>

namespace farwheel {
namespace {

constexpr double kUnknownMs = 50;
constexpr double kSmoothing = 0.25;
// A change that is worth setting.
constexpr double kWorthMs = 5;
// A gap at the end of a frame shows when the next frame comes.
constexpr double kDetectMs = 35;
// A repeated packet takes its turn at the sender, and grants and polls of radios theirs.
constexpr double kTurnMs = 40;
constexpr double kTimerMs = 10;
// A frame older than this when it is complete is of no use any more: the driver gets what is newer.
constexpr double kMostAgeMs = 260;
// What a frame has behind it when its last packet was due, besides the way.
constexpr double kOwnAgeMs = 40;

}  // namespace

bool RepairWait::on_round_trip(std::int64_t rtt_ns) {
  if (rtt_ns <= 0) return false;
  const double rtt_ms = static_cast<double>(rtt_ns) / 1e6;
  rtt_ms_ = rtt_ms_ > 0 ? rtt_ms_ + (rtt_ms - rtt_ms_) * kSmoothing : rtt_ms;
  if (std::abs(rtt_ms_ - decided_for_ms_) < kWorthMs) return false;
  const unsigned wait_before = wait_ms_;
  const unsigned retry_before = retry_ms_;
  decide();
  return wait_ms_ != wait_before || retry_ms_ != retry_before;
}

void RepairWait::decide() {
  decided_for_ms_ = rtt_ms_ > 0 ? rtt_ms_ : kUnknownMs;
  const double rtt = decided_for_ms_;
  const double most = kMostAgeMs - kOwnAgeMs - rtt / 2;
  // Twice, where there is time: what is sent again may be lost again.
  double wait = std::min(most, kDetectMs + 2 * rtt + kTurnMs);
  if (wait < rtt + kTurnMs) wait = 0;
  wait_ms_ = std::max(least_ms_, static_cast<unsigned>(std::lround(wait)));
  retry_ms_ = static_cast<unsigned>(std::lround(rtt + kTimerMs));
}

}  // namespace farwheel
