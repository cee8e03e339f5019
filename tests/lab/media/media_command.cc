#include "media/media_command.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "media/media_options.h"
#include "media/media_run.h"
#include "media/option_text.h"

namespace farwheel::lab {
namespace media {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const PhaseFigures& phase) {
  return {{"rate_mbps", phase.rate_mbps},
          {"seconds", phase.seconds},
          {"utilisation", phase.utilisation},
          {"owd_p50_ms", or_null(phase.owd_p50_ms)},
          {"owd_p95_ms", or_null(phase.owd_p95_ms)},
          {"owd_max_ms", or_null(phase.owd_max_ms)},
          {"recovery_90_s", or_null(phase.recovery_90_s)}};
}

Json to_json(const FeedFigures& feed) {
  return {{"name", feed.name},
          {"kind", feed.kind == FeedKind::kRadar ? "radar" : "camera"},
          {"bitrate_bps", feed.bitrate_bps},
          {"bitrate_bps_by_phase", feed.bitrate_bps_by_phase},
          {"latency_ms",
           {{"p50", or_null(feed.p50_ms)},
            {"p95", or_null(feed.p95_ms)},
            {"p99", or_null(feed.p99_ms)},
            {"max", or_null(feed.max_ms)}}},
          {"over_170", feed.over_170},
          {"over_300", feed.over_300},
          {"frozen_s", feed.frozen_s},
          {"freezes", feed.freezes},
          {"captured", feed.captured},
          {"delivered", feed.delivered},
          {"dropped_units", feed.dropped_units},
          {"keyframes_requested", feed.key_frames_requested},
          {"keyframes_sent", feed.key_frames_sent}};
}

Json to_json(const MediaConfig& config, const RunResult& result) {
  const RunFigures& figures = result.figures;
  Json json;
  json["algorithm"] = to_string(config.algorithm);
  json["startup"] = to_string(config.startup);
  json["seed"] = config.seed;
  json["duration_s"] = config.duration_s;
  json["phases"] = Json::array();
  for (const PhaseFigures& phase : figures.phases) json["phases"].push_back(to_json(phase));
  json["feeds"] = Json::array();
  for (const FeedFigures& feed : figures.feeds) json["feeds"].push_back(to_json(feed));
  json["oracle"] = {{"over_300", result.oracle.over_300},
                    {"delivered_bytes", result.oracle.delivered_bytes},
                    {"radar_p99_ms", or_null(result.oracle.radar_p99_ms)}};
  json["delivered_bytes"] = figures.delivered_bytes;
  json["delivered_packets"] = figures.delivered_packets;
  json["loss"] = result.loss;
  json["link_outage_s"] = figures.link_outage_s;
  if (!config.silences.empty()) {
    json["after_silence"] = {{"first_frame_s", or_null(figures.first_frame_after_silence_s)},
                             {"rate_80_s", or_null(figures.rate_80_after_silence_s)}};
  }
  if (config.vehicles > 1) {
    json["vehicles"] = Json::array();
    for (std::size_t v = 0; v < figures.vehicle_mbps.size(); ++v) {
      json["vehicles"].push_back({{"throughput_mbps", figures.vehicle_mbps[v]},
                                  {"throughput_mbps_by_phase", figures.vehicle_mbps_by_phase[v]}});
    }
    json["jain"] = jain(figures.vehicle_mbps);
  }
  if (result.peer_mbps) {
    json["peer"] = {{"kind", config.peer->kind == Peer::Kind::kCubic ? "cubic" : "bbr"},
                    {"throughput_mbps", *result.peer_mbps}};
  }
  return json;
}

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdout) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Opened before the run, so that a bad name is told at once.
File open_output(const std::string& name) {
  File file(name == "-" ? stdout : std::fopen(name.c_str(), "w"));
  if (!file) refuse("--json", "'" + name + "' cannot be written");
  return file;
}

