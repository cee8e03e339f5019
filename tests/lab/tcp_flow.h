// One TCP flow of ns-3 (CUBIC, BBR version 1, NewReno): a peer on the bottleneck, or a sender to
// compare with. Segment 1200, initial window 10, SACK, socket buffers of 8 BDP and more.
#pragma once

#include <ns3/address.h>
#include <ns3/ipv4-address.h>
#include <ns3/net-device.h>
#include <ns3/node.h>
#include <ns3/socket.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "flow_log.h"
#include "lab_config.h"

namespace farwheel::lab {

struct TcpFlowSetup {
  ns3::Ptr<ns3::Node> source;
  ns3::Ptr<ns3::Node> sink;
  ns3::Ipv4Address sink_address;
  ns3::Ptr<ns3::NetDevice> sink_device;  // where arrivals are counted
  PeerKind kind = PeerKind::kCubic;
  double rtt_ms = 50;
  double link_mbps = 5;
  std::int64_t queue_bytes = 0;  // of the bottleneck: part of what may be in flight
  double start_s = 0;
  double stop_s = 200;
  std::optional<std::int64_t> bytes;  // empty: without end
};

class TcpFlow {
 public:
  explicit TcpFlow(const TcpFlowSetup& setup);
  ~TcpFlow();
  TcpFlow(const TcpFlow&) = delete;
  TcpFlow& operator=(const TcpFlow&) = delete;

  PeerKind kind() const { return setup_.kind; }
  const TcpFlowSetup& setup() const { return setup_; }
  // Segments as they reach the sink, in order or not; without delays.
  const FlowLog& arrivals() const { return arrivals_; }
  std::int64_t received_bytes() const { return received_; }
  // When the last of `bytes` came; no value if it did not.
  std::optional<double> finished_s() const { return finished_s_; }

  // Options that hold for every TCP socket of the run; once, before the first TcpFlow.
  static void set_defaults();

 private:
  void start();
  void stop();
  void fill(ns3::Ptr<ns3::Socket> socket, std::uint32_t space);
  void accept(ns3::Ptr<ns3::Socket> socket, const ns3::Address& from);
  void receive(ns3::Ptr<ns3::Socket> socket);
  void on_arrival(ns3::Ptr<const ns3::Packet> packet);

  TcpFlowSetup setup_;
  ns3::Ptr<ns3::Socket> source_socket_;
  ns3::Ptr<ns3::Socket> listener_;
  ns3::Ptr<ns3::Socket> sink_socket_;
  bool is_running_ = false;
  std::int64_t offered_ = 0;
  std::int64_t received_ = 0;
  std::optional<double> finished_s_;
  FlowLog arrivals_;
};

}  // namespace farwheel::lab
