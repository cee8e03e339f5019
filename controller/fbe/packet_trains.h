// Trains: packets that left close together, and what their arrivals say of the bottleneck's rate.
// Every frame is one, and so is each flight of a start-up; a camera needs no other probe.
//
// Arrivals are grouped into clusters (an uplink grant, an aggregate); a rate is the bytes after the
// first cluster over the time from cluster to cluster, so that neither a grant nor the receiver's
// 250-us clock is taken for a rate. Intervals in which the sender itself idled are left out (ACK
// interval compensation). Not thread-safe.
//
// Source: fast bandwidth estimation as in the notes on congestion control, section 2.1, and on real
// links, section 3; the paper's own text beyond its abstract was not available.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "feedback/packet_result.h"

namespace farwheel {

struct TrainSample {
  int packets = 0;
  int clusters = 0;
  // Between clusters, sender's idle intervals left out.
  DataSize size = DataSize::zero();
  TimeDelta arrival_span = TimeDelta::zero();
  TimeDelta send_span = TimeDelta::zero();
  // The arrival span with cross traffic's share of each interval bounded.
  TimeDelta link_span = TimeDelta::zero();
  // Intervals at both ends of which packets were left over: the bottleneck was busy all along. Zero
  // where Limits::delay is not known.
  DataSize busy_size = DataSize::zero();
  TimeDelta busy_span = TimeDelta::zero();
  // The whole train without its first packet: a lower bound where clusters cannot be told apart.
  DataSize whole_size = DataSize::zero();
  TimeDelta whole_span = TimeDelta::zero();
};

class PacketTrains {
 public:
  struct Limits {
    TimeDelta cluster_gap;
    // How much longer than the shortest quarter's an interval may be for its bytes.
    double cross_traffic;
    // The path's least delay on the receiver's clock, and the same without a packet's own time at
    // the bottleneck.
    struct Delay {
      TimeDelta least;
      TimeDelta without_own;
    };
    std::optional<Delay> delay = std::nullopt;
  };

  void on_packet_sent(PacketNumber number) { last_sent_ = number; }
  // `pace`: the rate at which the packet's neighbours leave. Gives the train that this packet ended
  // by not belonging to it.
  std::optional<TrainSample> on_delivered(const PacketResult& result, DataRate pace,
                                          const Limits& limits);
  // The report is over: a train whose last packet was the last one sent is complete.
  std::optional<TrainSample> on_report_end(const Limits& limits);
  void reset();

 private:
  struct Cluster {
    Timestamp start = Timestamp::infinite_past();
    Timestamp first_sent = Timestamp::infinite_past();
    DataSize size = DataSize::zero();
    int packets = 0;
  };
  std::optional<TrainSample> finish(const Limits& limits);
  bool was_left(std::size_t k, const Limits::Delay& delay) const;

  static constexpr std::size_t kMostClusters = 80;
  std::size_t count_ = 0;
  int packets_ = 0;
  PacketNumber last_sent_ = -1;
  PacketNumber last_number_ = -1;
  Timestamp last_sent_at_ = Timestamp::infinite_past();
  Timestamp last_arrival_ = Timestamp::infinite_past();
  DataSize first_size_ = DataSize::zero();
  std::array<Cluster, kMostClusters> clusters_;
};

}  // namespace farwheel
