// PROBE_RTT: shows the path with little in flight so that min_rtt can be seen again
// (draft-cardwell-iccrg-bbr-congestion-control-02, section 4.3.4). Under the rule "overwrite"
// (quiche) it is entered only at the end of a DOWN, after an expired min_rtt was overwritten.
#pragma once

#include <optional>

#include "bbr/bbr_model.h"
#include "controller_types.h"

namespace farwheel {

class ProbeRtt {
 public:
  // min_rtt was not seen for the interval and nothing else has shown the empty path.
  static bool wanted(BbrModel& model, const RateSample& sample);
  // The same under "overwrite", to be asked when a DOWN has ended.
  static bool wanted_after_down(BbrModel& model, const RateSample& sample);

  void enter(BbrModel& model, BbrState from);
  std::optional<BbrState> on_report(BbrModel& model, const RateSample& sample);
  // The stay may have been long enough while nothing was sent (section 4.4.2).
  std::optional<BbrState> on_restart_from_idle(BbrModel& model, Timestamp now);
  // Idle or silent: the stay ends by time alone.
  std::optional<BbrState> on_time(BbrModel& model, Timestamp now);
  // The window while probing.
  static DataSize window(const BbrModel& model);

 private:
  std::optional<BbrState> leave(BbrModel& model, Timestamp now);

  Timestamp entered_at_ = Timestamp::infinite_past();
  Timestamp done_at_ = Timestamp::infinite_future();
  BbrState from_ = BbrState::kStartup;
  DataSize saved_cwnd_ = DataSize::zero();
  bool round_done_ = false;
};

}  // namespace farwheel
