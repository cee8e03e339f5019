// PROBE_BW: the cycle DOWN, CRUISE, REFILL, UP in which a flow spends its life; how long to wait
// between probes, when a probe has gone far enough, and how inflight_hi grows and falls with it.
//
//   DOWN --drained--> CRUISE --2..3 s--> REFILL --1 round--> UP --loss, queue or far enough--> DOWN
//
// Source: draft-cardwell-iccrg-bbr-congestion-control-02, section 4.3.3; the exits on queueing
// delay are Adaptive BBRv2's Algorithm 2, brought by Advice.
#pragma once

#include <optional>

#include "bbr/bbr_model.h"
#include "controller_types.h"

namespace farwheel {

class ProbeBw {
 public:
  // `from` tells whether a cycle begins (anything into DOWN, or PROBE_RTT into CRUISE).
  void enter(BbrModel& model, BbrState from, BbrState phase, Timestamp now);
  std::optional<BbrState> on_report(BbrModel& model, BbrState phase, const RateSample& sample);
  // A loss was heavy enough in this report to lower inflight_hi.
  bool lowered_inflight_hi() const { return lowered_inflight_hi_; }
  // Loss, not a full path, ended the last UP.
  bool probe_ended_by_loss() const { return last_probe_ == ProbeEnd::kTooHigh; }

 private:
  // What the acknowledgements now arriving were sent in.
  enum class AckPhase { kInit, kRefilling, kProbeStarting, kProbeFeedback, kProbeStopping };
  enum class ProbeEnd { kEnough, kTooHigh, kRisky };

  void start_cycle(BbrModel& model, Timestamp now);
  std::optional<BbrState> adapt_upper_bounds(BbrModel& model, BbrState phase,
                                             const RateSample& sample);
  std::optional<BbrState> on_inflight_too_high(BbrModel& model, BbrState phase,
                                               DataSize tx_in_flight, bool app_limited);
  void raise_inflight_hi(BbrModel& model, const RateSample& sample);
  void raise_slope(const BbrModel& model);
  bool time_to_probe(const BbrModel& model, const RateSample& sample) const;
  bool time_to_cruise(const BbrModel& model, const RateSample& sample) const;
  bool probed_far_enough(const BbrModel& model, const RateSample& sample) const;
  bool is_risky(const BbrModel& model, const RateSample& sample) const;
  bool retry_risky_probe(const BbrModel& model, const RateSample& sample) const;

  AckPhase ack_phase_ = AckPhase::kInit;
  Timestamp cycle_stamp_ = Timestamp::infinite_past();
  TimeDelta probe_wait_ = TimeDelta::zero();
  double rounds_since_probe_ = 0;
  // Loss of packets sent while probing lowers inflight_hi, once a probe.
  bool probe_samples_ = false;
  int up_rounds_ = 0;
  int rounds_in_phase_ = 0;
  DataSize up_acked_ = DataSize::zero();
  // inflight_hi grows by one packet for so much acknowledged.
  DataSize up_step_ = DataSize::infinite();
  bool lowered_inflight_hi_ = false;
  ProbeEnd this_probe_ = ProbeEnd::kEnough;
  ProbeEnd last_probe_ = ProbeEnd::kEnough;
};

}  // namespace farwheel
