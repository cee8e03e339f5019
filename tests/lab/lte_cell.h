// An LTE cell in the place of the dumbbell's bottleneck: phones that move, one eNB, one gateway;
// each flow goes up from its own phone. ns-3's lte module does the radio: proportional-fair
// scheduling, grants by buffer status, HARQ. 5 MHz (25 resource blocks) each way.
#pragma once

#include <ns3/lte-helper.h>
#include <ns3/net-device-container.h>
#include <ns3/node-container.h>
#include <ns3/point-to-point-epc-helper.h>

#include <cstdint>

namespace farwheel::lab {

class LteCell {
 public:
  // `buffer_bytes`: what a phone's radio queue holds.
  LteCell(int phones, std::int64_t buffer_bytes);

  struct Phone {
    ns3::Ptr<ns3::Node> node;
    ns3::Ipv4Address address;
  };
  // Each phone once, in order.
  Phone next_phone();
  ns3::Ptr<ns3::Node> gateway() const { return epc_->GetPgwNode(); }
  // How a sink beyond the gateway gets back to the phones.
  static void route_to_phones(ns3::Ptr<ns3::Node> sink, ns3::Ipv4Address gateway);

 private:
  void place(ns3::Ptr<ns3::Node> tower);

  ns3::Ptr<ns3::PointToPointEpcHelper> epc_;
  ns3::Ptr<ns3::LteHelper> lte_;
  ns3::NodeContainer phones_;
  ns3::NetDeviceContainer phone_devices_;
  ns3::NetDeviceContainer tower_devices_;
  std::vector<ns3::Ipv4Address> addresses_;
  std::uint32_t next_ = 0;
};

}  // namespace farwheel::lab
