#include "adaptive/paper_threshold.h"

#include <algorithm>

namespace farwheel {

TimeDelta PaperThreshold::threshold(const BbrModel& model, double gain_up, TimeDelta floor) {
  const std::optional<TimeDelta> min_rtt = model.path.rtt().min_rtt();
  if (!min_rtt) return TimeDelta::infinite();
  return std::max(*min_rtt * (gain_up - 1), floor);
}

bool PaperThreshold::lower_inflight_hi(BbrModel& model, const RateSample& sample, DataSize least,
                                       PaperCut cut) {
  if (!sample.has_delivery) return false;
  if (cut == PaperCut::kEachRound && model.path.round() == last_round_) return false;
  if (model.bdp(model.bw(), 1.0).is_infinite()) return false;
  last_round_ = model.path.round();
  DataSize at_send = sample.tx_in_flight;
  if (model.params.paper_inflight == PaperInflight::kNow) at_send = sample.inflight;
  if (model.params.paper_inflight == PaperInflight::kDelivered) at_send = sample.delivered;
  const DataSize before = model.bounds.inflight_hi();
  const DataSize lowered =
      std::max({at_send, model.target_inflight() * model.params.paper_target_factor,
                model.min_cwnd(), least});
  model.bounds.set_inflight_hi(lowered);
  return lowered < before;
}

}  // namespace farwheel
