// The interface's own queue as a signal. It lies right below us, so it answers within a report and
// not after a round trip: what left it between two reports is the interface's rate, and pacing at
// that rate less what stands empties it at once. As time at the pacing rate it also lowers the
// window and caps the encoders while it stands, and lets the window grow again when it is empty.
//
// Source: FBE ("dynamically adjusts cwnd according to the feedback of driver queue length"); the
// laws are ours (notes on congestion control, section 2.1 rule 8).
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
  struct Report {
    Timestamp now;
    DataSize backlog;
    DataSize sent;  // by us, ever
    DataRate rate;  // at which we pace
    bool app_limited;
  };
  void on_report(const Settings& settings, const Report& report);
  // What stands now is meant to; the next report tells what has left since.
  void begin_at(const Report& report);
  void reset() { *this = DriverQueue(); }

  // Factor on the window: under 1 while the queue stood, up to 1.25 while it is empty and we fill
  // the path.
  double window_scale(Timestamp now) const { return fresh(now) ? scale_ : 1; }
  // Share of the rate that encoders may take; 1 when the queue is short or unknown.
  double encoder_share(Timestamp now) const { return fresh(now) ? encoder_share_ : 1; }
  // Pacing may not exceed this; infinite when the queue is short or unknown.
  DataRate pacing_cap(Timestamp now) const { return fresh(now) ? cap_ : DataRate::infinite(); }
  bool holds_probes(Timestamp now) const { return fresh(now) && frozen_; }
  bool limits(Timestamp now) const { return fresh(now) && (encoder_share_ < 1 || scale_ < 1); }

 private:
  // Reports that stopped coming must not bind for ever.
  bool fresh(Timestamp now) const;
  void measure_drain(const Report& report);
  void move_cap(const Settings& settings, const Report& report);
  void move_window(const Settings& settings, const Report& report, TimeDelta delay);

  Timestamp last_report_ = Timestamp::infinite_past();
  int high_samples_ = 0;
  double scale_ = 1;
  double encoder_share_ = 1;
  bool frozen_ = false;
  // What left the interface since then.
  struct Anchor {
    Timestamp at;
    DataSize backlog;
    DataSize sent;
  };
  std::optional<Anchor> anchor_;
  std::optional<DataRate> drain_;
  std::optional<DataRate> sure_drain_;
  DataRate cap_ = DataRate::infinite();
  Timestamp cap_moved_ = Timestamp::infinite_past();
};

}  // namespace farwheel
