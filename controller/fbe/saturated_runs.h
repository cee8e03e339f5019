// The bottleneck's rate from arrivals in clusters: uplink grants, aggregates, repeats. An interval
// between two clusters counts only if packets were left over at both, that is if the first packet
// of the next one had waited since before; then the link was busy all the time and its grants were
// full. Intervals in which the sender or a partly filled grant set the pace never enter, so rounds
// of different speeds may be pooled. Not thread-safe.
//
// Source: shared notes on real links, section 3 (bytes from the first to the last cluster without
// the first, over the time between them); the test for leftover packets is ours.
#pragma once

#include <array>
#include <cstddef>

#include "feedback/packet_result.h"

namespace farwheel {

class SaturatedRuns {
 public:
  struct Settings {
    TimeDelta cluster_gap;  // packets this close to a cluster's first are its own
    TimeDelta least_span;
    int least_intervals;
  };
  void on_delivered(const Settings& settings, const PacketResult& result);

  // Over long enough for grants, repeats and packets of the lengths seen.
  bool enough(const Settings& settings) const;
  // The median over pairs of clusters far apart: a repeat moves one end of some pairs only. Zero
  // while no interval counted. Not for each packet: it looks at all pairs.
  DataRate rate() const;
  // For sending meanwhile: the mean, and until it spans enough, as if the longest gap seen came on
  // top; zero while no interval counted.
  DataRate rate_so_far() const;
  std::size_t intervals() const { return count_; }
  // The longest gap between clusters of a busy link: how far apart grants and repeats put arrivals.
  TimeDelta longest() const { return longest_; }

 private:
  struct Cluster {
    Timestamp start = Timestamp::infinite_past();
    DataSize size = DataSize::zero();
    int packets = 0;
    // It began while packets waited: the interval before it was busy.
    bool was_waited_for = false;
  };
  // Busy time and what came in it, summed over the intervals counted.
  struct Point {
    TimeDelta span = TimeDelta::zero();
    DataSize size = DataSize::zero();
  };
  void count_interval(TimeDelta interval);

  static constexpr std::size_t kMostPoints = 128;
  std::array<Point, kMostPoints> points_{};
  std::size_t count_ = 0;  // intervals counted
  Point total_;
  int packets_ = 0;
  Cluster present_;
  Timestamp last_start_ = Timestamp::infinite_past();  // of the cluster before
  TimeDelta least_owd_ = TimeDelta::infinite();
  TimeDelta last_interval_ = TimeDelta::zero();
  TimeDelta longest_ = TimeDelta::zero();
};

}  // namespace farwheel
