#include "option_values.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace farwheel::lab {
namespace {

std::string quoted(std::string_view option, std::string_view text) {
  return std::string(option) + ": '" + std::string(text) + "' ";
}

std::string print(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// The part before the separator, and the part after it; the second is empty without one.
std::pair<std::string_view, std::optional<std::string_view>> cut(std::string_view text, char at) {
  const std::size_t place = text.find(at);
  if (place == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, place), text.substr(place + 1)};
}

DelayStep read_step(std::string_view option, std::string_view text, Range range) {
  const auto [delay, at] = cut(text, '@');
  if (!at) throw OptionError(quoted(option, text) + "has no time; write MILLISECONDS@SECONDS");
  return {.ms = read_number(option, delay, range), .at_s = read_number(option, *at, {0, 1e5})};
}

}  // namespace

double read_number(std::string_view option, std::string_view text, Range range) {
  double value = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (fault != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) {
    throw OptionError(quoted(option, text) + "is no number; possible are " + print(range.least) +
                      " to " + print(range.most));
  }
  if (value < range.least || value > range.most) {
    throw OptionError(quoted(option, text) + "is out of range; possible are " + print(range.least) +
                      " to " + print(range.most));
  }
  return value;
}

std::vector<std::string> read_list(std::string_view option, std::string_view text, char separator) {
  std::vector<std::string> list;
  std::optional<std::string_view> rest = text;
  while (rest) {
    const auto [first, after] = cut(*rest, separator);
    if (first.empty()) {
      throw OptionError(quoted(option, text) + "has an empty value; separate values by '" +
                        separator + "'");
    }
    list.emplace_back(first);
    rest = after;
  }
  return list;
}

std::vector<double> read_numbers(std::string_view option, std::string_view text, Range range) {
  std::vector<double> values;
  for (const std::string& item : read_list(option, text, ',')) {
    values.push_back(read_number(option, item, range));
  }
  return values;
}

std::string read_name(std::string_view option, std::string_view text,
                      const std::vector<std::string>& names) {
  std::string possible;
  for (const std::string& name : names) {
    if (name == text) return name;
    possible += (possible.empty() ? "" : ", ") + name;
  }
  throw OptionError(quoted(option, text) + "is unknown; possible are " + possible);
}

std::optional<GrantModel> read_uplink(std::string_view text) {
  GrantModel grants;
  bool has_slot = false;
  for (const std::string& item : read_list("--uplink", text, ',')) {
    const auto [key, value] = cut(item, '=');
    if (key == "slot" && value) {
      grants.slot_ms = read_number("--uplink slot", *value, {0.1, 1000});
      has_slot = true;
    } else if (key == "harq" && value) {
      const auto [share, late] = cut(*value, 'x');
      if (!late) throw OptionError(quoted("--uplink harq", *value) + "is not SHARExMILLISECONDS");
      grants.harq_share = read_number("--uplink harq", share, {0, 0.9});
      grants.harq_ms = read_number("--uplink harq", *late, {0, 1000});
    } else {
      throw OptionError(quoted("--uplink", item) +
                        "is unknown; possible are slot=MS, harq=SHARExMS");
    }
  }
  if (!has_slot)
    throw OptionError(quoted("--uplink", text) + "has no slot; write slot=5,harq=0.1x8");
  return grants;
}

std::optional<Policer> read_policer(std::string_view text) {
  const auto [rate, bucket] = cut(text, ':');
  if (!bucket) throw OptionError(quoted("--policer", text) + "has no bucket; write 5:15kB");
  Policer policer;
  policer.mbps = read_number("--policer", rate, {0.01, 10000});
  std::string_view size = *bucket;
  double scale = 1;
  if (size.ends_with("kB")) {
    scale = 1000;
    size.remove_suffix(2);
  } else if (size.ends_with("B")) {
    size.remove_suffix(1);
  }
  const double bytes = read_number("--policer bucket", size, {0, 1e9}) * scale;
  if (bytes < static_cast<double>(kWireBytes)) {
    throw OptionError(quoted("--policer", text) +
                      "has a bucket smaller than a packet of 1230 bytes");
  }
  policer.bucket_bytes = static_cast<std::int64_t>(bytes);
  return policer;
}

std::vector<DelayStep> read_route(std::string_view text) {
  std::vector<DelayStep> steps;
  double sum = 0;
  for (const std::string& item : read_list("--route", text, ',')) {
    steps.push_back(read_step("--route", item, {-5000, 5000}));
    if (steps.size() > 1 && steps.back().at_s < steps[steps.size() - 2].at_s) {
      throw OptionError(quoted("--route", text) + "is not in the order of time");
    }
    sum += steps.back().ms;
    if (sum < -0.9) {
      throw OptionError(quoted("--route", text) +
                        "makes the path shorter than it began; begin with a step up");
    }
  }
  return steps;
}

std::vector<DelayStep> read_reverse(std::string_view text) {
  std::vector<DelayStep> steps;
  for (const std::string& item : read_list("--reverse-delay-ms", text, ',')) {
    steps.push_back(read_step("--reverse-delay-ms", item, {0, 5000}));
  }
  return steps;
}

double read_cross(std::string_view text) {
  const auto [kind, share] = cut(text, ':');
  read_name("--cross", kind, {"poisson"});
  if (!share) throw OptionError(quoted("--cross", text) + "has no share; write poisson:0.3");
  return read_number("--cross", *share, {0, 0.95});
}

std::vector<PeerConfig> read_peers(std::string_view text) {
  std::vector<PeerConfig> peers;
  for (const std::string& item : read_list("--compete", text, ',')) {
    PeerConfig peer;
    const auto [what, when] = cut(item, '@');
    const auto [kind, rtt] = cut(what, ':');
    const std::string name = read_name("--compete", kind, {"cubic", "bbr", "reno"});
    if (name == "bbr") peer.kind = PeerKind::kBbr;
    if (name == "reno") peer.kind = PeerKind::kReno;
    if (rtt) peer.rtt_ms = read_number("--compete RTT", *rtt, {3, 10000});
    if (when) {
      const auto [from, to] = cut(*when, '-');
      peer.start_s = read_number("--compete start", from, {0, 1e5});
      if (to) peer.stop_s = read_number("--compete end", *to, {0, 1e5});
      if (peer.stop_s && *peer.stop_s <= peer.start_s) {
        throw OptionError(quoted("--compete", item) + "ends before it starts");
      }
    }
    peers.push_back(peer);
  }
  return peers;
}

std::vector<TimeWindow> read_windows(std::string_view text) {
  std::vector<TimeWindow> windows;
  for (const std::string& item : read_list("--window", text, ',')) {
    const auto [from, to] = cut(item, '-');
    if (!to) throw OptionError(quoted("--window", item) + "is not FROM-TO in seconds");
    TimeWindow window{.from_s = read_number("--window", from, {0, 1e5}),
                      .to_s = read_number("--window", *to, {0, 1e5})};
    if (window.to_s <= window.from_s) {
      throw OptionError(quoted("--window", item) + "ends before it begins");
    }
    windows.push_back(window);
  }
  return windows;
}

}  // namespace farwheel::lab
