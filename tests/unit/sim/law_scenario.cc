#include "sim/law_scenario.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <variant>

namespace farwheel::sim {
namespace {
double at_or_zero(const std::vector<double>& values, std::size_t index) {
  return index < values.size() ? values[index] : 0;
}
TimeDelta of_ms(double ms) {
  return TimeDelta::from_seconds(ms / 1e3);
}
}  // namespace

LawRun::LawRun(LawScenario scenario) : scenario_(std::move(scenario)) {
  const LawScenario& s = scenario_;
  double longest = 0;
  for (const double rtt : s.rtt_ms) longest = std::max(longest, rtt);
  for (const LawScenario::Peer& peer : s.peers) longest = std::max(longest, peer.rtt_ms);
  LinkConfig config = s.link;
  config.rate = DataRate::from_mbps(s.rate_mbps);
  config.buffer = std::max(DataSize::from_bytes(BulkFlow::kWireBytes),
                           config.rate * of_ms(longest) * s.buffer_bdp);
  config.seed = s.seed * 7919;
  link = std::make_unique<VirtualLink>(events, config);
  for (std::size_t i = 0; i < s.rtt_ms.size(); ++i) {
    FlowConfig flow;
    flow.rtt = of_ms(s.rtt_ms[i]);
    flow.jitter = of_ms(at_or_zero(s.jitter_ms, i));
    flow.access_jitter = of_ms(at_or_zero(s.access_jitter_ms, i));
    flow.skew_ppm = at_or_zero(s.skew_ppm, i);
    flow.report_interval = TimeDelta::zero();
    flow.clock_offset = TimeDelta::from_seconds(1000 + 0.0371 * static_cast<double>(s.seed + i));
    ControllerConfig controller;
    controller.startup = s.startup;
    controller.seed = s.seed * 1000 + i;
    flows.push_back(std::make_unique<BulkFlow>(events, *link, flow, controller));
    // A simulated timer is exact: the pacer need not bundle what falls due within a millisecond.
    const std::string params = "timer_ms=0.05" + (s.params.empty() ? "" : "," + s.params);
    if (const std::string fault = flows.back()->controller().set_params(params); !fault.empty()) {
      std::fprintf(stderr, "law-rows: %s\n", fault.c_str());
      std::exit(2);
    }
    // Never exactly together, and never twice alike.
    const double offset = static_cast<double>(s.seed) * 1e-3 + static_cast<double>(i) * 3.7e-4;
    flows.back()->start(Timestamp::from_seconds(at_or_zero(s.start_s, i) + offset));
  }
  for (const LawScenario::Peer& peer : s.peers) {
    peers.push_back(std::make_unique<TcpPeer>(events, *link, peer.kind, of_ms(peer.rtt_ms)));
    TcpPeer* started = peers.back().get();
    started->start(Timestamp::from_seconds(peer.start_s + static_cast<double>(s.seed) * 1.3e-3));
    if (peer.stop_s < 1e8) {
      events.at(Timestamp::from_seconds(peer.stop_s), [started] { started->stop(); });
    }
  }
  for (const LawScenario::Change& change : s.changes) {
    events.at(Timestamp::from_seconds(change.at_s), [this, &change] { change.apply(*link); });
  }
}

double LawRun::jain() const {
  double sum = 0;
  double squares = 0;
  for (const auto& flow : flows) {
    const double x = flow->own_mbps(scenario_.seconds);
    sum += x;
    squares += x * x;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(flows.size()) * squares) : 0;
}

double LawRun::utilisation() const {
  double sum = 0;
  for (const auto& flow : flows) sum += flow->mbps(0, scenario_.seconds);
  for (const auto& peer : peers) sum += peer->mbps(scenario_.seconds);
  return sum / scenario_.rate_mbps;
}

double LawRun::share(std::size_t flow) const {
  return flows[flow]->own_mbps(scenario_.seconds) / scenario_.rate_mbps;
}

double LawRun::path_ms(std::size_t flow) const {
  return scenario_.rtt_ms[flow] / 2 + BulkFlow::kWireBytes * 8e-3 / scenario_.rate_mbps;
}
double LawRun::owd_over_path_ms(std::size_t flow) const {
  return flows[flow]->mean_owd_ms() - path_ms(flow);
}
double LawRun::p95_over_path_ms(std::size_t flow) const {
  return flows[flow]->owd_ms(0.95) - path_ms(flow);
}
double LawRun::worst_owd_over_path_ms() const {
  double worst = -1e9;
  for (std::size_t i = 0; i < flows.size(); ++i) worst = std::max(worst, owd_over_path_ms(i));
  return worst;
}
double LawRun::worst_p95_over_path_ms() const {
  double worst = -1e9;
  for (std::size_t i = 0; i < flows.size(); ++i) worst = std::max(worst, p95_over_path_ms(i));
  return worst;
}

int LawRun::competitions(std::size_t flow) {
  int count = 0;
  for (const ControllerEvent& event : flows[flow]->log()) {
    if (to_string(event).find("competition begins") != std::string::npos) ++count;
  }
  return count;
}
int LawRun::competitions() {
  int count = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) count += competitions(i);
  return count;
}

}  // namespace farwheel::sim
