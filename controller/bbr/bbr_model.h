// What BBRv2's states share: the path, its bandwidth and bounds, the gains in force, and the advice
// of the extension that goes with the algorithm. States read and change it; the state machine owns
// it. Not thread-safe.
//
// Source: draft-cardwell-iccrg-bbr-congestion-control-02, sections 2, 4.5 and 4.6.4.2.
#pragma once

#include <algorithm>
#include <optional>

#include "bbr/bbr_params.h"
#include "bbr/ecn_response.h"
#include "bbr/full_pipe.h"
#include "bbr/inflight_bounds.h"
#include "path/ack_aggregation.h"
#include "path/max_bw_filter.h"
#include "path/path_model.h"
#include "path/random.h"

namespace farwheel {

// What an extension tells the frame, renewed before each report is handled. The defaults are plain
// BBRv2.
struct Advice {
  double probe_up_gain = 1.25;
  double probe_down_gain = 0.9;
  // Algorithm 2's test: the queueing delay is over the threshold of the present gain.
  bool queue_over_threshold = false;
  // A queue stands that start-up made.
  bool startup_queue = false;
  // Start-up is steered by an estimate: no plateau of the delivery rate may end it.
  bool startup_held = false;
  // Replaces the max_bw filter as the path's bandwidth.
  std::optional<DataRate> bandwidth;
  // The path has been empty for a while: probe at once.
  bool probe_now = false;
  // No probe may start or go on (interface queue full).
  bool hold_probes = false;
  // Probe as often as a Reno flow would grow by as much (draft 4.3.3.5.2).
  bool reno_coexistence = true;
  // Share of a round's volume that must be lost before bw_lo and inflight_lo fall; the draft: any.
  double lower_bounds_loss = 0;
  // What was seen lately makes a ProbeRTT needless.
  bool min_rtt_is_fresh = false;
};

struct BbrModel {
  BbrModel(DataSize packet_size, std::uint64_t seed) : mss(packet_size), random(seed) {}

  // min(bandwidth, bw_lo): what the path is taken to carry. Zero until measured.
  DataRate bw() const { return std::min(bandwidth(), bounds.bw_lo()); }
  // Without the short-term bound.
  DataRate bandwidth() const { return advice.bandwidth.value_or(max_bw.value()); }
  // gain x rate x min_rtt; infinite until both are measured.
  DataSize bdp(DataRate rate, double gain) const;
  // BBRInflight(): the BDP with room for a batch of packets, at least the least window.
  DataSize inflight_at(DataRate rate, double gain) const;
  // BBRInflight(1.25) in UP: so much in flight shows that the path was probed (4.3.3.4).
  DataSize probing_inflight() const;
  // BBRTargetInflight(): what the model wants in flight without probing.
  DataSize target_inflight() const { return std::min(bdp(bw(), 1.0), cwnd); }
  DataSize min_cwnd() const { return mss * params.min_cwnd_packets; }

  BbrParams params;
  DataSize mss;
  Random random;
  PathModel path;
  MaxBwFilter max_bw;
  AckAggregation aggregation;
  InflightBounds bounds;
  EcnResponse ecn;
  FullPipe full_pipe;
  Advice advice;
  double pacing_gain = 1;
  double cwnd_gain = 2;
  DataSize cwnd = DataSize::zero();
  bool idle_restart = false;
};

}  // namespace farwheel
