// Has start-up filled the pipe? A plateau of the delivery rate over three rounds that were not
// application-limited, or heavy loss (draft-cardwell-iccrg-bbr-congestion-control-02, sections
// 4.3.1.2 and 4.3.1.3).
#pragma once

#include "bbr/bbr_params.h"
#include "path/rate_sample.h"

namespace farwheel {

class FullPipe {
 public:
  void on_report(const BbrParams& params, const RateSample& sample, DataRate max_bw);
  bool filled() const { return filled_; }
  // By heavy loss or by marks: what was in flight was too much.
  bool filled_by_congestion() const { return filled_by_congestion_; }
  void set_filled() { filled_ = true; }
  void set_filled_by_congestion() {
    filled_by_congestion_ = filled_by_congestion_ || !filled_;
    filled_ = true;
  }
  void reset() { *this = FullPipe(); }

 private:
  bool filled_ = false;
  bool filled_by_congestion_ = false;
  DataRate full_bw_ = DataRate::zero();
  int rounds_without_growth_ = 0;
  // Of the present round.
  int loss_ranges_ = 0;
  DataSize lost_ = DataSize::zero();
  DataSize delivered_ = DataSize::zero();
};

}  // namespace farwheel
