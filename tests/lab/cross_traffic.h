// Poisson UDP packets through the bottleneck: the traffic of others that answers to nothing.
#pragma once

#include <ns3/ipv4-address.h>
#include <ns3/node.h>
#include <ns3/random-variable-stream.h>
#include <ns3/socket.h>

namespace farwheel::lab {

class CrossTraffic {
 public:
  // `mbps`: what it occupies at the bottleneck, on average, from the beginning to `stop_s`.
  CrossTraffic(ns3::Ptr<ns3::Node> source, ns3::Ptr<ns3::Node> sink, ns3::Ipv4Address sink_address,
               double mbps, double stop_s);

 private:
  void send();

  ns3::Ptr<ns3::Socket> source_socket_;
  ns3::Ptr<ns3::Socket> sink_socket_;
  ns3::Ptr<ns3::ExponentialRandomVariable> gap_;
  double stop_s_;
};

}  // namespace farwheel::lab
