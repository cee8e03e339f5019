// Round-trip times: the propagation estimate min_rtt, the largest RTT of the last 10 s that
// Algorithm 1 asks for, and a smoothed value for time-outs. RTTs come in net of the receiver's
// wait.
//
// Sources: draft-cardwell-iccrg-bbr-congestion-control-02 section 4.3.4.4 (min_rtt, 10 s;
// probe_rtt_min_delay, 5 s); Adaptive BBRv2 section 2.1 (MaxRtt, window ours); RFC 6298
// (smoothing).
#pragma once

#include <functional>
#include <optional>

#include "path/bucketed_extremum.h"

namespace farwheel {

class RttModel {
 public:
  RttModel();

  // A report begins: what it brings counts together.
  void begin_report() { probe_rtt_expired_ = false; }
  // False when the value cannot be an RTT (negative beyond the stamps' rounding, over a minute).
  bool on_rtt(Timestamp now, TimeDelta rtt, TimeDelta probe_rtt_interval, TimeDelta min_rtt_window);
  void reset();

  // Empty until measured; never zero.
  std::optional<TimeDelta> min_rtt() const { return min_rtt_; }
  std::optional<TimeDelta> max_rtt() const { return max_filter_.value(); }
  std::optional<TimeDelta> smoothed() const { return smoothed_; }
  std::optional<TimeDelta> latest() const { return latest_; }
  Timestamp min_rtt_stamp() const { return min_rtt_stamp_; }
  // min_rtt becomes this RTT, whatever queue is in it (quiche's way with an expired one).
  void overwrite_min_rtt(Timestamp now, TimeDelta rtt);
  Timestamp probe_rtt_min_stamp() const { return probe_rtt_min_stamp_; }
  // A sample of the present report renewed probe_rtt_min_delay because it had expired, not because
  // it was lower.
  bool probe_rtt_expired() const { return probe_rtt_expired_; }
  // Something other than a probe showed that the path is empty: no ProbeRTT needed for a while.
  void renew_probe_rtt(Timestamp now) { probe_rtt_min_stamp_ = now; }

 private:
  std::optional<TimeDelta> min_rtt_;
  Timestamp min_rtt_stamp_ = Timestamp::infinite_past();
  std::optional<TimeDelta> probe_rtt_min_;
  Timestamp probe_rtt_min_stamp_ = Timestamp::infinite_past();
  bool probe_rtt_expired_ = false;
  BucketedExtremum<TimeDelta, std::greater<>> max_filter_;
  std::optional<TimeDelta> smoothed_;
  std::optional<TimeDelta> latest_;
};

}  // namespace farwheel
