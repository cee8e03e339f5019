// What marks of congestion (ECN CE) say: the smoothed share of marked data, and when start-up has
// met too many. It counts only where the transport reports marks; TWCC does not, the lab does.
//
// Source: Linux tcp_bbr2.c, v2alpha, which answers marks as DCTCP does; the drafts leave the
// response open (draft-ietf-ccwg-bbr-06, section 3.7). Unlike there, any RTT qualifies: who sets
// ECT has to answer a mark on a long path too (RFC 3168).
#pragma once

#include "bbr/bbr_params.h"
#include "path/rate_sample.h"

namespace farwheel {

class EcnResponse {
 public:
  void on_report(const BbrParams& params, const RateSample& sample);
  void reset() { *this = EcnResponse(); }

  // By which share inflight_lo is to fall for the round of marks in hand; 0 without any.
  double cut(const BbrParams& params) const {
    return marked_in_round_.is_zero() ? 0 : params.ecn_factor * alpha_;
  }
  // The flight of the newest delivered packet was marked beyond the threshold.
  static bool too_high(const BbrParams& params, const RateSample& sample) {
    return params.ecn_factor > 0 && !sample.marked.is_zero() &&
           sample.marked > sample.delivered * params.ecn_threshold;
  }
  // So many rounds of start-up over the threshold that the pipe is full.
  bool fills_the_pipe(const BbrParams& params) const {
    return params.ecn_factor > 0 && rounds_over_threshold_ >= params.ecn_startup_rounds;
  }
  double alpha() const { return alpha_; }

 private:
  // Begins at all: the first marks of a flow count in full.
  double alpha_ = 1;
  int rounds_over_threshold_ = 0;
  DataSize marked_in_round_ = DataSize::zero();
  DataSize delivered_in_round_ = DataSize::zero();
  bool round_ended_ = false;
};

}  // namespace farwheel
