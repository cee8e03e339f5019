// A point-to-point channel whose direction from one device may be delayed further and may lose
// packets: jitter, route changes, a slow way back. Order is kept: what left later arrives later.
#pragma once

#include <ns3/point-to-point-channel.h>

#include <array>
#include <functional>

namespace farwheel::lab {

class LabChannel : public ns3::PointToPointChannel {
 public:
  static ns3::TypeId GetTypeId();

  // Asked for each packet that leaves the device: what to add to the propagation delay.
  using ExtraDelay = std::function<ns3::Time()>;
  // True: the packet is lost after it was serialised.
  using Loss = std::function<bool()>;

  // `end`: 0 for the device attached first, 1 for the other.
  void add_delay(std::size_t end, ExtraDelay delay);
  void set_loss(std::size_t end, Loss loss);

  bool TransmitStart(ns3::Ptr<const ns3::Packet> packet,
                     ns3::Ptr<ns3::PointToPointNetDevice> source,
                     ns3::Time transmission_time) override;

 private:
  struct Direction {
    std::vector<ExtraDelay> delays;
    Loss loss;
    ns3::Time last_arrival;
  };
  std::array<Direction, 2> directions_;
};

}  // namespace farwheel::lab
