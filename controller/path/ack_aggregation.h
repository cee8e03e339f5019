// How much more than bw x time was acknowledged at once lately: the window's allowance for reports
// that come in batches (draft-cardwell-iccrg-bbr-congestion-control-02, section 4.5.5: extra_acked
// over a window of rounds).
#pragma once

#include <array>
#include <cstdint>

#include "units/data.h"

namespace farwheel {

class AckAggregation {
 public:
  void on_report(Timestamp now, std::int64_t round, DataSize newly_delivered, DataRate bw,
                 DataSize cwnd, std::int64_t window_rounds);
  // The next report begins an interval: the sender was idle until now.
  void restart(Timestamp now);
  DataSize extra_acked() const;

 private:
  struct Slot {
    std::int64_t first_round = 0;
    DataSize most = DataSize::zero();
  };
  Timestamp interval_start_ = Timestamp::infinite_past();
  DataSize delivered_ = DataSize::zero();
  // Two half windows are enough of a sliding maximum here.
  std::array<Slot, 2> slots_{};
};

}  // namespace farwheel
