#include "bbr/inflight_bounds.h"

#include <algorithm>

namespace farwheel {

bool InflightBounds::on_report(const RateSample& sample, DataSize delivered_total) {
  lost_in_round_ += sample.newly_lost;
  delivered_in_round_ += sample.newly_delivered;
  if (!sample.has_delivery) return false;
  if (sample.delivery_rate) bw_latest_ = std::max(bw_latest_, *sample.delivery_rate);
  inflight_latest_ = std::max(inflight_latest_, sample.delivered);
  const DataSize prior_delivered = delivered_total - sample.delivered;
  if (prior_delivered < loss_round_delivered_) return false;
  loss_round_delivered_ = delivered_total;
  return true;
}

void InflightBounds::adapt_lower(const BbrParams& params, const Congestion& congestion,
                                 DataRate max_bw, DataSize cwnd) {
  const DataSize round = lost_in_round_ + delivered_in_round_;
  const bool loss = lost_in_round_ > round * congestion.least_loss;
  if (!loss && congestion.ecn_cut <= 0) return;
  if (inflight_lo_.is_infinite()) inflight_lo_ = cwnd;
  const DataSize marked_down = inflight_lo_ * (1 - std::min(congestion.ecn_cut, 1.0));
  if (loss) {
    if (bw_lo_.is_infinite()) bw_lo_ = max_bw;
    bw_lo_ = std::max(bw_latest_, bw_lo_ * params.beta);
    inflight_lo_ = std::max(inflight_latest_, inflight_lo_ * params.beta);
  }
  inflight_lo_ = std::min(inflight_lo_, marked_down);
}

void InflightBounds::undo_to(const InflightBounds& before) {
  lost_in_round_ = DataSize::zero();
  bw_lo_ = std::max(bw_lo_, before.bw_lo_);
  inflight_lo_ = std::max(inflight_lo_, before.inflight_lo_);
  inflight_hi_ = std::max(inflight_hi_, before.inflight_hi_);
}

void InflightBounds::advance(const RateSample& sample) {
  lost_in_round_ = DataSize::zero();
  delivered_in_round_ = DataSize::zero();
  bw_latest_ = sample.delivery_rate.value_or(DataRate::zero());
  inflight_latest_ = sample.delivered;
}

void InflightBounds::reset_lower() {
  inflight_lo_ = DataSize::infinite();
  bw_lo_ = DataRate::infinite();
}

void InflightBounds::reset_all() {
  reset_lower();
  inflight_hi_ = DataSize::infinite();
  reset_signals();
}

// Section 4.5.6.3, BBRResetCongestionSignals.
void InflightBounds::reset_signals() {
  lost_in_round_ = DataSize::zero();
  delivered_in_round_ = DataSize::zero();
  bw_latest_ = DataRate::zero();
  inflight_latest_ = DataSize::zero();
}

bool InflightBounds::too_high(const BbrParams& params, DataSize lost, DataSize tx_in_flight) {
  return lost > tx_in_flight * params.loss_threshold;
}

DataSize InflightBounds::inflight_at_loss(const BbrParams& params, const LostPacket& packet) {
  const DataSize before = std::max(packet.tx_in_flight - packet.size, DataSize::zero());
  const DataSize lost_before = std::max(packet.lost - packet.size, DataSize::zero());
  const DataSize room = before * params.loss_threshold - lost_before;
  if (room <= DataSize::zero()) return before;
  return before + room / std::max(0.01, 1 - params.loss_threshold);
}

DataSize InflightBounds::inflight_with_headroom(const BbrParams& params, DataSize mss) const {
  if (inflight_hi_.is_infinite()) return inflight_hi_;
  const DataSize headroom = std::max(mss, inflight_hi_ * params.headroom);
  return std::max(inflight_hi_ - headroom, mss * params.min_cwnd_packets);
}

}  // namespace farwheel
