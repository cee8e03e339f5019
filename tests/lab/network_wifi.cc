// 802.11n between a source that walks at random and its access point.
#include <ns3/ipv4-address-helper.h>
#include <ns3/mobility-helper.h>
#include <ns3/rectangle.h>
#include <ns3/ssid.h>
#include <ns3/string.h>
#include <ns3/traffic-control-helper.h>
#include <ns3/wifi-helper.h>
#include <ns3/wifi-mac-helper.h>
#include <ns3/yans-wifi-helper.h>

#include "network.h"

namespace farwheel::lab {

ns3::Ipv4Address Network::attach_wifi(ns3::Ptr<ns3::Node> station,
                                      ns3::Ptr<ns3::Node> access_point) {
  ns3::YansWifiPhyHelper phy;
  phy.SetChannel(ns3::YansWifiChannelHelper::Default().Create());
  phy.Set("ChannelSettings", ns3::StringValue("{0, 20, BAND_5GHZ, 0}"));
  ns3::WifiHelper wifi;
  wifi.SetStandard(ns3::WIFI_STANDARD_80211n);
  wifi.SetRemoteStationManager("ns3::MinstrelHtWifiManager");
  const ns3::Ssid ssid("farwheel-lab-" + std::to_string(next_subnet_));
  ns3::WifiMacHelper mac;
  mac.SetType("ns3::StaWifiMac", "Ssid", ns3::SsidValue(ssid));
  ns3::NetDeviceContainer devices = wifi.Install(phy, mac, station);
  mac.SetType("ns3::ApWifiMac", "Ssid", ns3::SsidValue(ssid));
  devices.Add(wifi.Install(phy, mac, access_point));

  ns3::MobilityHelper still;
  still.Install(access_point);
  ns3::MobilityHelper walk;
  walk.SetMobilityModel("ns3::RandomWalk2dMobilityModel", "Bounds",
                        ns3::RectangleValue(ns3::Rectangle(-25, 25, -25, 25)));
  walk.Install(station);

  const std::uint32_t subnet = next_subnet_++;
  const std::string base =
      "10." + std::to_string(subnet / 256) + "." + std::to_string(subnet % 256) + ".0";
  ns3::Ipv4AddressHelper addresses(base.c_str(), "255.255.255.0");
  const ns3::Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
  ns3::TrafficControlHelper().Uninstall(devices);
  return interfaces.GetAddress(0);
}

}  // namespace farwheel::lab
