#include "options.h"

#include "controller_sender.h"
#include "network_queue.h"
#include "option_values.h"

namespace farwheel::lab {
namespace {

constexpr Range kRate{0.05, 10000};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

void add_link_options(CLI::App& command, LinkTexts& texts) {
  command.add_option("--rate", texts.rate, "Link, Mbit/s")->capture_default_str();
  command.add_option("--buffer-bdp", texts.buffer_bdp, "Queue, in rate x largest RTT")
      ->capture_default_str();
  command.add_option("--queue", texts.queue, joined(queue_names()))->capture_default_str();
  command.add_flag("--ecn", texts.ecn, "Flows can be marked, and the queue marks");
  command.add_option("--loss", texts.loss, "Share lost at random behind the bottleneck")
      ->capture_default_str();
  command.add_option("--cross", texts.cross, "Unresponsive traffic: poisson:SHARE");
  command.add_option("--uplink", texts.uplink,
                     "Bottleneck sends at grants only: slot=MS[,harq=SHARExMS]");
  command.add_option("--policer", texts.policer, "Token bucket before the queue: MBPS:BYTES[kB]");
  command.add_option("--route", texts.route, "One-way delay changes: +MS@SECONDS,-MS@SECONDS");
  command.add_option("--reverse-delay-ms", texts.reverse,
                     "Extra delay of the way back from a time on: MS@SECONDS,...");
}

LinkConfig read_link(const LinkTexts& texts) {
  LinkConfig link;
  link.rate_mbps = read_number("--rate", texts.rate, kRate);
  link.buffer_bdp = read_number("--buffer-bdp", texts.buffer_bdp, {0.001, 10000});
  link.queue = read_name("--queue", texts.queue, queue_names());
  link.marks_ecn = texts.ecn;
  if (texts.ecn && link.queue == "fifo") {
    throw OptionError("--ecn: a fifo marks nothing; add --queue with one of " +
                      joined(marking_queue_names()));
  }
  link.loss = read_number("--loss", texts.loss, {0, 0.99});
  if (!texts.cross.empty()) link.cross_share = read_cross(texts.cross);
  if (!texts.uplink.empty()) link.grants = read_uplink(texts.uplink);
  if (!texts.policer.empty()) link.policer = read_policer(texts.policer);
  if (!texts.route.empty()) link.route_steps = read_route(texts.route);
  if (!texts.reverse.empty()) link.reverse_steps = read_reverse(texts.reverse);
  return link;
}

void add_sender_options(CLI::App& command, SenderTexts& texts) {
  command.add_option("--algorithm", texts.algorithm,
                     joined(controller_algorithms()) + ", plugin; one, or A,B,...");
  command.add_option("--params", texts.params,
                     "Tunables of the controller, NAME=VALUE,...; '/' between flows");
  command.add_option("--controller-plugin", texts.plugin,
                     "Sender from a shared object; see farwheel/lab/controller_plugin.h");
}

std::vector<std::string> read_algorithms(const SenderTexts& texts) {
  if (texts.algorithm.empty()) return {texts.plugin.empty() ? "adaptive-bbr2" : "plugin"};
  std::vector<std::string> names = controller_algorithms();
  if (!texts.plugin.empty()) names.emplace_back("plugin");
  std::vector<std::string> list = read_list("--algorithm", texts.algorithm, ',');
  for (const std::string& name : list) {
    if (name == "plugin" && texts.plugin.empty()) {
      throw OptionError("--algorithm: 'plugin' needs --controller-plugin FILE.so");
    }
    read_name("--algorithm", name, names);
  }
  return list;
}

std::vector<std::string> read_params(const std::string& text) {
  std::vector<std::string> list;
  std::size_t from = 0;
  while (true) {
    const std::size_t to = text.find('/', from);
    list.push_back(text.substr(from, to - from));
    if (to == std::string::npos) return list;
    from = to + 1;
  }
}

std::uint64_t read_seed(const std::string& text) {
  const double seed = read_number("--seed", text, {0, 1e9});
  if (seed != static_cast<double>(static_cast<std::uint64_t>(seed))) {
    throw OptionError("--seed: '" + text + "' is no whole number");
  }
  return static_cast<std::uint64_t>(seed);
}

}  // namespace farwheel::lab
