#include "feedback/receiver_clock.h"

#include <algorithm>

namespace farwheel {
namespace {

constexpr std::int64_t kPeriodNs = ReceiverClock::kPeriod.ns();
constexpr TimeDelta kTolerance = TimeDelta::from_seconds(1);
constexpr int kJumpReadings = 32;
constexpr TimeDelta kJumpSpan = TimeDelta::from_millis(200);

std::int64_t wrapped(std::int64_t ns) {
  const std::int64_t rest = ns % kPeriodNs;
  return rest < 0 ? rest + kPeriodNs : rest;
}

// The way from one wrapped reading to another, whichever direction is shorter.
TimeDelta shortest(std::int64_t from, std::int64_t to) {
  std::int64_t way = wrapped(to - from);
  if (way >= kPeriodNs / 2) way -= kPeriodNs;
  return TimeDelta::from_nanos(way);
}

}  // namespace

std::optional<Timestamp> ReceiverClock::read(const Reading& reading) {
  const std::int64_t raw = wrapped(reading.raw_ns);
  const TimeDelta under_way = reading.reported_at - reading.sent_at;
  if (!anchor_) {
    const Timestamp time = Timestamp::from_nanos(raw);
    anchor_ = Anchor{raw, time, time - reading.sent_at, under_way};
    return time;
  }
  Timestamp time = anchor_->time + shortest(anchor_->raw, raw);
  TimeDelta delay = time - reading.sent_at;
  const TimeDelta change = delay - anchor_->delay;
  if (change > under_way + kTolerance || change < TimeDelta::zero() - anchor_->slack - kTolerance) {
    if (!accept_jump(reading, raw)) return std::nullopt;
    time = anchor_->time;
    delay = anchor_->delay;
  }
  jump_.reset();
  if (time >= anchor_->time) {
    anchor_ = Anchor{raw, time, delay, under_way};
  } else {
    anchor_->delay = delay;
    anchor_->slack = under_way;
  }
  return time;
}

bool ReceiverClock::accept_jump(const Reading& reading, std::int64_t raw) {
  const TimeDelta delay = anchor_->time + shortest(anchor_->raw, raw) - reading.sent_at;
  const bool agrees =
      jump_ && delay - jump_->delay < kTolerance && jump_->delay - delay < kTolerance;
  if (!agrees) {
    jump_ = Jump{delay, reading.sent_at, 1};
    return false;
  }
  ++jump_->readings;
  if (jump_->readings < kJumpReadings || reading.sent_at - jump_->first_sent < kJumpSpan)
    return false;
  anchor_ = Anchor{raw, reading.sent_at + anchor_->delay, anchor_->delay,
                   reading.reported_at - reading.sent_at};
  return true;
}

}  // namespace farwheel
