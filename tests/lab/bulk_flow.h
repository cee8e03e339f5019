// One flow under test over UDP: a source that sends when its sender may, and a receiver that
// reports each packet with its arrival rounded to 250 us, as transport-wide feedback does.
#pragma once

#include <ns3/event-id.h>
#include <ns3/ipv4-address.h>
#include <ns3/node.h>
#include <ns3/socket.h>

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "flow_log.h"
#include "sender.h"

namespace farwheel::lab {

struct BulkFlowSetup {
  ns3::Ptr<ns3::Node> source;
  ns3::Ptr<ns3::Node> sink;
  ns3::Ipv4Address sink_address;
  double start_s = 0;
  double stop_s = 200;
  double skew_ppm = 0;
  bool is_ecn_capable = false;
  // Packets to deliver; what is reported lost is sent again. Empty: without end.
  std::optional<std::int64_t> packets;
  // Bytes that wait in the source's own interface; empty: not read.
  std::function<std::int64_t()> driver_queue;
};

class BulkFlow {
 public:
  BulkFlow(std::unique_ptr<Sender> sender, const BulkFlowSetup& setup);
  ~BulkFlow();
  BulkFlow(const BulkFlow&) = delete;
  BulkFlow& operator=(const BulkFlow&) = delete;

  const FlowLog& log() const { return log_; }
  SenderState state() const;
  // Everything the sender told, in order.
  const std::vector<LoggedEvent>& events();
  // Seconds in each state until now.
  std::map<std::string, double> state_seconds();
  double start_s() const { return setup_.start_s; }

 private:
  void start();
  void stop();
  void pump();
  void wake_at(std::int64_t at_ns);
  void tick();
  void send();
  void receive(ns3::Ptr<ns3::Socket> socket);
  void acknowledge(std::int64_t number, std::int64_t sent_ns, bool is_marked);
  void take_report(ns3::Ptr<ns3::Socket> socket);
  void collect_events();

  std::unique_ptr<Sender> sender_;
  BulkFlowSetup setup_;
  ns3::Ptr<ns3::Socket> source_socket_;
  ns3::Ptr<ns3::Socket> sink_socket_;
  ns3::Address source_address_;
  ns3::EventId wake_;
  ns3::EventId tick_;
  std::int64_t wake_at_ns_ = -1;
  bool is_running_ = false;
  std::int64_t next_number_ = 0;
  std::int64_t to_send_ = std::numeric_limits<std::int64_t>::max();
  // Receiver's side.
  std::int64_t next_expected_ = 0;
  // Sender's side: the next packet that no report has named.
  std::int64_t next_unnamed_ = 0;
  std::vector<ReportedPacket> report_;
  FlowLog log_;
  std::vector<LoggedEvent> events_;
};

}  // namespace farwheel::lab
