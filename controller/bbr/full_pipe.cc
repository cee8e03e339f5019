#include "bbr/full_pipe.h"

namespace farwheel {

void FullPipe::on_report(const BbrParams& params, const RateSample& sample, DataRate max_bw) {
  loss_ranges_ += sample.loss_ranges;
  lost_ += sample.newly_lost;
  delivered_ += sample.newly_delivered;
  if (filled_ || !sample.round_start) return;

  if (loss_ranges_ >= static_cast<int>(params.startup_loss_ranges) &&
      lost_ > (lost_ + delivered_) * params.loss_threshold) {
    set_filled_by_congestion();
  }
  loss_ranges_ = 0;
  lost_ = DataSize::zero();
  delivered_ = DataSize::zero();
  if (filled_ || sample.is_app_limited) return;
  if (full_bw_.is_zero() || max_bw >= full_bw_ * params.full_bw_growth) {
    full_bw_ = max_bw;
    rounds_without_growth_ = 0;
    return;
  }
  if (++rounds_without_growth_ >= static_cast<int>(params.full_bw_rounds)) filled_ = true;
}

}  // namespace farwheel
