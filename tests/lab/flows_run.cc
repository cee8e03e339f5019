#include "flows_run.h"

#include <ns3/config.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <memory>

#include "bulk_flow.h"
#include "cross_traffic.h"
#include "figure.h"
#include "lab_time.h"
#include "network.h"
#include "series.h"
#include "tcp_flow.h"

namespace farwheel::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSteadyFrom = 10;  // start-up is over
constexpr double kWorstSpan = 5;
constexpr double kSettledMargin = 10;  // ms over the path's own delay
constexpr double kMostStartOffset = 0.01;

// Seeds move the starts by some milliseconds, each flow by its own.
double start_offset_s(std::uint64_t seed, std::size_t flow) {
  std::uint64_t mixed = (seed * 0x9e3779b97f4a7c15ULL) ^ ((flow + 1) * 0xbf58476d1ce4e5b9ULL);
  mixed ^= mixed >> 31;
  mixed *= 0x94d049bb133111ebULL;
  mixed ^= mixed >> 29;
  return static_cast<double>(mixed % 10000) / 10000 * kMostStartOffset;
}

class FlowsRun {
 public:
  FlowsRun(const RunConfig& run, const SenderFactory& senders) : run_(run), network_(run) {
    add_flows(senders);
    add_peers();
    if (run_.link.cross_share > 0) add_cross_traffic();
    network_.finish();
  }

  Json run() {
    SeriesRecorder series(run_, flows_, peers_);
    ns3::Simulator::Stop(simulator_time(run_.duration_s));
    ns3::Simulator::Run();
    series.write();
    return figures();
  }

 private:
  void add_flows(const SenderFactory& senders) {
    for (std::size_t i = 0; i < run_.flows.size(); ++i) {
      const FlowConfig& flow = run_.flows[i];
      const EndPair pair = network_.add_pair(
          {.rtt_ms = flow.rtt_ms, .jitter_ms = flow.jitter_ms, .has_wifi = flow.has_wifi});
      BulkFlowSetup setup;
      setup.source = pair.source;
      setup.sink = pair.sink;
      setup.sink_address = pair.sink_address;
      setup.start_s = flow.start_s + start_offset_s(run_.seed, i);
      setup.stop_s = run_.duration_s;
      setup.skew_ppm = flow.skew_ppm;
      setup.is_ecn_capable = run_.link.marks_ecn;
      const std::uint64_t seed = run_.seed * 1000 + i;
      flows_.push_back(std::make_unique<BulkFlow>(
          senders ? senders(flow, seed) : make_sender(flow, seed, run_.plugin), setup));
    }
  }

  void add_peers() {
    for (std::size_t i = 0; i < run_.peers.size(); ++i) {
      const PeerConfig& peer = run_.peers[i];
      const double rtt_ms = peer.rtt_ms.value_or(run_.flows.front().rtt_ms);
      const EndPair pair = network_.add_pair({.rtt_ms = rtt_ms});
      TcpFlowSetup setup;
      setup.source = pair.source;
      setup.sink = pair.sink;
      setup.sink_address = pair.sink_address;
      setup.sink_device = pair.sink_device;
      setup.kind = peer.kind;
      setup.rtt_ms = rtt_ms;
      setup.link_mbps = run_.link.rate_mbps;
      setup.queue_bytes = buffer_bytes(run_);
      setup.start_s = peer.start_s + start_offset_s(run_.seed, 100 + i);
      setup.stop_s = std::min(run_.duration_s, peer.stop_s.value_or(run_.duration_s));
      peers_.push_back(std::make_unique<TcpFlow>(setup));
    }
  }

  void add_cross_traffic() {
    const EndPair pair = network_.add_pair({.rtt_ms = run_.flows.front().rtt_ms});
    cross_ = std::make_unique<CrossTraffic>(pair.source, pair.sink, pair.sink_address,
                                            run_.link.cross_share * run_.link.rate_mbps,
                                            run_.duration_s);
  }

