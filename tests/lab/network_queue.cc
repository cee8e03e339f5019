// The queue disciplines that --queue may name, in front of a device that holds two packets.
#include "network_queue.h"

#include <ns3/boolean.h>
#include <ns3/drop-tail-queue.h>
#include <ns3/net-device-queue-interface.h>
#include <ns3/string.h>
#include <ns3/traffic-control-helper.h>
#include <ns3/traffic-control-layer.h>

#include "network.h"
#include "option_values.h"

namespace farwheel::lab {
namespace {

struct Discipline {
  const char* name;
  const char* type;
  bool can_mark;
  bool counts_packets;  // its limit is in packets, whatever is asked for
};
constexpr Discipline kDisciplines[] = {
    {"fq_codel", "ns3::FqCoDelQueueDisc", true, true},
    {"codel", "ns3::CoDelQueueDisc", true, false},
    {"pie", "ns3::PieQueueDisc", true, false},
    {"fq_pie", "ns3::FqPieQueueDisc", true, true},
    {"red", "ns3::RedQueueDisc", true, false},
    {"cobalt", "ns3::CobaltQueueDisc", true, false},
};

const Discipline& discipline(const std::string& name) {
  for (const Discipline& one : kDisciplines) {
    if (name == one.name) return one;
  }
  throw OptionError("--queue: '" + name + "' is unknown");
}

}  // namespace

std::vector<std::string> queue_names() {
  std::vector<std::string> names{"fifo"};
  for (const Discipline& one : kDisciplines) names.emplace_back(one.name);
  return names;
}

std::vector<std::string> marking_queue_names() {
  std::vector<std::string> names;
  for (const Discipline& one : kDisciplines) {
    if (one.can_mark) names.emplace_back(one.name);
  }
  return names;
}

void Network::add_queue_disc(const RunConfig& run) {
  const Discipline& one = discipline(link_.queue);
  const std::int64_t bytes = buffer_bytes(run);
  const std::string size = one.counts_packets
                               ? std::to_string(std::max<std::int64_t>(1, bytes / kWireBytes)) + "p"
                               : std::to_string(bytes) + "B";
  // Small enough that what waits, waits where the discipline sees it; a grant needs its own.
  auto queue = bottleneck_device_->GetQueue();
  queue->SetMaxSize(ns3::QueueSize(link_.grants ? "64p" : "2p"));
  // The discipline holds back what the device has no room for.
  auto control = ns3::CreateObject<ns3::NetDeviceQueueInterface>();
  control->GetTxQueue(0)->ConnectQueueTraces(ns3::DynamicCast<ns3::Queue<ns3::Packet>>(queue));
  bottleneck_device_->AggregateObject(control);
  ns3::TrafficControlHelper helper;
  helper.SetRootQueueDisc(one.type, "MaxSize", ns3::StringValue(size));
  const ns3::Ptr<ns3::QueueDisc> disc = helper.Install(bottleneck_device_).Get(0);
  if (link_.marks_ecn) disc->SetAttributeFailSafe("UseEcn", ns3::BooleanValue(true));
  disc->TraceConnectWithoutContext("BytesInQueue",
                                   ns3::MakeCallback(&Network::on_queue_bytes, this));
}

}  // namespace farwheel::lab
