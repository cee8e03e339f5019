// The laboratory's network, built in ns-3: a dumbbell whose bottleneck n1 -> n2 is the link under
// test (lab-scenarios.md section 1), with one pair of end nodes a flow.
#pragma once

#include <ns3/ipv4-address.h>
#include <ns3/node.h>
#include <ns3/point-to-point-net-device.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bottleneck_device.h"
#include "lab_channel.h"
#include "lab_config.h"
#include "lte_cell.h"

namespace farwheel::lab {

struct EndPair {
  ns3::Ptr<ns3::Node> source;
  ns3::Ptr<ns3::Node> sink;
  ns3::Ipv4Address sink_address;
  ns3::Ipv4Address source_address;
  ns3::Ptr<ns3::PointToPointNetDevice> source_device;  // null behind 802.11n
  ns3::Ptr<ns3::PointToPointNetDevice> sink_device;
};

class Network {
 public:
  explicit Network(const RunConfig& run);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  struct PairSetup {
    double rtt_ms = 50;
    double jitter_ms = 0;
    bool has_wifi = false;
    // Rate of the source's own link; 0: that of access links.
    double source_mbps = 0;
  };
  EndPair add_pair(const PairSetup& setup);
  // After the last pair, before the first packet.
  void finish();

  // Most that stood in the bottleneck's queue since the last call, as time at its rate.
  double take_max_queue_ms();
  // What the bottleneck's queue had no room for.
  std::int64_t dropped_packets() const { return dropped_packets_; }
  std::int64_t dropped_tcp_packets() const { return dropped_tcp_packets_; }

 private:
  struct Link {
    ns3::Ptr<ns3::PointToPointNetDevice> near;
    ns3::Ptr<ns3::PointToPointNetDevice> far;
    ns3::Ptr<LabChannel> channel;
    ns3::Ipv4Address near_address;
    ns3::Ipv4Address far_address;
  };
  struct LinkSetup {
    double mbps;
    double delay_ms;
    std::string queue_size = "20000p";
  };
  EndPair add_phone(double rtt_ms);
  Link connect(ns3::Ptr<ns3::Node> near, ns3::Ptr<ns3::Node> far,
               ns3::Ptr<ns3::PointToPointNetDevice> near_device, const LinkSetup& setup);
  ns3::Ipv4Address attach_wifi(ns3::Ptr<ns3::Node> station, ns3::Ptr<ns3::Node> access_point);
  void build_bottleneck(const RunConfig& run);
  void add_queue_disc(const RunConfig& run);
  void add_route_steps(const LinkConfig& link);
  void on_queue_bytes(std::uint32_t before, std::uint32_t now);
  void on_drop(ns3::Ptr<const ns3::Packet> packet);

  LinkConfig link_;
  std::unique_ptr<LteCell> lte_;
  double access_mbps_;
  std::uint32_t next_subnet_ = 1;
  ns3::Ptr<ns3::Node> near_;  // n1
  ns3::Ptr<ns3::Node> far_;   // n2
  Link bottleneck_;
  ns3::Ptr<BottleneckDevice> bottleneck_device_;
  std::uint32_t max_queue_bytes_ = 0;
  std::int64_t dropped_packets_ = 0;
  std::int64_t dropped_tcp_packets_ = 0;
};

}  // namespace farwheel::lab
