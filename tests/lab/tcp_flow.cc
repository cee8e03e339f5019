#include "tcp_flow.h"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/inet-socket-address.h>
#include <ns3/ipv4.h>
#include <ns3/packet.h>
#include <ns3/tcp-l4-protocol.h>
#include <ns3/tcp-socket-factory.h>
#include <ns3/tcp-socket.h>
#include <ns3/uinteger.h>

#include <algorithm>

#include "lab_time.h"

namespace farwheel::lab {
namespace {

using ns3::InetSocketAddress;
using ns3::Packet;
using ns3::Ptr;
using ns3::Socket;

constexpr std::uint16_t kPort = 7000;
constexpr std::int64_t kLeastBuffer = 1 << 20;
constexpr std::int64_t kMostBuffer = 1 << 28;
constexpr double kBufferBdp = 8;
// The receiver's window is that much larger than the sender's buffer, a step of the largest window
// scale and more: ns-3 3.37 dies (a null segment) when what was sent reaches the window's end, as
// it does while a hole waits a second for its timer and later packets go on being acknowledged.
constexpr std::uint32_t kWindowSpare = 1 << 16;
constexpr std::uint32_t kChunk = 120000;  // offered to the socket at once

const char* type_of(PeerKind kind) {
  switch (kind) {
    case PeerKind::kCubic:
      return "ns3::TcpCubic";
    case PeerKind::kBbr:
      return "ns3::TcpBbr";
    case PeerKind::kReno:
      return "ns3::TcpLinuxReno";
  }
  return "ns3::TcpCubic";
}

// 8 BDP, and what the bottleneck's queue holds besides.
std::uint32_t socket_buffer(const TcpFlowSetup& setup) {
  const double bdp = setup.link_mbps * 1e6 / 8 * setup.rtt_ms / 1e3;
  const auto bytes = static_cast<std::int64_t>(kBufferBdp * bdp) + 2 * setup.queue_bytes;
  return static_cast<std::uint32_t>(std::clamp(bytes, kLeastBuffer, kMostBuffer));
}

void set_type(Ptr<ns3::Node> node, PeerKind kind) {
  node->GetObject<ns3::TcpL4Protocol>()->SetAttribute(
      "SocketType", ns3::TypeIdValue(ns3::TypeId::LookupByName(type_of(kind))));
}

}  // namespace

void TcpFlow::set_defaults() {
  ns3::Config::SetDefault("ns3::TcpSocket::SegmentSize",
                          ns3::UintegerValue(static_cast<std::uint64_t>(kPayloadBytes)));
  ns3::Config::SetDefault("ns3::TcpSocket::InitialCwnd", ns3::UintegerValue(10));
  ns3::Config::SetDefault("ns3::TcpSocketBase::Sack", ns3::BooleanValue(true));
}

TcpFlow::TcpFlow(const TcpFlowSetup& setup) : setup_(setup) {
  set_type(setup_.source, setup_.kind);
  set_type(setup_.sink, setup_.kind);
  const ns3::UintegerValue buffer(socket_buffer(setup_));
  listener_ = Socket::CreateSocket(setup_.sink, ns3::TcpSocketFactory::GetTypeId());
  listener_->SetAttribute("RcvBufSize", ns3::UintegerValue(socket_buffer(setup_) + kWindowSpare));
  listener_->Bind(InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
  listener_->Listen();
  listener_->SetAcceptCallback(ns3::MakeNullCallback<bool, Ptr<Socket>, const ns3::Address&>(),
                               ns3::MakeCallback(&TcpFlow::accept, this));
  source_socket_ = Socket::CreateSocket(setup_.source, ns3::TcpSocketFactory::GetTypeId());
  source_socket_->SetAttribute("SndBufSize", buffer);
  source_socket_->SetAttribute("RcvBufSize", buffer);
  source_socket_->Bind();
  setup_.sink_device->TraceConnectWithoutContext("MacRx",
                                                 ns3::MakeCallback(&TcpFlow::on_arrival, this));
  source_socket_->SetSendCallback(ns3::MakeCallback(&TcpFlow::fill, this));
  ns3::Simulator::Schedule(simulator_time(setup_.start_s), &TcpFlow::start, this);
  ns3::Simulator::Schedule(simulator_time(setup_.stop_s), &TcpFlow::stop, this);
}

TcpFlow::~TcpFlow() = default;

void TcpFlow::start() {
  is_running_ = true;
  source_socket_->Connect(InetSocketAddress(setup_.sink_address, kPort));
  fill(source_socket_, source_socket_->GetTxAvailable());
}

// Its interface goes down: what the socket has buffered stays there, as when a peer is switched
// off.
void TcpFlow::stop() {
  is_running_ = false;
  const auto ip = setup_.source->GetObject<ns3::Ipv4>();
  for (std::uint32_t i = 1; i < ip->GetNInterfaces(); ++i) ip->SetDown(i);
}

void TcpFlow::fill(Ptr<Socket> socket, std::uint32_t) {
  while (is_running_) {
    std::int64_t size = std::min<std::int64_t>(kChunk, socket->GetTxAvailable());
    if (setup_.bytes) size = std::min(size, *setup_.bytes - offered_);
    if (size <= 0) return;
    const int sent = socket->Send(ns3::Create<Packet>(static_cast<std::uint32_t>(size)));
    if (sent <= 0) return;
    offered_ += sent;
  }
}

void TcpFlow::accept(Ptr<Socket> socket, const ns3::Address&) {
  sink_socket_ = socket;
  socket->SetRecvCallback(ns3::MakeCallback(&TcpFlow::receive, this));
}

void TcpFlow::on_arrival(Ptr<const Packet> packet) {
  if (packet->GetSize() >= kPayloadBytes) arrivals_.on_arrival(lab_now_s(), 0);
}

void TcpFlow::receive(Ptr<Socket> socket) {
  while (Ptr<Packet> packet = socket->Recv()) {
    received_ += packet->GetSize();
    if (setup_.bytes && !finished_s_ && received_ >= *setup_.bytes) finished_s_ = lab_now_s();
  }
}

}  // namespace farwheel::lab
