// The equilibrium of a flow that fills the path: the queue that it wants to see standing, the
// longer the slower it is, so that flows which see one queue settle at one rate whatever their
// round trips. The paper's two ideas, made continuous: growth falls with the round trip, and a
// queue over the target lowers the rate. Seconds and bytes a second.
//
// Source: shared notes on the default law, sections 1.2 and 1.3.
#pragma once

namespace farwheel {

// What is known of the path and of the flow at a step of the law.
struct SharePoint {
  double rate = 0;  // ours
  double mss = 0;
  double packet_time = 0;  // at the bottleneck
  double highest = 0;      // delivered rate of the last half minute
  double noise = 0;        // that no queue of ours explains, bounded
  // The same by what own packets explain, where nobody else was found on the link; else zero.
  double free_noise = 0;
  double rtt = 0;     // propagation
  double window = 0;  // over which the standing queue was taken
  double queue = 0;
};

// Packet times below this are under the receiver's clock: then the rate seen is all there is.
inline constexpr double kLeastPacketTime = 0.2e-3;

// How far back to look for a standing queue: about as many packets for every flow, since the least
// of more samples sees emptier queues.
double share_window(double rate, double mss, double noise);
double share_target(const SharePoint& point);
// Packet times of delay noise that queues explain at `share` of the link: others' packets between
// ours, the more the more they are.
double own_noise(double share);
// Relative change of the rate in a second.
double share_change(const SharePoint& point, double target);
// Factor on the pacing rate at once; 1 at the target.
double share_pacing(const SharePoint& point, double target);

}  // namespace farwheel
