#include "startup_run.h"

#include <ns3/config.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/uinteger.h>

#include "figure.h"
#include "paper/process_pool.h"
#include "startup_trial.h"

namespace farwheel::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kEnoughSeconds = 60;       // a transfer that takes longer has failed
constexpr double kConvergenceSeconds = 10;  // and a start-up

Json number_or_null(std::optional<double> value) {
  return value ? Json(figure(*value)) : Json(nullptr);
}

Json milliseconds_or_null(std::optional<double> seconds) {
  return seconds ? Json(figure(*seconds * 1e3, 3)) : Json(nullptr);
}

// The start-up of a flow without end, whose rate can be seen to hold.
Json endless_figures(const StartupConfig& config, const std::string& name) {
  StartupTrial trial(config, name, std::nullopt);
  trial.run(kConvergenceSeconds,
            [&] { return trial.has_queue() && trial.convergence_s().has_value(); });
  return {{"name", name},
          {"convergence_ms", milliseconds_or_null(trial.convergence_s())},
          {"fct_ms", nullptr},
          {"max_queue_ms", figure(trial.max_queue_ms(), 3)},
          {"estimate_mbps", number_or_null(trial.estimate_mbps())},
          {"estimate_confidence", number_or_null(trial.confidence())},
          {"loss", figure(trial.loss(), 6)}};
}

// The transfer that ends.
Json transfer_figures(const StartupConfig& config, const std::string& name) {
  StartupTrial trial(config, name, config.bytes);
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
