// A bottleneck with its flows, ready to run: what most tests of the model need.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model_flow.h"

namespace farwheel::sim {

struct Experiment {
  explicit Experiment(const LinkConfig& config) : link(events, config) {}

  ModelFlow& add(const FlowConfig& flow, const ControllerConfig& config) {
    flows.push_back(std::make_unique<ModelFlow>(events, link, flow, config));
    return *flows.back();
  }
  ModelFlow& add(TimeDelta rtt, Algorithm algorithm, StartupKind startup = StartupKind::kFbe) {
    FlowConfig flow;
    flow.rtt = rtt;
    ControllerConfig config;
    config.algorithm = algorithm;
    config.startup = startup;
    return add(flow, config);
  }
  void run_to(double seconds) { events.run_until(Timestamp::from_seconds(seconds)); }

  // Mbit/s received by the flow since the counters were cleared `seconds` ago.
  double mbps(std::size_t flow, double seconds) const {
    return static_cast<double>(link.counters(flow).bytes_delivered) * 8 / seconds / 1e6;
  }
  double mean_owd_ms(std::size_t flow) const {
    const FlowCounters& counters = link.counters(flow);
    return counters.owd_ms_sum /
           static_cast<double>(std::max<std::int64_t>(1, counters.packets_delivered));
  }

  EventQueue events;
  VirtualLink link;
  std::vector<std::unique_ptr<ModelFlow>> flows;
};

inline LinkConfig link_of(double mbps, double buffer_ms) {
  LinkConfig config;
  config.rate = DataRate::from_mbps(mbps);
  config.buffer = config.rate * TimeDelta::from_seconds(buffer_ms / 1e3);
  return config;
}

// The states in the order entered, from the events alone.
inline std::vector<BbrState> states_entered(const std::vector<ControllerEvent>& events) {
  std::vector<BbrState> states;
  for (const ControllerEvent& event : events) {
    if (const auto* change = std::get_if<StateChanged>(&event.what)) states.push_back(change->to);
  }
  return states;
}

}  // namespace farwheel::sim
