#include "bulk_flow.h"

#include <ns3/inet-socket-address.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>
#include <ns3/udp-socket-factory.h>

#include <algorithm>
#include <cstring>

#include "lab_time.h"

namespace farwheel::lab {
namespace {

using ns3::InetSocketAddress;
using ns3::Packet;
using ns3::Ptr;
using ns3::Simulator;
using ns3::Socket;

constexpr std::uint16_t kPort = 5000;
// As rtpbbrcc's control thread: twice as often while start-up may overrun the interface.
constexpr std::int64_t kTickNs = 10'000'000;
constexpr std::int64_t kStartupTickNs = 5'000'000;
constexpr std::int64_t kClockStepNs = 250'000;
// The receiver's clock began elsewhere; a sender that compares the two clocks must fail here.
constexpr std::int64_t kClockOffsetNs = 987'654'321'000;
// Loss entries of one report: what a 16-bit numbering can still name without doubt.
constexpr std::int64_t kMaxLost = 16000;
constexpr std::uint8_t kTosEct0 = 0x02;
constexpr std::uint8_t kTosCe = 0x03;

struct DataHeader {
  std::int64_t number;
  std::int64_t sent_ns;
};
struct ReportHeader {
  std::int64_t number;
  std::int64_t remote_ns;
  std::int64_t is_marked;
  std::int64_t reserved[2];  // a report is 40 bytes of payload
};

template <typename T>
Ptr<Packet> packet_with(const T& header, std::int64_t bytes) {
  std::uint8_t raw[sizeof(T)];
  std::memcpy(raw, &header, sizeof raw);
  Ptr<Packet> packet = ns3::Create<Packet>(raw, sizeof raw);
  packet->AddPaddingAtEnd(static_cast<std::uint32_t>(bytes - std::ssize(raw)));
  return packet;
}

template <typename T>
bool read_header(const Ptr<Packet>& packet, T& header) {
  std::uint8_t raw[sizeof(T)];
  if (packet->CopyData(raw, sizeof raw) != sizeof raw) return false;
  std::memcpy(&header, raw, sizeof raw);
  return true;
}

std::int64_t now_ns() {
  return Simulator::Now().GetNanoSeconds();
}

}  // namespace

BulkFlow::BulkFlow(std::unique_ptr<Sender> sender, const BulkFlowSetup& setup)
    : sender_(std::move(sender)), setup_(setup) {
  if (setup_.packets) to_send_ = *setup_.packets;
  sink_socket_ = Socket::CreateSocket(setup_.sink, ns3::UdpSocketFactory::GetTypeId());
  sink_socket_->Bind(InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
  sink_socket_->SetIpRecvTos(true);
  sink_socket_->SetRecvCallback(ns3::MakeCallback(&BulkFlow::receive, this));
  source_socket_ = Socket::CreateSocket(setup_.source, ns3::UdpSocketFactory::GetTypeId());
  source_socket_->Bind();
  source_socket_->Connect(InetSocketAddress(setup_.sink_address, kPort));
  // After Connect, which takes the address's own.
  if (setup_.is_ecn_capable) source_socket_->SetIpTos(kTosEct0);
  source_socket_->SetRecvCallback(ns3::MakeCallback(&BulkFlow::take_report, this));
  Simulator::Schedule(simulator_time(setup_.start_s), &BulkFlow::start, this);
  Simulator::Schedule(simulator_time(setup_.stop_s), &BulkFlow::stop, this);
}

BulkFlow::~BulkFlow() = default;

void BulkFlow::start() {
  is_running_ = true;
  tick();
}

void BulkFlow::stop() {
  is_running_ = false;
  Simulator::Cancel(wake_);
  Simulator::Cancel(tick_);
}

void BulkFlow::tick() {
  if (setup_.driver_queue) sender_->on_driver_queue(now_ns(), setup_.driver_queue());
  sender_->on_tick(now_ns());
  collect_events();
  pump();
  const bool may_overrun = setup_.driver_queue && state().state == "startup";
  tick_ = Simulator::Schedule(ns3::NanoSeconds(may_overrun ? kStartupTickNs : kTickNs),
                              &BulkFlow::tick, this);
}

void BulkFlow::pump() {
  while (is_running_ && to_send_ > 0) {
    const Sender::Decision decision = sender_->next(now_ns(), to_send_);
    if (!decision.may_send) {
      wake_at(decision.wake_ns);
      return;
    }
    send();
  }
}

void BulkFlow::wake_at(std::int64_t at_ns) {
  if (at_ns == wake_at_ns_ && wake_.IsRunning()) return;
  Simulator::Cancel(wake_);
  wake_at_ns_ = at_ns;
  wake_ = Simulator::Schedule(ns3::NanoSeconds(std::max<std::int64_t>(1, at_ns - now_ns())),
                              &BulkFlow::pump, this);
}

void BulkFlow::send() {
  const DataHeader header{.number = next_number_++, .sent_ns = now_ns()};
  --to_send_;
  sender_->on_sent(header.sent_ns, header.number);
  source_socket_->Send(packet_with(header, kPayloadBytes));
}

void BulkFlow::receive(Ptr<Socket> socket) {
  ns3::Address from;
  while (Ptr<Packet> packet = socket->RecvFrom(from)) {
    DataHeader header{};
    if (!read_header(packet, header)) continue;
    source_address_ = from;
    const std::int64_t now = now_ns();
    const double now_s = lab_now_s();
    if (header.number > next_expected_) {
      log_.on_loss(now_s, header.number - next_expected_);
    }
    next_expected_ = std::max(next_expected_, header.number + 1);
    log_.on_arrival(now_s, static_cast<double>(now - header.sent_ns) / 1e6);
    ns3::SocketIpTosTag tos;
    const bool has_tos = packet->RemovePacketTag(tos);
    acknowledge(header.number, now, has_tos && (tos.GetTos() & kTosCe) == kTosCe);
  }
}

void BulkFlow::acknowledge(std::int64_t number, std::int64_t at_ns, bool is_marked) {
  const double skewed = static_cast<double>(at_ns) * (1 + setup_.skew_ppm * 1e-6);
  const std::int64_t exact = static_cast<std::int64_t>(skewed) + kClockOffsetNs;
  const std::int64_t rounded = (exact + kClockStepNs / 2) / kClockStepNs * kClockStepNs;
  const ReportHeader header{.number = number, .remote_ns = rounded, .is_marked = is_marked ? 1 : 0};
  sink_socket_->SendTo(packet_with(header, sizeof header), 0, source_address_);
}

void BulkFlow::take_report(Ptr<Socket> socket) {
  while (Ptr<Packet> packet = socket->Recv()) {
    ReportHeader header{};
    if (!read_header(packet, header) || !is_running_) continue;
    report_.clear();
    // The way keeps its order: what the report skips did not arrive.
    std::int64_t missing = std::max(next_unnamed_, header.number - kMaxLost);
    for (; missing < header.number; ++missing) {
      report_.push_back({.sequence_number = static_cast<std::uint16_t>(missing), .lost = true});
      if (setup_.packets) ++to_send_;
    }
    next_unnamed_ = std::max(next_unnamed_, header.number + 1);
    report_.push_back({.sequence_number = static_cast<std::uint16_t>(header.number),
                       .lost = false,
                       .remote_ns = header.remote_ns});
    std::optional<std::int64_t> marks;
    if (setup_.is_ecn_capable) marks = header.is_marked;
    if (setup_.driver_queue) sender_->on_driver_queue(now_ns(), setup_.driver_queue());
    sender_->on_feedback(now_ns(), report_, marks);
  }
  pump();
}

SenderState BulkFlow::state() const {
  return sender_->state(now_ns());
}

void BulkFlow::collect_events() {
  for (LoggedEvent& event : sender_->take_events()) events_.push_back(std::move(event));
}

const std::vector<LoggedEvent>& BulkFlow::events() {
  collect_events();
  return events_;
}

std::map<std::string, double> BulkFlow::state_seconds() {
  constexpr std::string_view kArrow = " -> ";
  std::map<std::string, double> seconds;
  double since_s = setup_.start_s;
  std::string state = sender_->state(now_ns()).state;  // where it never changed
  bool is_first = true;
  for (const LoggedEvent& event : events()) {
    const std::size_t arrow = event.text.find(kArrow);
    if (event.name != "state" || arrow == std::string::npos) continue;
    const std::size_t from = event.text.find(' ') + 1;
    if (is_first) state = event.text.substr(from, arrow - from);
    is_first = false;
    const double at_s = static_cast<double>(event.at_ns) / 1e9 - kLeadInSeconds;
    seconds[state] += at_s - since_s;
    since_s = at_s;
    state = event.text.substr(arrow + kArrow.size());
  }
  const double end_s = std::min(setup_.stop_s, lab_now_s());
  seconds[state] += std::max(0.0, end_s - since_s);
  return seconds;
}

}  // namespace farwheel::lab
