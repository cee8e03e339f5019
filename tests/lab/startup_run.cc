#include "startup_run.h"

#include <ns3/config.h>
#include <ns3/data-rate.h>
#include <ns3/queue.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <memory>

#include "bulk_flow.h"
#include "cross_traffic.h"
#include "figure.h"
#include "lab_time.h"
#include "network.h"
#include "paper/process_pool.h"
#include "tcp_flow.h"

namespace farwheel::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kEnoughSeconds = 60;       // a transfer that takes longer has failed
constexpr double kConvergenceSeconds = 10;  // and a start-up
constexpr double kStepSeconds = 0.25;
constexpr double kQueueRounds = 12;
constexpr double kLeastWindow = 0.02;
constexpr double kReached = 0.90;
constexpr double kKept = 0.88;
constexpr int kKeptWindows = 4;

// One sender, alone on its link.
class Trial {
 public:
  Trial(const StartupConfig& config, const std::string& sender, std::optional<std::int64_t> bytes)
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
      cross_ =
          std::make_unique<CrossTraffic>(others.source, others.sink, others.sink_address,
                                         config.run.link.cross_share * rate, kEnoughSeconds * 2);
    }
    if (sender == "cubic" || sender == "tcpbbr") {
      add_tcp(pair, sender == "cubic" ? PeerKind::kCubic : PeerKind::kBbr, bytes);
    } else {
      add_bulk(pair, sender, bytes);
    }
    network_.finish();
    ns3::Simulator::Schedule(simulator_time(0), &Trial::begin, this);
    ns3::Simulator::Schedule(simulator_time(kQueueRounds * rtt_s_), &Trial::note_queue, this);
  }

  // Runs until `is_done`, or until so many seconds have passed.
  template <typename Done>
  void run(double most_s, Done is_done) {
    while (lab_now_s() < most_s && !is_done()) {
      ns3::Simulator::Stop(simulator_time(std::max(0.0, lab_now_s()) + kStepSeconds) -
                           ns3::Simulator::Now());
      ns3::Simulator::Run();
    }
  }

  // From the first packet on; of TCP, without its handshake.
  std::optional<double> completion_s() const {
    if (tcp_) {
      const auto at = tcp_->finished_s();
      return at ? std::optional(*at - rtt_s_) : std::nullopt;
    }
    return bulk_->log().arrival_of(packets_);
  }

  std::optional<double> convergence_s() const {
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

  bool has_queue() const { return has_queue_; }
  double max_queue_ms() const { return max_queue_ms_; }
  double local_queue_ms() const {
    return local_queue_bytes_ * 8.0 / 1e3 / (config_.run.link.rate_mbps / 2);
  }
  double loss() const {
    if (!tcp_) return bulk_->log().loss(0, lab_now_s());
    const auto dropped = static_cast<double>(network_.dropped_tcp_packets());
    const auto arrived = static_cast<double>(tcp_->arrivals().owd(0, lab_now_s()).packets);
    return dropped > 0 ? dropped / (dropped + arrived) : 0;
  }
  Json estimate() const {
    if (!estimate_) return nullptr;
    return figure(*estimate_);
  }
  Json confidence() const {
    if (!confidence_) return nullptr;
    return figure(*confidence_);
  }

 private:
  void add_tcp(const EndPair& pair, PeerKind kind, std::optional<std::int64_t> bytes) {
    TcpFlowSetup setup;
    setup.source = pair.source;
    setup.sink = pair.sink;
    setup.sink_address = pair.sink_address;
    setup.sink_device = pair.sink_device;
    setup.kind = kind;
    setup.rtt_ms = rtt_s_ * 1e3;
    setup.link_mbps = config_.run.link.rate_mbps;
    setup.queue_bytes = buffer_bytes(config_.run);
    setup.stop_s = kEnoughSeconds * 2;
    setup.bytes = bytes;
    tcp_ = std::make_unique<TcpFlow>(setup);
  }

  void add_bulk(const EndPair& pair, const std::string& sender, std::optional<std::int64_t> bytes) {
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
    setup.stop_s = kEnoughSeconds * 2;
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

  void watch_driver_queue(const EndPair& pair) {
    pair.source_device->GetQueue()->TraceConnectWithoutContext(
        "BytesInQueue", ns3::MakeCallback(&Trial::on_local_queue, this));
    const auto half = static_cast<std::uint64_t>(config_.run.link.rate_mbps * 1e6 / 2);
    ns3::Simulator::Schedule(simulator_time(config_.driver_queue->halve_at_s),
                             &ns3::PointToPointNetDevice::SetDataRate, pair.source_device,
                             ns3::DataRate(half));
  }

  void on_local_queue(std::uint32_t, std::uint32_t now) {
    if (lab_now_s() < config_.driver_queue->halve_at_s) return;
    local_queue_bytes_ = std::max(local_queue_bytes_, now);
  }

  void begin() { network_.take_max_queue_ms(); }
  void note_queue() {
    max_queue_ms_ = network_.take_max_queue_ms();
    has_queue_ = true;
    if (!bulk_) return;
    const SenderState state = bulk_->state();
    estimate_ = state.estimate_mbps ? state.estimate_mbps : std::optional(state.bw_mbps);
    if (state.estimate_mbps) confidence_ = state.estimate_confidence;
  }

  const StartupConfig& config_;
  Network network_;
  double rtt_s_;
  std::unique_ptr<CrossTraffic> cross_;
  std::unique_ptr<TcpFlow> tcp_;
  std::unique_ptr<BulkFlow> bulk_;
  std::int64_t packets_ = 0;
  bool has_queue_ = false;
  double max_queue_ms_ = 0;
  std::uint32_t local_queue_bytes_ = 0;
  std::optional<double> estimate_;
  std::optional<double> confidence_;
};

Json milliseconds_or_null(std::optional<double> seconds) {
  return seconds ? Json(figure(*seconds * 1e3, 3)) : Json(nullptr);
}

// The start-up of a flow without end, whose rate can be seen to hold.
Json endless_figures(const StartupConfig& config, const std::string& name) {
  Trial trial(config, name, std::nullopt);
  trial.run(kConvergenceSeconds,
            [&] { return trial.has_queue() && trial.convergence_s().has_value(); });
  return {{"name", name},
          {"convergence_ms", milliseconds_or_null(trial.convergence_s())},
          {"fct_ms", nullptr},
          {"max_queue_ms", figure(trial.max_queue_ms(), 3)},
          {"estimate_mbps", trial.estimate()},
          {"estimate_confidence", trial.confidence()},
          {"loss", figure(trial.loss(), 6)}};
}

// The transfer that ends.
Json transfer_figures(const StartupConfig& config, const std::string& name) {
  Trial trial(config, name, config.bytes);
  trial.run(kEnoughSeconds, [&] { return trial.completion_s().has_value(); });
  Json json{{"fct_ms", milliseconds_or_null(trial.completion_s())},
            {"transfer_loss", figure(trial.loss(), 6)}};
  if (config.driver_queue) json["local_queue_ms"] = figure(trial.local_queue_ms(), 3);
  return json;
}

void prepare(std::uint64_t seed) {
  ns3::RngSeedManager::SetSeed(1);
  ns3::RngSeedManager::SetRun(seed);
  ns3::Config::SetDefault("ns3::ArpCache::PendingQueueSize", ns3::UintegerValue(1000));
  TcpFlow::set_defaults();
}

}  // namespace

Json run_startup(const StartupConfig& config) {
  // What cannot be made is told before the first run.
  make_sender(config.run.flows.front(), config.run.seed, config.run.plugin);
  std::vector<Job> jobs;
  for (const std::string& name : config.senders) {
    for (const auto run : {endless_figures, transfer_figures}) {
      jobs.push_back({name, [&config, name, run] {
                        prepare(config.run.seed);
                        return run(config, name);
                      }});
    }
  }
  const std::vector<Json> figures = run_jobs(jobs, 1, Progress::kHidden);
  Json result;
  result["senders"] = Json::array();
  for (std::size_t i = 0; i < figures.size(); i += 2) {
    Json sender = figures[i];
    sender.update(figures[i + 1]);
    result["senders"].push_back(sender);
  }
  const LinkConfig& link = config.run.link;
  result["rate_mbps"] = link.rate_mbps;
  result["rtt_ms"] = config.run.flows.front().rtt_ms;
  result["bytes"] = config.bytes;
  result["cross_share"] = link.cross_share;
  result["initial_window_queue_ms"] = figure(10 * kWireBytes * 8 / 1e3 / link.rate_mbps, 3);
  result["seed"] = config.run.seed;
  return result;
}

}  // namespace farwheel::lab
