// The interface's own queue as a signal: what the driver has not yet sent, as time at the pacing
// rate, lowers the window and caps the encoders while it stands, and lets the window grow again
// when it is empty.
//
// Source: FBE ("dynamically adjusts cwnd according to the feedback of driver queue length"); the
// law is ours (notes on congestion control, section 2.1 rule 8).
#pragma once

#include <optional>

#include "units/data.h"

namespace farwheel {

class DriverQueue {
 public:
  struct Settings {
    TimeDelta high;
    TimeDelta low;
    TimeDelta freeze;
    TimeDelta cap;  // encoders get (1 - delay / cap) of the rate
    double backoff;
  };
  void on_report(const Settings& settings, Timestamp now, DataSize backlog, DataRate rate,
                 bool app_limited);
  void reset() { *this = DriverQueue(); }

  // Factor on the window: under 1 while the queue stood, up to 1.25 while it is empty and we fill
  // the path.
  double window_scale(Timestamp now) const { return fresh(now) ? scale_ : 1; }
  // Share of the rate that encoders may take; 1 when the queue is short or unknown.
  double encoder_share(Timestamp now) const { return fresh(now) ? encoder_share_ : 1; }
  bool holds_probes(Timestamp now) const { return fresh(now) && frozen_; }
  bool limits(Timestamp now) const { return fresh(now) && (encoder_share_ < 1 || scale_ < 1); }

 private:
  // Reports that stopped coming must not bind for ever.
  bool fresh(Timestamp now) const;

  Timestamp last_report_ = Timestamp::infinite_past();
  int high_samples_ = 0;
  double scale_ = 1;
  double encoder_share_ = 1;
  bool frozen_ = false;
};

}  // namespace farwheel
