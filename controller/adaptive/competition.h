// Beside traffic that fills queues: keep CUBIC's window, and look by trials of our own giving way
// whether the delay is still another's. Two flows of ours must never settle as each other's CUBIC,
// so the first trial comes early and one follows whenever the queue has grown. Not thread-safe.
//
// Source: shared notes on the default law, section 1.6.
#pragma once

#include "adaptive/cubic_window.h"

namespace farwheel {

class Competition {
 public:
  struct Step {
    double now;
    double mss;
    double srtt;
    double rtt;  // propagation
    double queue;
    double empty;      // queue that counts as none
    double rate;       // delivered lately
    double capacity;   // of the bottleneck
    double delivered;  // bytes since the last step
  };
  enum class Outcome { kStays, kEmptied, kWasOurs };

  // `rate`: to start from.
  void enter(double now, double rate, const Step& step);
  Outcome on_step(const Step& step);
  void on_loss(const Step& step);

  bool active() const { return active_; }
  // Bytes a second, and bytes.
  double pacing() const { return pacing_; }
  double window() const { return window_; }
  // Rate to go on with after an outcome that ends it.
  double rate_after() const { return rate_after_; }
  // Seconds since it ended; infinite before the first.
  double ended_for(double now) const { return active_ ? 0 : now - ended_at_; }

 private:
  bool wants_trial(const Step& step, double& ratio) const;
  Outcome watch_trial(const Step& step);
  Outcome leave(Outcome outcome, double now, double rate);
  double least_window(const Step& step) const;
  double eagerness() const;

  bool active_ = false;
  CubicWindow cubic_;
  double pacing_ = 0;
  double window_ = 0;
  double share_ = 0;  // of the bottleneck, smoothed, trials left out
  double last_step_ = 0;
  double last_loss_ = -1e9;
  double rate_after_ = 0;
  double entered_at_ = 0;
  double ended_at_ = -1e9;
  double empty_since_ = -1;
  bool again_ = false;   // entered soon after the last
  double interval_ = 8;  // between trials
  int trials_ = 0;
  bool lost_ = false;
  double last_trial_ = 0;
  double trial_queue_ = 0;  // when the last trial began, or at entry
  double full_since_ = -1;  // our rate alone fills the link
  bool in_trial_ = false;
  double trial_start_ = 0;
  double trial_ratio_ = 1;
  double trial_rate_ = 0;
  double trial_pace_ = 0;
};

}  // namespace farwheel
