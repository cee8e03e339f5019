#include "media/media_options.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "media/option_text.h"
#include "send_controller.h"

namespace farwheel::lab::media {
namespace {

constexpr Range kMbps{0, 10000};
constexpr Range kSeconds{0, 36000};
constexpr Range kDuration{0.1, 36000};
constexpr Range kMillis{0, 60000};
constexpr Range kShare{0, 1};
constexpr Range kAnyDelay{-10000, 10000};
constexpr double kDefaultDuration = 60;
constexpr double kTraceDuration = 100;
constexpr std::size_t kMostTrace = 64 << 20;
constexpr std::int64_t kMostTraceMs = 36'000'000;
constexpr std::size_t kMostCameras = 16;
constexpr std::size_t kMostSilences = 10000;

// "5:30,1:15" or "5": Mbit/s and seconds. The last one's seconds may be left out.
std::vector<RatePhase> read_link(std::string_view text, bool& open_end) {
  std::vector<RatePhase> phases;
  const auto parts = split("--link", text, ',');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Halves halves = halve(parts[i], ':');
    const double mbps = read_number("--link", halves.first, kMbps);
    if (halves.first.size() != parts[i].size()) {
      phases.push_back({mbps, read_number("--link", halves.second, {0.001, kSeconds.most})});
      continue;
    }
    if (i + 1 < parts.size()) {
      refuse("--link", "'" + std::string(parts[i]) + "' has no seconds; write RATE:SECONDS,...");
    }
    phases.push_back({mbps, kDefaultDuration});
    open_end = true;
  }
  if (std::all_of(phases.begin(), phases.end(), [](const RatePhase& p) { return p.mbps <= 0; })) {
    refuse("--link", "'" + std::string(text) + "' never carries anything");
  }
  return phases;
}

// Each line of a file that holds something, without the blanks at its end, and where it stands.
template <typename Take>
void for_each_line(const std::string& option, const std::string& name, const Take& take) {
  const std::string text = read_file(option, name, kMostTrace);
  std::string_view rest = text;
  std::size_t line = 0;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    std::string_view word = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    ++line;
    while (!word.empty() && (word.back() == '\r' || word.back() == ' ')) word.remove_suffix(1);
    if (word.empty()) continue;
    take(option + " " + name + " line " + std::to_string(line), word);
  }
}

std::vector<std::int64_t> read_trace(const std::string& name) {
  std::vector<std::int64_t> times;
  for_each_line("--trace", name, [&](const std::string& where, std::string_view word) {
    const std::int64_t at = read_whole(where, word, {0, static_cast<double>(kMostTraceMs)});
    if (!times.empty() && at < times.back()) refuse(where, "its time is before the last one's");
    times.push_back(at);
  });
  if (times.empty() || times.back() <= 0) {
    refuse("--trace", "'" + name + "' has no delivery opportunity; each line is one, in ms");
  }
  return times;
}

Uplink read_uplink(std::string_view text) {
  Uplink uplink{};
  for (const std::string_view part : split("--uplink", text, ',')) {
    const auto [name, value] = halve(part, '=');
    if (name == "slot") {
      uplink.slot_ms = read_number("--uplink slot", value, {0.1, 1000});
    } else if (name == "harq") {
      const auto [share, ms] = halve(value, 'x');
      uplink.harq_share = read_number("--uplink harq", share, kShare);
      uplink.harq_ms = read_number("--uplink harq", ms, {0, 1000});
    } else {
      refuse("--uplink", "'" + std::string(part) + "' is unknown; write slot=5,harq=0.1x8");
    }
  }
  if (uplink.slot_ms <= 0) refuse("--uplink", "slot= is missing; write slot=5,harq=0.1x8");
  return uplink;
}

// SECONDS@AT, or SECONDS@AT/EVERY until the end.
void read_silence(std::string_view text, double duration, std::vector<Silence>& silences) {
  for (const std::string_view part : split("--silence", text, ',')) {
    const auto [length, when] = halve(part, '@');
    const auto [at, every] = halve(when, '/');
    const double seconds = read_number("--silence", length, {0.001, kSeconds.most});
    const double first = read_number("--silence", at, kSeconds);
    if (every.empty()) {
      silences.push_back({first, seconds});
      continue;
    }
    const double period = read_number("--silence", every, {0.001, kSeconds.most});
    if (period <= seconds) {
      refuse("--silence", "'" + std::string(part) + "' would be silent for ever");
    }
    for (double t = first; t < duration && silences.size() < kMostSilences; t += period) {
      silences.push_back({t, seconds});
    }
  }
}

