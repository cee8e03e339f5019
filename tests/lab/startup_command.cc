#include "startup_command.h"

#include <memory>

#include "json_output.h"
#include "option_values.h"
#include "options.h"
#include "startup_run.h"

namespace farwheel::lab {
namespace {

struct StartupTexts {
  LinkTexts link{.rate = "20", .buffer_bdp = "1"};
  SenderTexts sender;
  std::string rtt = "50";
  std::string bytes = "524288";
  std::string wifi;
  std::string jitter = "0";
  std::string driver_queue;
  std::string senders;
  std::string seed = "1";
  std::string json = "-";
};

DriverQueueTest read_driver_queue(const std::string& text) {
  constexpr std::string_view kHalve = "halve@";
  if (!text.starts_with(kHalve)) {
    throw OptionError("--driver-queue: '" + text + "' is unknown; possible is halve@SECONDS");
  }
  return {.halve_at_s = read_number("--driver-queue", text.substr(kHalve.size()), {0, 60})};
}

StartupConfig read_startup(const StartupTexts& texts) {
  StartupConfig config;
  config.run.link = read_link(texts.link);
  config.run.plugin = texts.sender.plugin;
  FlowConfig flow;
  flow.rtt_ms = read_number("--rtt", texts.rtt, {3, 10000});
  flow.algorithm = value_for("--algorithm", read_algorithms(texts.sender), 0, 1);
  flow.params = value_for("--params", read_params(texts.sender.params), 0, 1);
  flow.jitter_ms = read_number("--jitter-ms", texts.jitter, {0, 1000});
  if (!texts.wifi.empty()) {
    read_number("--wifi", texts.wifi, {1, 1});
    flow.has_wifi = true;
  }
  config.run.flows = {flow};
  config.bytes = static_cast<std::int64_t>(read_number("--bytes", texts.bytes, {1, 1e9}));
  if (!texts.driver_queue.empty()) config.driver_queue = read_driver_queue(texts.driver_queue);
  if (config.driver_queue && flow.has_wifi) {
    throw OptionError("--driver-queue: the interface of --wifi has no queue that can be read here");
  }
  if (!texts.senders.empty()) {
    const std::vector<std::string> names = config.senders;
    config.senders = read_list("--senders", texts.senders, ',');
    for (const std::string& name : config.senders) read_name("--senders", name, names);
  }
  config.run.seed = read_seed(texts.seed);
  return config;
}

}  // namespace

void add_startup_command(CLI::App& app) {
  auto texts = std::make_shared<StartupTexts>();
  CLI::App* startup = app.add_subcommand(
      "startup", "The same transfer by TcpCubic, TcpBbr, BBRv2 with its classic start, and FBE");
  add_link_options(*startup, texts->link);
  add_sender_options(*startup, texts->sender);
  startup->add_option("--rtt", texts->rtt, "Two-way propagation, ms")->capture_default_str();
  startup->add_option("--bytes", texts->bytes, "Size of the transfer")->capture_default_str();
  startup->add_option("--wifi", texts->wifi, "1: the sender is behind 802.11n, walking at random");
  startup->add_option("--jitter-ms", texts->jitter, "Exponential delay on the sender's access link")
      ->capture_default_str();
  startup->add_option("--driver-queue", texts->driver_queue,
                      "halve@SECONDS: the sender's own interface is the bottleneck, then halved");
  startup->add_option("--senders", texts->senders, "Only these of cubic,tcpbbr,bbr2-classic,fbe");
  startup->add_option("--seed", texts->seed, "Moves draws")->capture_default_str();
  startup->add_option("--json", texts->json, "Where the figures go; - is standard output")
      ->capture_default_str();
  startup->callback([texts] {
    const StartupConfig config = read_startup(*texts);
    JsonOutput output(texts->json);
    output.write(run_startup(config));
  });
}

}  // namespace farwheel::lab
