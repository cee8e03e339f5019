#include "paper/experiments.h"

#include <algorithm>

#include "flows_run.h"
#include "startup_run.h"

namespace farwheel::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kRate = 5;
constexpr double kShortRtt = 10;
constexpr double kLongRtt = 60;
constexpr double kDeepBuffer = 10;
constexpr double kLateStart = 20;

struct Plan {
  std::vector<double> buffers{0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5, 8, 10, 20, 30, 50, 80, 100};
  std::vector<double> rtts{10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
  std::vector<double> rates{20, 50, 100};
  std::vector<double> startup_rtts{20, 50, 100};
  double duration_s = 200;
};

Plan plan_of(const PaperConfig& config) {
  if (!config.is_quick) return {};
  return {.buffers = {0.4, 1, 2, 3, 10, 100},
          .rtts = {10, 40, 80, 100},
          .rates = {20, 100},
          .startup_rtts = {20, 100},
          .duration_s = 60};
}

RunConfig two_flows(const PaperConfig& config, const Contestant& who, double duration_s) {
  RunConfig run;
  run.link.rate_mbps = kRate;
  run.link.buffer_bdp = kDeepBuffer;
  run.duration_s = duration_s;
  run.seed = config.seed;
  FlowConfig flow;
  flow.algorithm = who.algorithm;
  flow.startup = who.startup;
  flow.params = who.params;
  flow.rtt_ms = kShortRtt;
  run.flows.push_back(flow);
  flow.rtt_ms = kLongRtt;
  flow.has_wifi = config.has_wifi;
  run.flows.push_back(flow);
  return run;
}

FlowsCell cell_of(const Json& json, const FlowsCell& place) {
  FlowsCell cell = place;
  cell.jain = json["jain"];
  cell.utilisation = json["utilisation"];
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& flow = json["flows"][i];
    cell.mbps[i] = flow["throughput_mbps"];
    cell.owd_ms[i] = flow["owd_mean_ms"];
    cell.path_ms[i] = flow["path_owd_ms"];
  }
  return cell;
}

// The jobs of all experiments, and where each one's result goes.
class Experiments {
 public:
  explicit Experiments(const PaperConfig& config) : config_(config), plan_(plan_of(config)) {}

  PaperResults run() {
    // The longest first, so that no core waits for a straggler at the end.
    for (std::size_t who = 0; who < contestants().size(); ++who) {
      for (int order = 1; order <= 3; ++order) add_rtts(who, order);
      add_buffers(who);
    }
    for (const double cross : {0.0, 0.3}) add_startups(cross);
    const std::vector<Json> results = run_jobs(jobs_, config_.jobs, Progress::kShown);
    for (std::size_t i = 0; i < results.size(); ++i) takers_[i](results[i]);
    return std::move(results_);
  }

 private:
  void add(std::string name, std::function<Json()> run, std::function<void(const Json&)> take) {
    jobs_.push_back({std::move(name), std::move(run)});
    takers_.push_back(std::move(take));
  }

  void add_buffers(std::size_t who) {
    for (const double bdp : plan_.buffers) {
      RunConfig run = two_flows(config_, contestants()[who], plan_.duration_s);
      run.link.buffer_bdp = bdp;
      const FlowsCell place{.contestant = who, .order = 0, .x = bdp};
      add(
          std::string(contestants()[who].name) + ", buffer " + std::to_string(bdp) + " BDP",
          [run] { return run_flows(run); },
          [this, place](const Json& json) { results_.buffers.push_back(cell_of(json, place)); });
    }
  }

  void add_rtts(std::size_t who, int order) {
    for (const double rtt : plan_.rtts) {
      RunConfig run = two_flows(config_, contestants()[who], plan_.duration_s);
      run.flows[1].rtt_ms = rtt;
      if (order == 2) run.flows[1].start_s = kLateStart;
      if (order == 3) run.flows[0].start_s = kLateStart;
      if (rtt == kDrawnRtt) {
        run.series_file = config_.out / "data" / series_name(contestants()[who], order);
        run.series_step_s = 1;
      }
      const FlowsCell place{.contestant = who, .order = order, .x = rtt};
      add(
          std::string(contestants()[who].name) + ", L2 " + std::to_string(rtt) + " ms, order " +
              std::to_string(order),
          [run] { return run_flows(run); },
          [this, place](const Json& json) { results_.rtts.push_back(cell_of(json, place)); });
    }
  }

  void add_startups(double cross) {
    for (const double rate : plan_.rates) {
      for (const double rtt : plan_.startup_rtts) {
        StartupConfig startup;
        startup.run.link.rate_mbps = rate;
        startup.run.link.buffer_bdp = cross > 0 ? 1.5 : 1;
        startup.run.link.cross_share = cross;
        startup.run.seed = config_.seed;
        FlowConfig flow;
        flow.rtt_ms = rtt;
        startup.run.flows = {flow};
        StartupCell cell{.rate_mbps = rate, .rtt_ms = rtt, .cross = cross};
        add(
            "start-up at " + std::to_string(rate) + " Mbit/s, " + std::to_string(rtt) + " ms",
            [startup] { return run_startup(startup); },
            [this, cell](const Json& json) mutable {
              cell.senders = json["senders"];
              results_.startups.push_back(cell);
            });
      }
    }
  }

  const PaperConfig& config_;
  Plan plan_;
  std::vector<Job> jobs_;
  std::vector<std::function<void(const Json&)>> takers_;
  PaperResults results_;
};

}  // namespace

const std::vector<Contestant>& contestants() {
  static const std::vector<Contestant> all{
      {"bbr2", "BBRv2", "bbr2", "classic", "quiche2019"},
      {"paper", "Adaptive BBRv2, the paper's", "adaptive-bbr2-paper", "classic", ""},
      {"ours", "adaptive-bbr2 (Farwheel)", "adaptive-bbr2", "fbe", ""},
  };
  return all;
}

std::string series_name(const Contestant& contestant, int order) {
  return std::string("series_") + contestant.name + "_order" + std::to_string(order) + ".csv";
}

PaperResults run_experiments(const PaperConfig& config) {
  return Experiments(config).run();
}

}  // namespace farwheel::lab