std::vector<DelayStep> read_delays(std::string_view option, const std::vector<std::string>& texts) {
  std::vector<DelayStep> steps;
  for (const std::string& text : texts) {
    for (const std::string_view part : split(option, text, ',')) {
      const auto [ms, at] = halve(part, '@');
      steps.push_back(
          {read_number(option, ms, kAnyDelay), at.empty() ? 0 : read_number(option, at, kSeconds)});
    }
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const DelayStep& a, const DelayStep& b) { return a.at_s < b.at_s; });
  return steps;
}

std::vector<double> read_sizes(const std::string& name) {
  std::vector<double> sizes;
  double sum = 0;
  for_each_line("--camera", name, [&](const std::string& where, std::string_view word) {
    if (word.front() == '#') return;
    sizes.push_back(read_number(where, word, {1, 1e8}));
    sum += sizes.back();
  });
  if (sizes.empty()) refuse("--camera", "'" + name + "' has no frame sizes; each line is one");
  const double mean = sum / static_cast<double>(sizes.size());
  for (double& size : sizes) size /= mean;
  return sizes;
}

// FPS[:MIN-MAX[:WEIGHT]], or a file of frame sizes.
CameraConfig read_camera(const std::string& text) {
  CameraConfig camera;
  const auto [fps, bounds_and_weight] = halve(text, ':');
  const bool is_number = !fps.empty() && fps.find_first_not_of("0123456789.+-") == fps.npos;
  const bool is_word = fps == "nan" || fps == "inf" || fps == "-nan" || fps == "-inf";
  if (!is_number && !is_word) {
    camera.sizes = read_sizes(text);
    return camera;
  }
  camera.fps = read_number("--camera FPS", fps, {0.1, 1000});
  if (fps.size() == text.size()) return camera;
  const auto [bounds, weight] = halve(bounds_and_weight, ':');
  const auto [least, most] = halve(bounds, '-');
  camera.min_mbps = read_number("--camera MIN", least, {0.001, 10000});
  camera.max_mbps = read_number("--camera MAX", most, {0.001, 10000});
  if (camera.max_mbps < camera.min_mbps) {
    refuse("--camera",
           "'" + text + "' has a maximum below its minimum; write FPS:MIN-MAX[:WEIGHT]");
  }
  if (!weight.empty()) camera.weight = read_number("--camera WEIGHT", weight, {0.001, 1000});
  return camera;
}

// HZ[:BYTES]; 0 for none.
std::optional<RadarConfig> read_radar(std::string_view text) {
  const auto [hz, bytes] = halve(text, ':');
  RadarConfig radar;
  radar.hz = read_number("--radar HZ", hz, {0, 1000});
  if (hz.size() != text.size()) {
    radar.bytes = read_whole("--radar BYTES", bytes, {1, 1e6});
  }
  return radar.hz > 0 ? std::optional(radar) : std::nullopt;
}

Peer read_peer(std::string_view text) {
  const auto [name, at] = halve(text, '@');
  Peer peer{.kind = Peer::Kind::kCubic};
  if (name == "bbr") {
    peer.kind = Peer::Kind::kBbr;
  } else if (name != "cubic") {
    refuse("--compete", "'" + std::string(name) + "' is unknown; possible are cubic, bbr");
  }
  if (!at.empty()) peer.at_s = read_number("--compete", at, kSeconds);
  return peer;
}

std::vector<double> read_list(std::string_view option, std::string_view text, Range range,
                              std::size_t vehicles) {
  std::vector<double> values;
  for (const std::string_view part : split(option, text, ',')) {
    values.push_back(read_number(option, part, range));
  }
  if (values.size() != 1 && values.size() != vehicles) {
    refuse(option, std::to_string(values.size()) + " values for " + std::to_string(vehicles) +
                       " vehicles; give one for all, or one for each");
  }
  return values;
}

void read_feeds(const MediaTexts& texts, MediaConfig& config) {
  for (const std::string& text : texts.cameras) config.cameras.push_back(read_camera(text));
  if (config.cameras.empty()) config.cameras.emplace_back();
  if (config.cameras.size() > kMostCameras) refuse("--camera", "more than 16 of them");
  config.radar = read_radar(texts.radar);
  for (const std::string& text : texts.weights) {
    const auto [camera, weight_at] = halve(text, '=');
    const auto [weight, at] = halve(weight_at, '@');
    const auto cameras = static_cast<double>(config.cameras.size());
    config.weight_changes.push_back(
        {static_cast<std::size_t>(read_whole("--weight CAMERA", camera, {1, cameras})) - 1,
         read_number("--weight", weight, {0.001, 1000}),
         at.empty() ? 0 : read_number("--weight AT", at, kSeconds)});
  }
}

