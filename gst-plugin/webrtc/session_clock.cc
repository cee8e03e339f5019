#include "webrtc/session_clock.h"

namespace farwheel {
namespace {
constexpr std::int64_t kFeedbackWrap = std::int64_t{64'000'000} << 24;
// Arrival times come in steps of 250 us.
constexpr std::int64_t kFeedbackStep = 250'000;
}  // namespace

TimeWithError one_way_delay(std::int64_t raw_ns, std::int64_t base_time_ns,
                            const ClockEstimate& offset) {
  // Each term is first brought into one wrap, so that no sum can overflow.
  std::int64_t delay =
      raw_ns % kFeedbackWrap + base_time_ns % kFeedbackWrap - offset.offset_ns % kFeedbackWrap;
  delay %= kFeedbackWrap;
  if (delay > kFeedbackWrap / 2) delay -= kFeedbackWrap;
  if (delay < -kFeedbackWrap / 2) delay += kFeedbackWrap;
  return {delay, offset.error_ns + kFeedbackStep};
}

PingMessage SessionClock::ping(std::int64_t now) {
  std::lock_guard lock(mutex_);
  return {exchange_.start(now), now};
}

void SessionClock::on_pong(const PongMessage& pong, std::int64_t arrival) {
  std::lock_guard lock(mutex_);
  if (exchange_.finish(pong.id, {pong.t1, pong.t2, pong.t3, arrival}) && pong.real_ns > 0) {
    real_minus_mono_ = pong.real_ns - pong.t3;
  }
}

void SessionClock::on_state(const StateMessage& state) {
  std::lock_guard lock(mutex_);
  if (state.real_ns > 0 && state.mono_ns >= 0) real_minus_mono_ = state.real_ns - state.mono_ns;
}

std::optional<ClockEstimate> SessionClock::estimate(std::int64_t now) const {
  std::lock_guard lock(mutex_);
  return exchange_.estimate(now);
}

std::optional<TimeWithError> SessionClock::from_vehicle_wall(std::uint64_t unix_ns,
                                                             std::int64_t now) const {
  std::lock_guard lock(mutex_);
  const auto offset = exchange_.estimate(now);
  if (!offset || !real_minus_mono_ || unix_ns > static_cast<std::uint64_t>(INT64_MAX)) {
    return std::nullopt;
  }
  const std::int64_t vehicle_mono = static_cast<std::int64_t>(unix_ns) - *real_minus_mono_;
  return TimeWithError{vehicle_mono + offset->offset_ns, offset->error_ns};
}

std::optional<std::int64_t> SessionClock::latest_rtt_ns() const {
  std::lock_guard lock(mutex_);
  return exchange_.latest_rtt_ns();
}

std::optional<double> SessionClock::skew_ppm() const {
  std::lock_guard lock(mutex_);
  return exchange_.skew_ppm();
}

}  // namespace farwheel
