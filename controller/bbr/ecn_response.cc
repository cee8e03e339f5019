#include "bbr/ecn_response.h"

namespace farwheel {

void EcnResponse::on_report(const BbrParams& params, const RateSample& sample) {
  if (round_ended_) {
    marked_in_round_ = DataSize::zero();
    delivered_in_round_ = DataSize::zero();
    round_ended_ = false;
  }
  if (!sample.reports_marks) return;
  marked_in_round_ += sample.newly_marked;
  delivered_in_round_ += sample.newly_delivered;
  if (!sample.round_start || delivered_in_round_.is_zero()) return;
  const double share = marked_in_round_ / delivered_in_round_;
  alpha_ += (share - alpha_) * params.ecn_alpha_gain;
  rounds_over_threshold_ = share >= params.ecn_threshold ? rounds_over_threshold_ + 1 : 0;
  round_ended_ = true;
}

}  // namespace farwheel
