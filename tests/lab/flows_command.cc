#include "flows_command.h"

#include <memory>

#include "flows_run.h"
#include "json_output.h"
#include "option_values.h"
#include "options.h"

namespace farwheel::lab {
namespace {

constexpr Range kRtt{3, 10000};  // the bottleneck alone takes 2 ms there and back
constexpr std::size_t kMostFlows = 100;

struct FlowsTexts {
  LinkTexts link;
  SenderTexts sender;
  std::string rtt = "50";
  std::string startup = "fbe";
  std::string duration = "200";
  std::string start = "0";
  std::string wifi;
  std::string compete;
  std::string jitter = "0";
  std::string skew = "0";
  std::string windows;
  std::string series;
  std::string series_step = "0.1";
  std::string seed = "1";
  std::string json = "-";
  bool events = false;
  std::string lte;
};

// What the cell's radio decides cannot be asked for as well.
void refuse_beside_lte(const RunConfig& run) {
  const LinkConfig& link = run.link;
  const char* option = nullptr;
  if (link.grants) option = "--uplink";
  if (link.policer) option = "--policer";
  if (link.cross_share > 0) option = "--cross";
  if (link.loss > 0) option = "--loss";
  if (link.queue != "fifo") option = "--queue";
  if (!link.route_steps.empty()) option = "--route";
  if (!link.reverse_steps.empty()) option = "--reverse-delay-ms";
  if (!run.peers.empty()) option = "--compete";
  for (const FlowConfig& flow : run.flows) {
    if (flow.has_wifi) option = "--wifi";
    if (flow.jitter_ms > 0) option = "--jitter-ms";
  }
  if (option != nullptr) {
    throw OptionError(std::string("--lte: cannot be had together with ") + option +
                      "; the cell is the whole link");
  }
}

std::size_t read_phones(const std::string& text) {
  return read_name("--lte", text, {"1", "3"}) == "1" ? 1 : 3;
}

std::vector<FlowConfig> read_flows(const FlowsTexts& texts) {
  std::vector<double> rtts = read_numbers("--rtt", texts.rtt, kRtt);
  const std::size_t phones = texts.lte.empty() ? 0 : read_phones(texts.lte);
  if (rtts.size() == 1 && phones > 1) rtts.assign(phones, rtts.front());
  if (phones > 0 && rtts.size() != phones) {
    throw OptionError("--lte: each phone has one flow: give --rtt one value, or one for each");
  }
  const std::size_t count = rtts.size();
  if (count > kMostFlows) throw OptionError("--rtt: more than 100 flows");
  const auto algorithms = read_algorithms(texts.sender);
  const auto startups = read_list("--startup", texts.startup, ',');
  const auto params = read_params(texts.sender.params);
  const auto starts = read_numbers("--start", texts.start, {0, 1e5});
  const auto jitters = read_numbers("--jitter-ms", texts.jitter, {0, 1000});
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

RunConfig read_run(const FlowsTexts& texts) {
  RunConfig run;
  run.link = read_link(texts.link);
  run.plugin = texts.sender.plugin;
  run.flows = read_flows(texts);
  run.duration_s = read_number("--duration", texts.duration, {0.1, 100000});
  if (!texts.compete.empty()) run.peers = read_peers(texts.compete);
  if (!texts.lte.empty()) {
    run.link.lte_phones = static_cast<int>(read_phones(texts.lte));
    refuse_beside_lte(run);
  }
  run.seed = read_seed(texts.seed);
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
  add_link_options(*flows, texts->link);
  add_sender_options(*flows, texts->sender);
  flows->add_option("--rtt", texts->rtt, "Two-way propagation of each flow, ms: A,B,...")
      ->capture_default_str();
  flows->add_option("--startup", texts->startup, "fbe or classic; one, or A,B,...")
      ->capture_default_str();
  flows->add_option("--duration", texts->duration, "Seconds")->capture_default_str();
  flows->add_option("--start", texts->start, "When each flow starts, s: A,B,...")
      ->capture_default_str();
  flows->add_option("--lte", texts->lte,
                    "An LTE cell as the link: 1 phone, or 3 that share it; --rtt is behind it");
  flows->add_option("--wifi", texts->wifi, "Flows (from 1) behind 802.11n with a random walk");
  flows->add_option("--compete", texts->compete, "TCP peers: cubic|bbr|reno[:RTT][@FROM[-TO]],...");
  flows->add_option("--jitter-ms", texts->jitter, "Exponential delay on each flow's access link");
  flows->add_option("--skew-ppm", texts->skew, "Receiver's clock runs fast by; one, or A,B,...")
      ->capture_default_str();
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
