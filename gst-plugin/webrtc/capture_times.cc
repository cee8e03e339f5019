#include "webrtc/capture_times.h"

namespace farwheel {
namespace {
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kNtpToUnixSeconds = 2'208'988'800;
}  // namespace

std::optional<std::uint64_t> CaptureTimes::find(std::uint64_t timestamp,
                                                std::uint64_t tolerance) const {
  std::optional<std::uint64_t> found;
  std::uint64_t best = tolerance;
  for (const Entry& entry : entries_) {
    if (!entry.used) continue;
    const std::uint64_t away =
        entry.timestamp > timestamp ? entry.timestamp - timestamp : timestamp - entry.timestamp;
    if (away <= best) {
      best = away;
      found = entry.capture;
    }
  }
  return found;
}

std::uint64_t ntp_from_unix_ns(std::uint64_t unix_ns) {
  const std::uint64_t seconds = unix_ns / kSecond + kNtpToUnixSeconds;
  const std::uint64_t rest = unix_ns % kSecond;
  const std::uint64_t fraction = ((rest << 32) + kSecond / 2) / kSecond;
  return (seconds << 32) + fraction;
}

std::optional<std::uint64_t> unix_ns_from_ntp(std::uint64_t ntp) {
  const std::uint64_t seconds = ntp >> 32;
  if (seconds < kNtpToUnixSeconds) return std::nullopt;
  const std::uint64_t fraction = ntp & 0xffffffffu;
  return (seconds - kNtpToUnixSeconds) * kSecond + ((fraction * kSecond + (1ull << 31)) >> 32);
}

}  // namespace farwheel
