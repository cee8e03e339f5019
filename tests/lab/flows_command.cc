#include "flows_command.h"

#include <memory>

#include "controller_sender.h"
#include "flows_run.h"
#include "json_output.h"
#include "network_queue.h"
#include "option_values.h"

namespace farwheel::lab {
namespace {

constexpr Range kRate{0.05, 10000};
constexpr Range kRtt{3, 10000};  // the bottleneck alone takes 2 ms there and back
constexpr std::size_t kMostFlows = 100;

std::vector<std::string> algorithm_names(const FlowsTexts& texts) {
  std::vector<std::string> names = controller_algorithms();
  if (!texts.plugin.empty()) names.emplace_back("plugin");
  return names;
}

std::vector<std::string> read_algorithms(const FlowsTexts& texts) {
  if (texts.algorithm.empty()) return {texts.plugin.empty() ? "adaptive-bbr2" : "plugin"};
  std::vector<std::string> list = read_list("--algorithm", texts.algorithm, ',');
  for (const std::string& name : list) {
    if (name == "plugin" && texts.plugin.empty()) {
      throw OptionError("--algorithm: 'plugin' needs --controller-plugin FILE.so");
    }
    read_name("--algorithm", name, algorithm_names(texts));
  }
  return list;
}

// Parameters hold commas themselves: a list of them, one a flow, is separated by '/'.
std::vector<std::string> read_params(const std::string& text) {
  if (text.empty()) return {""};
  std::vector<std::string> list;
  std::size_t from = 0;
  while (true) {
    const std::size_t to = text.find('/', from);
    list.push_back(text.substr(from, to - from));
    if (to == std::string::npos) return list;
    from = to + 1;
  }
}

std::vector<FlowConfig> read_flows(const FlowsTexts& texts) {
  const std::vector<double> rtts = read_numbers("--rtt", texts.rtt, kRtt);
  const std::size_t count = rtts.size();
  if (count > kMostFlows) throw OptionError("--rtt: more than 100 flows");
  const auto algorithms = read_algorithms(texts);
  const auto startups = read_list("--startup", texts.startup, ',');
  const auto params = read_params(texts.params);
  const auto starts = read_numbers("--start", texts.start, {0, 1e5});
  const auto jitters = texts.jitter.empty() ? std::vector<double>{0}
                                            : read_numbers("--jitter-ms", texts.jitter, {0, 1000});
  const auto skews = read_numbers("--skew-ppm", texts.skew, {-1000, 1000});
  std::vector<FlowConfig> flows(count);
  for (std::size_t i = 0; i < count; ++i) {
    flows[i].rtt_ms = rtts[i];
    flows[i].algorithm = value_for("--algorithm", algorithms, i, count);
    flows[i].startup =
        read_name("--startup", value_for("--startup", startups, i, count), {"fbe", "classic"});
    flows[i].params = value_for("--params", params, i, count);
    flows[i].start_s = value_for("--start", starts, i, count);
    flows[i].jitter_ms = value_for("--jitter-ms", jitters, i, count);
    flows[i].skew_ppm = value_for("--skew-ppm", skews, i, count);
  }
  if (!texts.wifi.empty()) {
    for (const double k : read_numbers("--wifi", texts.wifi, {1, static_cast<double>(count)})) {
      if (k != std::size_t(k))
        throw OptionError("--wifi: '" + texts.wifi + "' is no flow's number");
      flows[static_cast<std::size_t>(k) - 1].has_wifi = true;
    }
  }
  return flows;
}

LinkConfig read_link(const FlowsTexts& texts) {
  LinkConfig link;
  link.rate_mbps = read_number("--rate", texts.rate, kRate);
  link.buffer_bdp = read_number("--buffer-bdp", texts.buffer_bdp, {0.001, 10000});
  link.queue = read_name("--queue", texts.queue, queue_names());
  link.marks_ecn = texts.ecn;
  if (texts.ecn && link.queue == "fifo") {
    std::string names;
    for (const std::string& name : marking_queue_names()) names += " " + name;
    throw OptionError("--ecn: a fifo marks nothing; add --queue with one of" + names);
  }
  link.loss = read_number("--loss", texts.loss, {0, 0.99});
  if (!texts.cross.empty()) link.cross_share = read_cross(texts.cross);
  if (!texts.uplink.empty()) link.grants = read_uplink(texts.uplink);
  if (!texts.policer.empty()) link.policer = read_policer(texts.policer);
  if (!texts.route.empty()) link.route_steps = read_route(texts.route);
  if (!texts.reverse.empty()) link.reverse_steps = read_reverse(texts.reverse);
  return link;
}

RunConfig read_run(const FlowsTexts& texts) {
  RunConfig run;
  run.link = read_link(texts);
  run.plugin = texts.plugin;
  run.flows = read_flows(texts);
  run.duration_s = read_number("--duration", texts.duration, {0.1, 100000});
  if (!texts.compete.empty()) run.peers = read_peers(texts.compete);
  run.seed = static_cast<std::uint64_t>(read_number("--seed", texts.seed, {0, 1e9}));
  if (!texts.windows.empty()) run.windows = read_windows(texts.windows);
  run.series_file = texts.series;
  run.series_step_s = read_number("--series-step", texts.series_step, {0.001, 1000});
  run.lists_events = texts.events;
  for (const FlowConfig& flow : run.flows) {
    if (flow.start_s >= run.duration_s) {
      throw OptionError("--start: a flow starts at or after the end of the run (--duration)");
    }
  }
  for (const PeerConfig& peer : run.peers) {
    if (peer.start_s >= run.duration_s) {
      throw OptionError("--compete: a peer starts at or after the end of the run (--duration)");
    }
  }
  return run;
}

}  // namespace

void add_flows_command(CLI::App& app) {
  auto texts = std::make_shared<FlowsTexts>();
  CLI::App* flows = app.add_subcommand("flows", "Bulk flows that share a bottleneck");
  flows->add_option("--rate", texts->rate, "Link, Mbit/s")->capture_default_str();
  flows->add_option("--rtt", texts->rtt, "Two-way propagation of each flow, ms: A,B,...")
      ->capture_default_str();
  flows->add_option("--buffer-bdp", texts->buffer_bdp, "Queue, in rate x largest RTT")
      ->capture_default_str();
  flows->add_option("--algorithm", texts->algorithm,
                    "adaptive-bbr2 (default), adaptive-bbr2-paper, bbr2, plugin; one, or A,B,...");
  flows->add_option("--startup", texts->startup, "fbe or classic; one, or A,B,...")
      ->capture_default_str();
  flows->add_option("--params", texts->params,
                    "Tunables of the controller, NAME=VALUE,...; '/' between flows");
  flows->add_option("--controller-plugin", texts->plugin,
                    "Sender from a shared object; see farwheel/lab/controller_plugin.h");
  flows->add_option("--duration", texts->duration, "Seconds")->capture_default_str();
  flows->add_option("--start", texts->start, "When each flow starts, s: A,B,...")
      ->capture_default_str();
  flows->add_option("--wifi", texts->wifi, "Flows (from 1) behind 802.11n with a random walk");
  flows->add_option("--uplink", texts->uplink,
                    "Bottleneck sends at grants only: slot=MS[,harq=SHARExMS]");
  flows->add_option("--compete", texts->compete, "TCP peers: cubic|bbr|reno[:RTT][@FROM[-TO]],...");
  flows->add_option("--cross", texts->cross, "Unresponsive traffic: poisson:SHARE");
  flows->add_option("--jitter-ms", texts->jitter, "Exponential delay on each flow's access link");
  flows->add_option("--skew-ppm", texts->skew, "Receiver's clock runs fast by; one, or A,B,...")
      ->capture_default_str();
  flows->add_option("--loss", texts->loss, "Share lost at random behind the bottleneck")
      ->capture_default_str();
  flows->add_option("--policer", texts->policer, "Token bucket before the queue: MBPS:BYTES[kB]");
  flows->add_option("--route", texts->route, "One-way delay changes: +MS@SECONDS,-MS@SECONDS");
  flows->add_option("--reverse-delay-ms", texts->reverse,
                    "Extra delay of the way back from a time on: MS@SECONDS,...");
  flows->add_option("--queue", texts->queue, "fifo, fq_codel, codel, pie, fq_pie, red, cobalt")
      ->capture_default_str();
  flows->add_flag("--ecn", texts->ecn, "Flows can be marked, and the queue marks");
  flows->add_option("--window", texts->windows, "Figures of FROM-TO seconds besides, ...");
  flows->add_flag("--events", texts->events, "List every event of the controllers");
  flows->add_option("--series", texts->series, "Write a time series (CSV) to this file");
  flows->add_option("--series-step", texts->series_step, "Its step, s")->capture_default_str();
  flows->add_option("--seed", texts->seed, "Moves starts and draws")->capture_default_str();
  flows->add_option("--json", texts->json, "Where the figures go; - is standard output")
      ->capture_default_str();
  flows->callback([texts] {
    const RunConfig run = read_run(*texts);
    JsonOutput output(texts->json);
    output.write(run_flows(run));
  });
}

}  // namespace farwheel::lab
