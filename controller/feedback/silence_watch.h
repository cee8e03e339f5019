// Tells when feedback has been missing for longer than it should, and how long. Once silent it
// stays so until feedback comes: what is in flight ages out meanwhile and proves nothing. Pure, not
// thread-safe.
#pragma once

#include <optional>

#include "units/time.h"

namespace farwheel {

class SilenceWatch {
 public:
  enum class Phase {
    kHeard,    // feedback comes, or nothing is in flight that it could name
    kHolding,  // missing: video waits, radar goes on as the probe
    kFloor,    // missing for longer: encoders at their minimum too
    kBlind,    // given up waiting: media goes on without feedback
  };
  struct Config {
    // Feedback overdue by this, or twice what it usually takes, begins a silence.
    TimeDelta overdue = TimeDelta::from_millis(100);
    TimeDelta max_overdue = TimeDelta::from_millis(600);
    // From overdue to kFloor.
    TimeDelta floor_after = TimeDelta::from_millis(250);
    // From overdue to kBlind where feedback was there once. Where it never was, at once: the
    // connection has just been made, and a receiver may well report late or not at all.
    TimeDelta blind_after = TimeDelta::from_millis(5000);
  };
  // What is in flight, for judging how overdue feedback is.
  struct InFlight {
    std::optional<Timestamp> oldest;   // send time
    std::optional<TimeDelta> min_rtt;  // empty: not measured
  };

  void set_config(const Config& config) { config_ = config; }

  // A report came; `in_flight` as before it. Returns how long the silence lasted that it ended,
  // counted from when feedback was due; empty if there was none.
  std::optional<TimeDelta> on_feedback(Timestamp now, const InFlight& in_flight);
  // Brings the phase up to date. Returns true if a silence begins with this call.
  bool update(Timestamp now, const InFlight& in_flight);
  // Another path: as after feedback, with nothing known of its wait.
  void reset(Timestamp now);

  Phase phase() const { return phase_; }
  // How overdue feedback usually is when it comes: the receiver's interval and scheduling.
  TimeDelta usual_wait() const { return usual_wait_; }
  bool ever_heard() const { return last_feedback_.is_finite(); }

 private:
  Timestamp due(const InFlight& in_flight) const;
  TimeDelta allowed() const;

  Config config_;
  Phase phase_ = Phase::kHeard;
  Timestamp last_feedback_ = Timestamp::infinite_past();
  Timestamp heard_at_ = Timestamp::infinite_past();  // last feedback, or a reset
  Timestamp silent_since_ = Timestamp::infinite_past();
  TimeDelta usual_wait_ = TimeDelta::zero();
};

}  // namespace farwheel