void run(const MediaTexts& texts, const std::string& json, bool events) {
  MediaConfig config = read_media_config(texts);
  config.events = events;
  const File file = open_output(json);
  const std::string text = to_json(config, run_media(config)).dump(2) + "\n";
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  if (!written || std::fflush(file.get()) != 0) {
    throw std::runtime_error("--json " + json + ": could not be written to its end");
  }
}

}  // namespace
}  // namespace media

void add_media_command(CLI::App& app) {
  struct State {
    media::MediaTexts texts;
    std::string json = "-";
    bool events = false;
  };
  auto state = std::make_shared<State>();
  media::MediaTexts& t = state->texts;
  CLI::App* command = app.add_subcommand(
      "media", "Cameras and radar on a link, under Farwheel's controller, in virtual time");
  command->set_version_flag("--version", app.version());
  command->add_option("--link", t.link, "RATE:SECONDS,...  Mbit/s; rate 0 holds what is queued");
  command->add_option("--trace", t.trace, "FILE  mahimahi: a 1500-byte opportunity a line, in ms");
  command->add_option("--buffer-ms", t.buffer_ms, "Queue at the current rate (300)");
  command->add_option("--buffer-kb", t.buffer_kb, "Queue of a trace (150)");
  command->add_option("--rtt", t.rtt,
                      "Propagation there and back in ms, one for each vehicle (50)");
  command->add_option("--loss", t.loss, "Share of packets lost at random (0)");
  command->add_option("--feedback-loss", t.feedback_loss, "Share of reports and requests lost (0)");
  command->add_option("--reordering", t.reordering, "Share of packets that come 10 ms late (0)");
  command->add_option("--jitter-ms", t.jitter_ms, "Mean of an exponential delay, in order (0)");
  command->add_option("--uplink", t.uplink, "slot=MS[,harq=SHARExMS]  grants of a phone's uplink");
  command->add_option("--silence", t.silence,
                      "SECONDS@AT[/EVERY]  nothing passes, what is sent is lost");
  command->add_option("--skew-ppm", t.skew_ppm, "How much faster the receiver's clock runs (0)");
  command->add_option("--forward-delay-ms", t.forward_delay,
                      "MS@AT  the way there is so much longer");
  command->add_option("--reverse-delay-ms", t.reverse_delay,
                      "MS@AT  the way back is so much longer");
  command->add_option("--compete", t.compete, "cubic|bbr[@AT]  a TCP bulk flow on the link");
  command->add_option("--duration", t.duration, "Seconds (the phases', 60, or 100 of a trace)");
  command->add_option("--camera", t.cameras,
                      "FPS[:MIN-MAX[:WEIGHT]] or FILE of frame sizes; once a camera (30:0.15-8)");
  command->add_option("--weight", t.weights, "CAMERA=WEIGHT@AT  another weight while playing");
  command->add_option("--radar", t.radar, "HZ[:BYTES]; 0: none (13:1200)");
  command->add_option("--vehicles", t.vehicles, "So many on the link, each with all feeds (1)");
  command->add_option("--start", t.start, "Seconds, one for each vehicle (0)");
  command->add_option("--pause", t.pauses, "VEHICLE:FROM-TO  it captures nothing meanwhile");
  command->add_option("--algorithm", t.algorithm, "adaptive-bbr2, adaptive-bbr2-paper, bbr2");
  command->add_option("--startup", t.startup, "fbe, classic");
  command->add_option("--start-bitrate", t.start_bitrate,
                      "Before anything is measured, Mbit/s (1)");
  command->add_option("--params", t.params, "NAME=VALUE,...  tunables of the controller");
  command->add_option("--seed", t.seed, "Of frame sizes, jitter, loss (1)");
  command->add_option("--json", state->json, "FILE, or - for standard output (-)");
  command->add_flag("--events", state->events, "The controller's events to standard error");
  for (CLI::Option* option : command->get_options()) {
    // A list is one word with commas; an option that may come again takes one word a time.
    if (option->get_items_expected_max() > 1) option->expected(1)->take_all();
    option->type_name("");
  }
  command->callback([state] { media::run(state->texts, state->json, state->events); });
}

}  // namespace farwheel::lab
