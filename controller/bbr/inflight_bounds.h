// The bounds that congestion sets on the model: inflight_hi (long term, what fitted without excess
// loss), inflight_lo and bw_lo (short term, until the next probe), and the delivery signals of the
// present round that they are cut to.
//
// Source: draft-cardwell-iccrg-bbr-congestion-control-02, sections 4.3.3.6 and 4.5.6.
#pragma once

#include <optional>

#include "bbr/bbr_params.h"
#include "path/rate_sample.h"

namespace farwheel {

class InflightBounds {
 public:
  // Takes the report's loss and delivery into the present round. True when a round of loss
  // counting ended with it: then adapt_lower() may be called, and advance() after it.
  bool on_report(const RateSample& sample, DataSize delivered_total);
  struct Congestion {
    double least_loss;  // nothing happens for loss up to this share of the round
    double ecn_cut;     // share by which marks lower inflight_lo
  };
  void adapt_lower(const BbrParams& params, const Congestion& congestion, DataRate max_bw,
                   DataSize cwnd);
  void advance(const RateSample& sample);
  void reset_lower();
  // A cycle begins: what the last one saw is not its own.
  void reset_signals();
  void reset_all();

  // A packet left at this volume in flight and more than the threshold was lost since then.
  static bool too_high(const BbrParams& params, DataSize lost, DataSize tx_in_flight);
  // The volume in flight at which the loss passed the threshold, from a packet just lost.
  static DataSize inflight_at_loss(const BbrParams& params, const LostPacket& packet);

  DataSize inflight_hi() const { return inflight_hi_; }  // infinite: unbounded
  DataSize inflight_lo() const { return inflight_lo_; }
  DataRate bw_lo() const { return bw_lo_; }
  void set_inflight_hi(DataSize value) { inflight_hi_ = value; }
  // The congestion that led from there to here was none.
  void undo_to(const InflightBounds& before);
  // inflight_hi less the room left for others; never under four packets.
  DataSize inflight_with_headroom(const BbrParams& params, DataSize mss) const;
  bool loss_in_round() const { return !lost_in_round_.is_zero(); }
  DataRate bw_latest() const { return bw_latest_; }
  DataSize inflight_latest() const { return inflight_latest_; }

 private:
  DataSize inflight_hi_ = DataSize::infinite();
  DataSize inflight_lo_ = DataSize::infinite();
  DataRate bw_lo_ = DataRate::infinite();
  DataSize lost_in_round_ = DataSize::zero();
  DataSize delivered_in_round_ = DataSize::zero();
  DataRate bw_latest_ = DataRate::zero();
  DataSize inflight_latest_ = DataSize::zero();
  DataSize loss_round_delivered_ = DataSize::zero();
};

}  // namespace farwheel
