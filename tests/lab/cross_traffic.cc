#include "cross_traffic.h"

#include <ns3/double.h>
#include <ns3/inet-socket-address.h>
#include <ns3/packet.h>
#include <ns3/udp-socket-factory.h>

#include "lab_config.h"
#include "lab_time.h"

namespace farwheel::lab {
namespace {
constexpr std::uint16_t kPort = 6000;
}

CrossTraffic::CrossTraffic(ns3::Ptr<ns3::Node> source, ns3::Ptr<ns3::Node> sink,
                           ns3::Ipv4Address sink_address, double mbps, double stop_s)
    : gap_(ns3::CreateObject<ns3::ExponentialRandomVariable>()), stop_s_(stop_s) {
  gap_->SetAttribute("Mean", ns3::DoubleValue(kWireBytes * 8 / (mbps * 1e6)));
  sink_socket_ = ns3::Socket::CreateSocket(sink, ns3::UdpSocketFactory::GetTypeId());
  sink_socket_->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
  sink_socket_->ShutdownRecv();
  source_socket_ = ns3::Socket::CreateSocket(source, ns3::UdpSocketFactory::GetTypeId());
  source_socket_->Bind();
  source_socket_->Connect(ns3::InetSocketAddress(sink_address, kPort));
  // A while before the first flow starts: what stands in the queue then is part of the test.
  ns3::Simulator::Schedule(simulator_time(-0.3), &CrossTraffic::send, this);
}

void CrossTraffic::send() {
  if (lab_now_s() >= stop_s_) return;
  source_socket_->Send(ns3::Create<ns3::Packet>(static_cast<std::uint32_t>(kPayloadBytes)));
  ns3::Simulator::Schedule(ns3::Seconds(gap_->GetValue()), &CrossTraffic::send, this);
}

}  // namespace farwheel::lab
