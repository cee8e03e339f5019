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
// Frames after a gap need what is missing. Giving it up brings a key frame, a round trip and its
// own length later: as long as a second retransmission is sooner, it is waited for.
constexpr double kMostMs = 400;
// Longer than frames are apart, and shorter than it takes to change to another uplink.
constexpr std::int64_t kSilentNs = 120'000'000;
constexpr std::int64_t kBackNs = 250'000'000;

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

bool RepairWait::on_tick(std::int64_t now, std::int64_t last_packet) {
  const unsigned before = wait_ms();
  if (last_packet != 0 && now - last_packet > kSilentNs) {
    skips_ = true;
    back_since_ = 0;
  } else if (skips_) {
    if (back_since_ == 0) back_since_ = now;
    skips_ = now - back_since_ < kBackNs;
  }
  return wait_ms() != before;
}

void RepairWait::decide() {
  decided_for_ms_ = rtt_ms_ > 0 ? rtt_ms_ : kUnknownMs;
  const double rtt = decided_for_ms_;
  // Twice, where there is time: what is sent again may be lost again.
  double wait = std::min(kMostMs, kDetectMs + 2 * rtt + kTurnMs);
  if (wait < rtt + kTurnMs) wait = 0;
  wait_ms_ = std::max(least_ms_, static_cast<unsigned>(std::lround(wait)));
  retry_ms_ = static_cast<unsigned>(std::lround(rtt + kTimerMs));
}

}  // namespace farwheel
