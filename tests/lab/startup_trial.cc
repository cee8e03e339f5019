#include "startup_trial.h"

#include <ns3/data-rate.h>
#include <ns3/queue.h>

#include <algorithm>

#include "lab_time.h"

namespace farwheel::lab {
namespace {

constexpr double kForever = 1e4;  // s; whoever runs the trial ends it
constexpr double kStepSeconds = 0.25;
constexpr double kQueueRounds = 12;
constexpr double kLeastWindow = 0.02;
constexpr double kReached = 0.90;
constexpr double kKept = 0.88;
constexpr int kKeptWindows = 4;

}  // namespace

StartupTrial::StartupTrial(const StartupConfig& config, const std::string& sender,
                           std::optional<std::int64_t> bytes)
    : config_(config), network_(config.run), rtt_s_(config.run.flows.front().rtt_ms / 1e3) {
  const FlowConfig& flow = config.run.flows.front();
  const double rate = config.run.link.rate_mbps;
  const EndPair pair = network_.add_pair({.rtt_ms = flow.rtt_ms,
                                          .jitter_ms = flow.jitter_ms,
                                          .has_wifi = flow.has_wifi,
                                          .source_mbps = config.driver_queue ? rate : 0});
  if (config.driver_queue) watch_driver_queue(pair);
  if (config.run.link.cross_share > 0) {
    const EndPair others = network_.add_pair({.rtt_ms = flow.rtt_ms});
    cross_ = std::make_unique<CrossTraffic>(others.source, others.sink, others.sink_address,
                                            config.run.link.cross_share * rate, kForever);
  }
  if (sender == "cubic" || sender == "tcpbbr") {
    add_tcp(pair, sender == "cubic" ? PeerKind::kCubic : PeerKind::kBbr, bytes);
  } else {
    add_bulk(pair, sender, bytes);
  }
  network_.finish();
  ns3::Simulator::Schedule(simulator_time(0), &StartupTrial::begin, this);
  ns3::Simulator::Schedule(simulator_time(kQueueRounds * rtt_s_), &StartupTrial::note_queue, this);
}

void StartupTrial::run(double most_s, const std::function<bool()>& is_done) {
  while (lab_now_s() < most_s && !is_done()) {
    ns3::Simulator::Stop(simulator_time(std::max(0.0, lab_now_s()) + kStepSeconds) -
                         ns3::Simulator::Now());
    ns3::Simulator::Run();
  }
}

std::optional<double> StartupTrial::completion_s() const {
  if (tcp_) {
    const auto at = tcp_->finished_s();
    return at ? std::optional(*at - rtt_s_) : std::nullopt;
  }
  return bulk_->log().arrival_of(packets_);
}

std::optional<double> StartupTrial::convergence_s() const {
  const double start = tcp_ ? rtt_s_ : 0;
  const double window = std::max(kLeastWindow, rtt_s_ / 2);
  const double goal = config_.run.link.rate_mbps * (1 - config_.run.link.cross_share);
  const FlowLog& log = tcp_ ? tcp_->arrivals() : bulk_->log();
  int kept = 0;
  for (int k = 0; start + (k + 1) * window <= lab_now_s(); ++k) {
    const double rate = log.throughput_mbps(start + k * window, start + (k + 1) * window);
    if (kept > 0 && rate >= kKept * goal) {
      if (++kept > kKeptWindows) return (k + 1 - kKeptWindows) * window - rtt_s_ / 2;
    } else {
      kept = rate >= kReached * goal ? 1 : 0;
    }
  }
  return std::nullopt;
}

double StartupTrial::local_queue_ms() const {
  return local_queue_bytes_ * 8.0 / 1e3 / (config_.run.link.rate_mbps / 2);
}

double StartupTrial::loss() const {
  if (!tcp_) return bulk_->log().loss(0, lab_now_s());
  const auto dropped = static_cast<double>(network_.dropped_tcp_packets());
  const auto arrived = static_cast<double>(tcp_->arrivals().owd(0, lab_now_s()).packets);
  return dropped > 0 ? dropped / (dropped + arrived) : 0;
}

void StartupTrial::add_tcp(const EndPair& pair, PeerKind kind, std::optional<std::int64_t> bytes) {
  TcpFlowSetup setup;
  setup.source = pair.source;
  setup.sink = pair.sink;
  setup.sink_address = pair.sink_address;
  setup.sink_device = pair.sink_device;
  setup.kind = kind;
  setup.rtt_ms = rtt_s_ * 1e3;
  setup.link_mbps = config_.run.link.rate_mbps;
  setup.queue_bytes = buffer_bytes(config_.run);
  setup.stop_s = kForever;
  setup.bytes = bytes;
  tcp_ = std::make_unique<TcpFlow>(setup);
}

void StartupTrial::add_bulk(const EndPair& pair, const std::string& sender,
                            std::optional<std::int64_t> bytes) {
  FlowConfig flow = config_.run.flows.front();
  flow.startup = "fbe";
  if (sender == "bbr2-classic") {
    flow.algorithm = "bbr2";
    flow.startup = "classic";
    flow.params.clear();
  }
  if (bytes) packets_ = (*bytes + kPayloadBytes - 1) / kPayloadBytes;
  BulkFlowSetup setup;
  setup.source = pair.source;
  setup.sink = pair.sink;
  setup.sink_address = pair.sink_address;
  setup.stop_s = kForever;
  setup.is_ecn_capable = config_.run.link.marks_ecn;
  if (bytes) setup.packets = packets_;
  if (config_.driver_queue) {
    setup.driver_queue = [device = pair.source_device] {
      return static_cast<std::int64_t>(device->GetQueue()->GetNBytes());
    };
  }
  bulk_ =
      std::make_unique<BulkFlow>(make_sender(flow, config_.run.seed, config_.run.plugin), setup);
}

void StartupTrial::watch_driver_queue(const EndPair& pair) {
  pair.source_device->GetQueue()->TraceConnectWithoutContext(
      "BytesInQueue", ns3::MakeCallback(&StartupTrial::on_local_queue, this));
  const auto half = static_cast<std::uint64_t>(config_.run.link.rate_mbps * 1e6 / 2);
  ns3::Simulator::Schedule(simulator_time(config_.driver_queue->halve_at_s),
                           &ns3::PointToPointNetDevice::SetDataRate, pair.source_device,
                           ns3::DataRate(half));
}

void StartupTrial::on_local_queue(std::uint32_t, std::uint32_t now) {
  if (lab_now_s() < config_.driver_queue->halve_at_s) return;
  local_queue_bytes_ = std::max(local_queue_bytes_, now);
}

void StartupTrial::begin() {
  network_.take_max_queue_ms();
}

void StartupTrial::note_queue() {
  max_queue_ms_ = network_.take_max_queue_ms();
  has_queue_ = true;
  if (!bulk_) return;
  const SenderState state = bulk_->state();
  estimate_ = state.estimate_mbps ? state.estimate_mbps : std::optional(state.bw_mbps);
  if (state.estimate_mbps) confidence_ = state.estimate_confidence;
}

}  // namespace farwheel::lab
