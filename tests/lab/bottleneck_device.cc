#include "bottleneck_device.h"

#include <ns3/point-to-point-channel.h>
#include <ns3/ppp-header.h>
#include <ns3/queue.h>
#include <ns3/simulator.h>

#include <algorithm>

namespace farwheel::lab {

using ns3::Ptr;
using ns3::Simulator;
using ns3::Time;

namespace {
constexpr std::int64_t kPppBytes = 2;
constexpr std::uint16_t kPppIpv4 = 0x0021;  // RFC 1661, IANA's list of PPP protocols
}  // namespace

ns3::TypeId BottleneckDevice::GetTypeId() {
  static const ns3::TypeId id = ns3::TypeId("farwheel::BottleneckDevice")
                                    .SetParent<ns3::PointToPointNetDevice>()
                                    .AddConstructor<BottleneckDevice>();
  return id;
}

BottleneckDevice::BottleneckDevice() : random_(ns3::CreateObject<ns3::UniformRandomVariable>()) {}

void BottleneckDevice::police(const Policer& policer) {
  policer_ = policer;
  bucket_ = static_cast<double>(policer.bucket_bytes);
}

void BottleneckDevice::grant(const GrantModel& model, double rate_mbps) {
  grants_ = model;
  grant_bytes_ = rate_mbps * 1e6 / 8 * model.slot_ms / 1e3;
}

bool BottleneckDevice::conforms(std::int64_t bytes) {
  const Time now = Simulator::Now();
  bucket_ = std::min(static_cast<double>(policer_->bucket_bytes),
                     bucket_ + (now - bucket_at_).GetSeconds() * policer_->mbps * 1e6 / 8);
  bucket_at_ = now;
  if (bucket_ < static_cast<double>(bytes)) return false;
  bucket_ -= static_cast<double>(bytes);
  return true;
}

bool BottleneckDevice::Send(Ptr<ns3::Packet> packet, const ns3::Address& to,
                            std::uint16_t protocol) {
  if (policer_ && !conforms(packet->GetSize() + kPppBytes)) {
    ++policed_packets_;
    return false;
  }
  if (!grants_) return PointToPointNetDevice::Send(packet, to, protocol);
  ns3::PppHeader ppp;
  ppp.SetProtocol(kPppIpv4);
  packet->AddHeader(ppp);
  return queue_for_grant(packet);
}

bool BottleneckDevice::queue_for_grant(Ptr<ns3::Packet> packet) {
  if (!GetQueue()->Enqueue(packet)) return false;
  if (grant_is_due_) return true;
  grant_is_due_ = true;
  // Grants lie on a grid that knows nothing of our packets.
  const std::int64_t slot = ns3::MilliSeconds(1).GetNanoSeconds();
  const auto period = static_cast<std::int64_t>(grants_->slot_ms * static_cast<double>(slot));
  const std::int64_t wait = period - Simulator::Now().GetNanoSeconds() % period;
  Simulator::Schedule(ns3::NanoSeconds(wait), &BottleneckDevice::on_grant, this);
  return true;
}

void BottleneckDevice::on_grant() {
  credit_ = std::min(credit_ + grant_bytes_,
                     grant_bytes_ + std::max(grant_bytes_, static_cast<double>(kWireBytes)));
  const bool is_repeated = random_->GetValue(0, 1) < grants_->harq_share;
  repeat_delay_ =
      is_repeated ? ns3::MicroSeconds(static_cast<std::uint64_t>(grants_->harq_ms * 1e3)) : Time(0);
  const auto channel = ns3::DynamicCast<ns3::PointToPointChannel>(GetChannel());
  Ptr<ns3::Queue<ns3::Packet>> queue = GetQueue();
  while (Ptr<const ns3::Packet> head = queue->Peek()) {
    if (head->GetSize() > credit_) break;
    credit_ -= head->GetSize();
    channel->TransmitStart(queue->Dequeue(), this, Time(0));
  }
  if (queue->IsEmpty()) {
    credit_ = 0;
    grant_is_due_ = false;
    return;
  }
  const auto period = static_cast<std::int64_t>(grants_->slot_ms * 1e6);
  Simulator::Schedule(ns3::NanoSeconds(period), &BottleneckDevice::on_grant, this);
}

}  // namespace farwheel::lab
