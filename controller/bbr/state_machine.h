// The owner of BBRv2's states: makes every transition, emits exactly one StateChanged for each, and
// keeps the window. Diagram of draft-cardwell-iccrg-bbr-congestion-control-02, section 4.1.1:
//
//   STARTUP --> DRAIN --> PROBE_BW (DOWN, CRUISE, REFILL, UP) <--> PROBE_RTT
//      ^-------------------------------------- (pipe not yet filled) --'
//
// Not thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "bbr/bbr_model.h"
#include "bbr/drain.h"
#include "bbr/probe_bw.h"
#include "bbr/probe_rtt.h"
#include "bbr/spurious_loss.h"
#include "bbr/startup.h"
#include "controller_types.h"

namespace farwheel {

class StateMachine {
 public:
  // `events` outlives the machine.
  StateMachine(BbrModel& model, std::vector<ControllerEvent>& events);

  void on_report(const RateSample& sample);
  // Nothing arrives: states that end by time must still end.
  void on_time(Timestamp now);
  // A packet leaves with nothing else in flight after the application had paused.
  void on_restart_from_idle(Timestamp now);
  // Start-up is over, whatever the plateau says (FBE verified, or the application cannot fill).
  void finish_startup(Timestamp now);
  // The path is another one.
  void restart(Timestamp now);

  BbrState state() const { return state_; }
  bool probing_bandwidth() const;
  // Loss lowered inflight_hi in the last report.
  bool lowered_inflight_hi() const { return probe_bw_.lowered_inflight_hi(); }

 private:
  void change_to(BbrState next, Timestamp now);
  void undo(const SpuriousLoss::Saved& saved, Timestamp now);
  void update_bandwidth(const RateSample& sample);
  void update_lower_bounds(const RateSample& sample);
  void update_window(const RateSample& sample);
  DataSize window_cap() const;

  BbrModel& model_;
  std::vector<ControllerEvent>& events_;
  BbrState state_ = BbrState::kStartup;
  Startup startup_;
  Drain drain_;
  ProbeBw probe_bw_;
  ProbeRtt probe_rtt_;
  SpuriousLoss spurious_loss_;
};

}  // namespace farwheel
