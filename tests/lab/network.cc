#include "network.h"

#include <ns3/data-rate.h>
#include <ns3/drop-tail-queue.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-global-routing-helper.h>
#include <ns3/ipv4-header.h>
#include <ns3/net-device-queue-interface.h>
#include <ns3/ppp-header.h>
#include <ns3/simulator.h>
#include <ns3/tcp-l4-protocol.h>
#include <ns3/traffic-control-helper.h>
#include <ns3/traffic-control-layer.h>

#include <algorithm>
#include <memory>

#include "lab_time.h"

namespace farwheel::lab {
namespace {

using ns3::Ptr;
using ns3::Time;

constexpr double kBottleneckDelayMs = 1;
constexpr double kLeastAccessMbps = 100;
// An access link slower than this many times the bottleneck would pace what the sender does not.
constexpr double kAccessFactor = 10;
// Behind the bottleneck nothing queues; what a hop there takes counts as little as may be.
constexpr double kSinkFactor = 10;

Time milliseconds(double ms) {
  return ns3::NanoSeconds(static_cast<std::int64_t>(ms * 1e6 + 0.5));
}

ns3::DataRate megabits(double mbps) {
  return ns3::DataRate(static_cast<std::uint64_t>(mbps * 1e6 + 0.5));
}

// Sum of the steps whose time has come.
Time route_delay(const std::vector<DelayStep>& steps) {
  double ms = 0;
  const double now_s = lab_now_s();
  for (const DelayStep& step : steps) {
    if (step.at_s <= now_s) ms += step.ms;
  }
  return milliseconds(std::max(0.0, ms));
}

Time reverse_delay(const std::vector<DelayStep>& steps) {
  double ms = 0;
  const double now_s = lab_now_s();
  for (const DelayStep& step : steps) {
    if (step.at_s <= now_s) ms = step.ms;
  }
  return milliseconds(ms);
}

}  // namespace

Network::Network(const RunConfig& run)
    : link_(run.link),
      access_mbps_(std::max(kLeastAccessMbps, kAccessFactor * run.link.rate_mbps)),
      near_(ns3::CreateObject<ns3::Node>()),
      far_(ns3::CreateObject<ns3::Node>()) {
  if (link_.lte_phones > 0) {
    lte_ = std::make_unique<LteCell>(link_.lte_phones, buffer_bytes(run));
    return;
  }
  ns3::InternetStackHelper().Install(near_);
  ns3::InternetStackHelper().Install(far_);
  build_bottleneck(run);
}

Network::Link Network::connect(Ptr<ns3::Node> near, Ptr<ns3::Node> far,
                               Ptr<ns3::PointToPointNetDevice> near_device,
                               const LinkSetup& setup) {
  Link link;
  link.near = near_device;
  link.far = ns3::CreateObject<ns3::PointToPointNetDevice>();
  link.channel = ns3::CreateObject<LabChannel>();
  link.channel->SetAttribute("Delay", ns3::TimeValue(milliseconds(setup.delay_ms)));
  for (const auto& [device, node] : {std::pair(link.near, near), std::pair(link.far, far)}) {
    device->SetAddress(ns3::Mac48Address::Allocate());
    device->SetDataRate(megabits(setup.mbps));
    auto queue = ns3::CreateObject<ns3::DropTailQueue<ns3::Packet>>();
    const bool is_near = device == link.near;
    queue->SetMaxSize(ns3::QueueSize(is_near ? setup.queue_size : "20000p"));
    device->SetQueue(queue);
    node->AddDevice(device);
    device->Attach(link.channel);
  }
  const std::uint32_t subnet = next_subnet_++;
  const std::string base =
      "10." + std::to_string(subnet / 256) + "." + std::to_string(subnet % 256) + ".0";
  ns3::Ipv4AddressHelper addresses(base.c_str(), "255.255.255.0");
  ns3::NetDeviceContainer devices;
  devices.Add(link.near);
  devices.Add(link.far);
  const ns3::Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
  // Assign puts a queue discipline on whatever it can: the link's queue is the device's own.
  for (std::uint32_t i = 0; i < devices.GetN(); ++i) {
    const Ptr<ns3::NetDevice> device = devices.Get(i);
    const auto control = device->GetNode()->GetObject<ns3::TrafficControlLayer>();
    if (control && control->GetRootQueueDiscOnDevice(device)) {
      ns3::TrafficControlHelper().Uninstall(device);
    }
  }
  link.near_address = interfaces.GetAddress(0);
  link.far_address = interfaces.GetAddress(1);
  return link;
}

void Network::build_bottleneck(const RunConfig& run) {
  bottleneck_device_ = ns3::CreateObject<BottleneckDevice>();
  if (link_.policer) bottleneck_device_->police(*link_.policer);
  if (link_.grants) bottleneck_device_->grant(*link_.grants, link_.rate_mbps);
  bottleneck_ = connect(near_, far_, bottleneck_device_,
                        {.mbps = link_.rate_mbps,
                         .delay_ms = kBottleneckDelayMs,
                         .queue_size = std::to_string(buffer_bytes(run)) + "B"});
  // Acknowledgements never queue.
  bottleneck_.far->SetDataRate(megabits(access_mbps_));
  if (link_.grants) {
    bottleneck_.channel->add_delay(0, [this] { return bottleneck_device_->repeat_delay(); });
  }
  if (link_.loss > 0) {
    auto random = ns3::CreateObject<ns3::UniformRandomVariable>();
    bottleneck_.channel->set_loss(
        0, [random, share = link_.loss] { return random->GetValue(0, 1) < share; });
  }
  add_route_steps(link_);
  const auto queue = bottleneck_device_->GetQueue();
  queue->TraceConnectWithoutContext("BytesInQueue",
                                    ns3::MakeCallback(&Network::on_queue_bytes, this));
  queue->TraceConnectWithoutContext("Drop", ns3::MakeCallback(&Network::on_drop, this));
  if (link_.queue != "fifo") add_queue_disc(run);
}

void Network::add_route_steps(const LinkConfig& link) {
  if (!link.route_steps.empty()) {
    bottleneck_.channel->add_delay(0, [steps = link.route_steps] { return route_delay(steps); });
  }
  if (!link.reverse_steps.empty()) {
    bottleneck_.channel->add_delay(1,
                                   [steps = link.reverse_steps] { return reverse_delay(steps); });
  }
}

EndPair Network::add_phone(double rtt_ms) {
  const LteCell::Phone phone = lte_->next_phone();
  EndPair pair;
  pair.source = phone.node;
  pair.source_address = phone.address;
  pair.sink = ns3::CreateObject<ns3::Node>();
  ns3::InternetStackHelper().Install(pair.sink);
  const Link down =
      connect(lte_->gateway(), pair.sink, ns3::CreateObject<ns3::PointToPointNetDevice>(),
              {.mbps = kSinkFactor * access_mbps_, .delay_ms = rtt_ms / 2});
  pair.sink_address = down.far_address;
  pair.sink_device = down.far;
  LteCell::route_to_phones(pair.sink, down.near_address);
  return pair;
}

EndPair Network::add_pair(const PairSetup& setup) {
  if (lte_) return add_phone(setup.rtt_ms);
  const double side_ms = std::max(0.0, (setup.rtt_ms / 2 - kBottleneckDelayMs) / 2);
  EndPair pair;
  pair.source = ns3::CreateObject<ns3::Node>();
  pair.sink = ns3::CreateObject<ns3::Node>();
  ns3::InternetStackHelper().Install(pair.source);
  ns3::InternetStackHelper().Install(pair.sink);
  Ptr<ns3::Node> wired = pair.source;
  if (setup.has_wifi) {
    wired = ns3::CreateObject<ns3::Node>();  // the access point
    ns3::InternetStackHelper().Install(wired);
    pair.source_address = attach_wifi(pair.source, wired);
  }
  const double source_mbps = setup.source_mbps > 0 ? setup.source_mbps : access_mbps_;
  const Link up = connect(wired, near_, ns3::CreateObject<ns3::PointToPointNetDevice>(),
                          {.mbps = source_mbps, .delay_ms = side_ms});
  const Link down = connect(far_, pair.sink, ns3::CreateObject<ns3::PointToPointNetDevice>(),
                            {.mbps = kSinkFactor * access_mbps_, .delay_ms = side_ms});
  up.far->SetDataRate(megabits(access_mbps_));
  if (!setup.has_wifi) {
    pair.source_address = up.near_address;
    pair.source_device = up.near;
  }
  pair.sink_address = down.far_address;
  pair.sink_device = down.far;
  if (setup.jitter_ms > 0) {
    auto random = ns3::CreateObject<ns3::ExponentialRandomVariable>();
    up.channel->add_delay(
        0, [random, mean = setup.jitter_ms] { return milliseconds(random->GetValue(mean, 0)); });
  }
  return pair;
}

void Network::finish() {
  if (!lte_) ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();
}

double Network::take_max_queue_ms() {
  const double ms = max_queue_bytes_ * 8.0 / 1e3 / link_.rate_mbps;
  max_queue_bytes_ = 0;
  return ms;
}

void Network::on_queue_bytes(std::uint32_t, std::uint32_t now) {
  max_queue_bytes_ = std::max(max_queue_bytes_, now);
}

void Network::on_drop(Ptr<const ns3::Packet> packet) {
  ++dropped_packets_;
  ns3::PppHeader ppp;
  ns3::Ipv4Header ip;
  const Ptr<ns3::Packet> copy = packet->Copy();
  copy->RemoveHeader(ppp);
  copy->RemoveHeader(ip);
  if (ip.GetProtocol() == ns3::TcpL4Protocol::PROT_NUMBER) ++dropped_tcp_packets_;
}

}  // namespace farwheel::lab
