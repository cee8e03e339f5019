#include "feedback/silence_watch.h"

#include <algorithm>

namespace farwheel {
namespace {

// Until an RTT is measured: a generous path.
constexpr TimeDelta kAssumedRtt = TimeDelta::from_millis(250);
// A wait longer than this is an outage and says nothing about the receiver's habits.
constexpr TimeDelta kLongestHabit = TimeDelta::from_millis(500);

}  // namespace

// When feedback should have come: an RTT after the oldest packet left, but not before it last came.
Timestamp SilenceWatch::due(const InFlight& in_flight) const {
  if (!in_flight.oldest) return Timestamp::infinite_future();
  return std::max(heard_at_, *in_flight.oldest + in_flight.min_rtt.value_or(kAssumedRtt));
}

TimeDelta SilenceWatch::allowed() const {
  return std::min(std::max(config_.overdue, usual_wait_ * 2.0), config_.max_overdue);
}

std::optional<TimeDelta> SilenceWatch::on_feedback(Timestamp now, const InFlight& in_flight) {
  const bool was_silent = phase_ != Phase::kHeard;
  const Timestamp due_at = was_silent ? silent_since_ : due(in_flight);
  std::optional<TimeDelta> lasted;
  if (due_at.is_finite()) {
    const TimeDelta wait = std::max(now - due_at, TimeDelta::zero());
    if (was_silent) lasted = wait;
    if (wait <= kLongestHabit) usual_wait_ = usual_wait_ * 0.8 + wait * 0.2;
  }
  last_feedback_ = heard_at_ = now;
  phase_ = Phase::kHeard;
  return lasted;
}

bool SilenceWatch::update(Timestamp now, const InFlight& in_flight) {
  bool begins = false;
  if (phase_ == Phase::kHeard) {
    const Timestamp due_at = due(in_flight);
    if (!due_at.is_finite() || now - due_at <= allowed()) return false;
    silent_since_ = due_at;
    phase_ = Phase::kHolding;
    begins = true;
  }
  const TimeDelta overdue = now - silent_since_ - allowed();
  if (!ever_heard() || overdue > config_.blind_after) {
    phase_ = Phase::kBlind;
  } else if (overdue > config_.floor_after) {
    phase_ = Phase::kFloor;
  }
  return begins;
}

void SilenceWatch::reset(Timestamp now) {
  phase_ = Phase::kHeard;
  heard_at_ = now;
  usual_wait_ = TimeDelta::zero();
}

}  // namespace farwheel
