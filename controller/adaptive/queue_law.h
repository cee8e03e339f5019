// The equilibrium of a flow that fills the path: it keeps about `alpha` of a packet standing in the
// bottleneck's queue, whatever its round trip, so that flows that see one queue settle at one rate.
// Algorithm 2's idea (give way while the queue is over a threshold) made continuous.
//
// Source: shared notes on the default law, section 1.2 and 1.3, simplified: no pair gaps.
#pragma once

#include "bbr/bbr_params.h"
#include "units/data.h"

namespace farwheel {

struct QueueLawInput {
  DataRate rate;
  DataSize mss;
  TimeDelta rtt;     // propagation
  TimeDelta window;  // over which the standing queue was taken
  TimeDelta queue;
  TimeDelta noise;
};

// The queue that this rate should see.
TimeDelta target_queue(const BbrParams& params, const QueueLawInput& input);

// How far back the standing queue is looked for: about the same number of packets for every flow.
TimeDelta queue_window(DataRate rate, DataSize mss, TimeDelta noise);

// Relative change of the rate in `step` of time, not under -0.5.
double share_change(const BbrParams& params, const QueueLawInput& input, TimeDelta step);

// Factor on the pacing rate at once, 1 at the equilibrium: takes away what stands too much.
double share_pacing(const BbrParams& params, const QueueLawInput& input);

}  // namespace farwheel
