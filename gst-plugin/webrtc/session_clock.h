// The station's knowledge of one vehicle's clocks: the exchange of monotonic clocks, and how the
// vehicle's wall clock stands to its monotonic one. From it come capture times on our clock and the
// one-way delay, each with its band, or nothing. Any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "webrtc/clock_exchange.h"
#include "webrtc/telemetry.h"

namespace farwheel {

struct TimeWithError {
  std::int64_t ns = 0;
  std::int64_t error_ns = 0;
};

// Arrival times in feedback count from the receiver's running time 0 and wrap (RFC 8888's ancestor
// TWCC: 24 bits of 64 ms). Gives the one-way delay nearest to zero that `raw_ns` can stand for.
// `base_time_ns`: our clock at running time 0; `offset`: our clock minus the sender's.
TimeWithError one_way_delay(std::int64_t raw_ns, std::int64_t base_time_ns,
                            const ClockEstimate& offset);

class SessionClock {
 public:
  PingMessage ping(std::int64_t now);
  void on_pong(const PongMessage& pong, std::int64_t arrival);
  void on_state(const StateMessage& state);

  std::optional<ClockEstimate> estimate(std::int64_t now) const;
  // A time by the vehicle's wall clock (ns since 1970), on our monotonic clock.
  std::optional<TimeWithError> from_vehicle_wall(std::uint64_t unix_ns, std::int64_t now) const;
  std::optional<std::int64_t> latest_rtt_ns() const;
  std::optional<double> skew_ppm() const;

 private:
  mutable std::mutex mutex_;
  ClockExchange exchange_;
  std::optional<std::int64_t> real_minus_mono_;
};

}  // namespace farwheel
