#include "lte_cell.h"

#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/mobility-helper.h>
#include <ns3/rectangle.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

namespace farwheel::lab {
namespace {

using ns3::Ptr;

constexpr unsigned kResourceBlocks = 25;
constexpr double kCellRadius = 300;                                              // m
constexpr const char* kPhoneSpeed = "ns3::ConstantRandomVariable[Constant=14]";  // m/s: 50 km/h
constexpr const char* kPhonesNetwork = "7.0.0.0";  // what the EPC helper gives out

}  // namespace

LteCell::LteCell(int phones, std::int64_t buffer_bytes) {
  ns3::Config::SetDefault("ns3::LteRlcUm::MaxTxBufferSize",
                          ns3::UintegerValue(static_cast<std::uint64_t>(buffer_bytes)));
  // Each phone needs its own place among the sounding signals.
  ns3::Config::SetDefault("ns3::LteEnbRrc::SrsPeriodicity", ns3::UintegerValue(40));
  epc_ = ns3::CreateObject<ns3::PointToPointEpcHelper>();
  lte_ = ns3::CreateObject<ns3::LteHelper>();
  lte_->SetEpcHelper(epc_);
  lte_->SetSchedulerType("ns3::PfFfMacScheduler");
  lte_->SetEnbDeviceAttribute("UlBandwidth", ns3::UintegerValue(kResourceBlocks));
  lte_->SetEnbDeviceAttribute("DlBandwidth", ns3::UintegerValue(kResourceBlocks));
  const Ptr<ns3::Node> tower = ns3::CreateObject<ns3::Node>();
  phones_.Create(static_cast<std::uint32_t>(phones));
  place(tower);
  tower_devices_ = lte_->InstallEnbDevice(tower);
  phone_devices_ = lte_->InstallUeDevice(phones_);
  ns3::InternetStackHelper().Install(phones_);
  const ns3::Ipv4InterfaceContainer interfaces = epc_->AssignUeIpv4Address(phone_devices_);
  ns3::Ipv4StaticRoutingHelper routing;
  for (std::uint32_t i = 0; i < phones_.GetN(); ++i) {
    addresses_.push_back(interfaces.GetAddress(i));
    routing.GetStaticRouting(phones_.Get(i)->GetObject<ns3::Ipv4>())
        ->SetDefaultRoute(epc_->GetUeDefaultGatewayAddress(), 1);
    lte_->Attach(phone_devices_.Get(i), tower_devices_.Get(0));
  }
}

void LteCell::place(Ptr<ns3::Node> tower) {
  ns3::MobilityHelper still;
  still.Install(tower);
  ns3::MobilityHelper walk;
  walk.SetPositionAllocator("ns3::UniformDiscPositionAllocator", "rho",
                            ns3::DoubleValue(kCellRadius / 3));
  walk.SetMobilityModel(
      "ns3::RandomWalk2dMobilityModel", "Bounds",
      ns3::RectangleValue(ns3::Rectangle(-kCellRadius, kCellRadius, -kCellRadius, kCellRadius)),
      "Distance", ns3::DoubleValue(50), "Speed", ns3::StringValue(kPhoneSpeed));
  walk.Install(phones_);
}

LteCell::Phone LteCell::next_phone() {
  const std::uint32_t index = next_++ % phones_.GetN();
  return {phones_.Get(index), addresses_[index]};
}

void LteCell::route_to_phones(Ptr<ns3::Node> sink, ns3::Ipv4Address gateway) {
  ns3::Ipv4StaticRoutingHelper routing;
  routing.GetStaticRouting(sink->GetObject<ns3::Ipv4>())
      ->AddNetworkRouteTo(ns3::Ipv4Address(kPhonesNetwork), ns3::Ipv4Mask("255.0.0.0"), gateway, 1);
}

}  // namespace farwheel::lab
