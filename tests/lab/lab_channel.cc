#include "lab_channel.h"

#include <ns3/node.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/simulator.h>

#include <algorithm>

namespace farwheel::lab {

using ns3::Ptr;
using ns3::Simulator;
using ns3::Time;

ns3::TypeId LabChannel::GetTypeId() {
  static const ns3::TypeId id = ns3::TypeId("farwheel::LabChannel")
                                    .SetParent<ns3::PointToPointChannel>()
                                    .AddConstructor<LabChannel>();
  return id;
}

void LabChannel::add_delay(std::size_t end, ExtraDelay delay) {
  directions_[end].delays.push_back(std::move(delay));
}

void LabChannel::set_loss(std::size_t end, Loss loss) {
  directions_[end].loss = std::move(loss);
}

bool LabChannel::TransmitStart(Ptr<const ns3::Packet> packet,
                               Ptr<ns3::PointToPointNetDevice> source, Time transmission_time) {
  const std::size_t end = GetPointToPointDevice(0) == source ? 0 : 1;
  Direction& direction = directions_[end];
  if (direction.loss && direction.loss()) return true;
  Time arrival = Simulator::Now() + transmission_time + GetDelay();
  for (const ExtraDelay& delay : direction.delays) arrival += delay();
  arrival = std::max(arrival, direction.last_arrival);
  direction.last_arrival = arrival;
  const Ptr<ns3::PointToPointNetDevice> peer = GetPointToPointDevice(1 - end);
  Simulator::ScheduleWithContext(peer->GetNode()->GetId(), arrival - Simulator::Now(),
                                 &ns3::PointToPointNetDevice::Receive, peer, packet->Copy());
  return true;
}

}  // namespace farwheel::lab