void read_vehicles(const MediaTexts& texts, MediaConfig& config) {
  config.vehicles = static_cast<std::size_t>(read_whole("--vehicles", texts.vehicles, {1, 50}));
  config.rtt_ms = read_list("--rtt", texts.rtt, {0, 10000}, config.vehicles);
  config.start_s = read_list("--start", texts.start, kSeconds, config.vehicles);
  for (const std::string& text : texts.pauses) {
    const auto [vehicle, span] = halve(text, ':');
    const auto [from, to] = halve(span, '-');
    const auto count = static_cast<double>(config.vehicles);
    config.pauses.push_back(
        {static_cast<std::size_t>(read_whole("--pause VEHICLE", vehicle, {1, count})) - 1,
         read_number("--pause FROM", from, kSeconds), read_number("--pause TO", to, kSeconds)});
  }
}

void read_controller(const MediaTexts& texts, MediaConfig& config) {
  const auto algorithm = parse_algorithm(texts.algorithm);
  if (!algorithm) {
    refuse("--algorithm",
           "'" + texts.algorithm +
               "' is unknown; possible are adaptive-bbr2, adaptive-bbr2-paper, bbr2");
  }
  config.algorithm = *algorithm;
  const auto startup = parse_startup(texts.startup);
  if (!startup) {
    refuse("--startup", "'" + texts.startup + "' is unknown; possible are fbe, classic");
  }
  config.startup = *startup;
  config.start_mbps = read_number("--start-bitrate", texts.start_bitrate, {0.01, 10000});
  config.params = texts.params;
  const std::string fault = SendController(ControllerConfig{}).set_params(texts.params);
  if (!fault.empty()) refuse("--params", fault);
  config.seed = static_cast<std::uint64_t>(read_whole("--seed", texts.seed, {0, 4294967295.0}));
}

}  // namespace

MediaConfig read_media_config(const MediaTexts& texts) {
  MediaConfig config;
  if (texts.link.empty() == texts.trace.empty()) {
    refuse("--link", "give either --link RATE:SECONDS,... or --trace FILE");
  }
  bool open_end = false;
  double whole = kTraceDuration;
  if (!texts.link.empty()) {
    config.phases = read_link(texts.link, open_end);
    whole = 0;
    for (const RatePhase& phase : config.phases) whole += phase.seconds;
    if (whole > kDuration.most) refuse("--link", "its phases last longer than 36000 s");
  } else {
    config.trace = read_trace(texts.trace);
  }
  config.duration_s =
      texts.duration.empty() ? whole : read_number("--duration", texts.duration, kDuration);
  config.buffer_ms = read_number("--buffer-ms", texts.buffer_ms, kMillis);
  config.buffer_kb = read_number("--buffer-kb", texts.buffer_kb, {1, 1e6});
  config.loss = read_number("--loss", texts.loss, kShare);
  config.feedback_loss = read_number("--feedback-loss", texts.feedback_loss, kShare);
  config.reordering = read_number("--reordering", texts.reordering, kShare);
  config.jitter_ms = read_number("--jitter-ms", texts.jitter_ms, {0, 10000});
  config.skew_ppm = read_number("--skew-ppm", texts.skew_ppm, {-1000, 1000});
  if (!texts.uplink.empty()) {
    if (!config.trace.empty()) refuse("--uplink", "a trace has its own grants");
    config.uplink = read_uplink(texts.uplink);
  }
  for (const std::string& text : texts.silence) {
    read_silence(text, config.duration_s, config.silences);
  }
  config.forward_delay = read_delays("--forward-delay-ms", texts.forward_delay);
  config.reverse_delay = read_delays("--reverse-delay-ms", texts.reverse_delay);
  if (!texts.compete.empty()) config.peer = read_peer(texts.compete);
  read_vehicles(texts, config);
  read_feeds(texts, config);
  read_controller(texts, config);
  return config;
}

std::unique_ptr<LinkCapacity> make_capacity(const MediaConfig& config) {
  if (!config.trace.empty()) return traced_capacity(config.trace, config.silences);
  auto rate = phased_capacity(config.phases, config.silences);
  if (!config.uplink) return rate;
  return slotted_capacity(std::move(rate), *config.uplink, config.seed);
}

}  // namespace farwheel::lab::media