  Json figures() {
    Json result;
    std::vector<double> shares;
    double delivered = 0;
    result["flows"] = Json::array();
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      result["flows"].push_back(flow_figures(i));
      const double start = flows_[i]->start_s();
      const double share = flows_[i]->log().throughput_mbps(start, run_.duration_s);
      shares.push_back(share);
      delivered += share * (run_.duration_s - start);
    }
    result["jain"] = figure(jain(shares), 5);
    double taken = delivered;
    result["peers"] = Json::array();
    for (const auto& peer : peers_) {
      const double span = peer->setup().stop_s - peer->setup().start_s;
      const double mbps = static_cast<double>(peer->received_bytes()) * 8 / 1e6 / span;
      taken += mbps * span;
      Json json{{"kind", to_string(peer->kind())},
                {"rtt_ms", peer->setup().rtt_ms},
                {"throughput_mbps", figure(mbps)},
                {"start_s", figure(peer->setup().start_s)},
                {"stop_s", peer->setup().stop_s}};
      for (const TimeWindow& window : run_.windows) {
        const double rate = peer->arrivals().throughput_mbps(window.from_s, window.to_s);
        json["windows"].push_back(
            {{"from_s", window.from_s}, {"to_s", window.to_s}, {"throughput_mbps", figure(rate)}});
      }
      result["peers"].push_back(json);
    }
    // What a cell could carry depends on where its phones are.
    const bool is_lte = run_.link.lte_phones > 0;
    const double all = run_.link.capacity_mbps() * run_.duration_s;
    result["utilisation"] = is_lte ? Json(nullptr) : Json(figure(delivered / all, 5));
    result["utilisation_with_peers"] = is_lte ? Json(nullptr) : Json(figure(taken / all, 5));
    result["capacity_mbps"] = is_lte ? Json(nullptr) : Json(run_.link.capacity_mbps());
    result["delivered_mbps"] = figure(delivered / run_.duration_s);
    if (run_.link.grants) result["link_own_ms"] = figure(run_.link.grants->own_delay_ms());
    result["dropped_packets"] = network_.dropped_packets();
    result["duration_s"] = run_.duration_s;
    result["seed"] = run_.seed;
    return result;
  }

  Json flow_figures(std::size_t index) {
    const FlowConfig& config = run_.flows[index];
    BulkFlow& flow = *flows_[index];
    const double start = flow.start_s();
    const double end = run_.duration_s;
    const OwdFigures owd = flow.log().owd(start, end);
    const double path = path_owd_ms(run_.link, config);
    Json json;
    json["algorithm"] = config.algorithm;
    json["startup"] = config.startup;
    json["rtt_ms"] = config.rtt_ms;
    json["throughput_mbps"] = figure(flow.log().throughput_mbps(start, end));
    json["owd_mean_ms"] = figure(owd.mean_ms, 3);
    json["owd_p95_ms"] = figure(owd.p95_ms, 3);
    json["owd_min_ms"] = figure(owd.min_ms, 3);
    json["owd_max_ms"] = figure(owd.max_ms, 3);
    json["path_owd_ms"] = figure(path, 3);
    json["loss"] = figure(flow.log().loss(start, end), 6);
    json["loss_after_10s"] = figure(flow.log().loss(start + kSteadyFrom, end), 6);
    json["throughput_after_10s_mbps"] =
        figure(flow.log().throughput_mbps(start + kSteadyFrom, end));
    json["worst_5s_mbps"] = figure(flow.log().worst_mbps(start + kSteadyFrom, end, kWorstSpan));
    json["start_s"] = figure(start);
    add_settling(json, flow, path);
    for (const auto& [state, seconds] : flow.state_seconds()) {
      json["states_s"][state] = figure(seconds, 3);
    }
    const SenderState state = flow.state();
    for (const auto& [name, count] : state.counters) json["counters"][name] = count;
    if (state.estimate_mbps) json["fbe_estimate_mbps"] = figure(*state.estimate_mbps);
    add_events(json, flow);
    add_windows(json, flow);
    return json;
  }

  // How long the delay takes to come back once the last peer has gone.
  void add_settling(Json& json, const BulkFlow& flow, double path) const {
    double last_stop = -1;
    for (const auto& peer : peers_) {
      if (peer->setup().stop_s < run_.duration_s) {
        last_stop = std::max(last_stop, peer->setup().stop_s);
      }
    }
    if (last_stop < 0) return;
    const auto settled =
        flow.log().settled_after_s(last_stop, run_.duration_s, path + kSettledMargin);
    json["settled_after_peer_s"] = settled ? Json(figure(*settled, 3)) : Json(nullptr);
  }

  void add_events(Json& json, BulkFlow& flow) const {
    std::map<std::string, std::int64_t> counts;
    for (const LoggedEvent& event : flow.events()) {
      ++counts[event.name];
      if (!run_.lists_events) continue;
      json["event_list"].push_back(
          {{"at_s", figure(static_cast<double>(event.at_ns) / 1e9 - kLeadInSeconds)},
           {"event", event.text}});
    }
    json["events"] = Json::object();
    for (const auto& [name, count] : counts) json["events"][name] = count;
  }

  void add_windows(Json& json, const BulkFlow& flow) const {
    for (const TimeWindow& window : run_.windows) {
      const OwdFigures owd = flow.log().owd(window.from_s, window.to_s);
      json["windows"].push_back(
          {{"from_s", window.from_s},
           {"to_s", window.to_s},
           {"throughput_mbps", figure(flow.log().throughput_mbps(window.from_s, window.to_s))},
           {"owd_mean_ms", figure(owd.mean_ms, 3)},
           {"owd_p95_ms", figure(owd.p95_ms, 3)},
           {"owd_max_ms", figure(owd.max_ms, 3)},
           {"loss", figure(flow.log().loss(window.from_s, window.to_s), 6)}});
    }
  }

  const RunConfig& run_;
  Network network_;
  std::vector<std::unique_ptr<BulkFlow>> flows_;
  std::vector<std::unique_ptr<TcpFlow>> peers_;
  std::unique_ptr<CrossTraffic> cross_;
};

}  // namespace

double jain(const std::vector<double>& shares) {
  double sum = 0;
  double squares = 0;
  for (const double share : shares) {
    sum += share;
    squares += share * share;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(shares.size()) * squares) : 0;
}

Json run_flows(const RunConfig& run, const SenderFactory& senders) {
  ns3::RngSeedManager::SetSeed(1);
  ns3::RngSeedManager::SetRun(run.seed);
  ns3::Config::SetDefault("ns3::ArpCache::PendingQueueSize", ns3::UintegerValue(1000));
  TcpFlow::set_defaults();
  Json result;
  {
    FlowsRun flows(run, senders);
    result = flows.run();
  }
  ns3::Simulator::Destroy();
  return result;
}

}  // namespace farwheel::lab
