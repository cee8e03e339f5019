// The station's monotonic clock, in the time base of GStreamer's system clock: both read
// CLOCK_MONOTONIC, so a capture time on a buffer and a time from here may be subtracted.
#pragma once

#include <chrono>
#include <cstdint>

namespace farwheel::station {

using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds kMillisecond = 1'000'000;
inline constexpr Nanoseconds kSecond = 1'000'000'000;

inline Nanoseconds monotonic_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline Nanoseconds wall_clock_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

inline double to_milliseconds(Nanoseconds duration) {
  return static_cast<double>(duration) / static_cast<double>(kMillisecond);
}

}  // namespace farwheel::station
