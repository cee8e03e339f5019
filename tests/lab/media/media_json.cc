#include "media/media_json.h"

#include <optional>

namespace farwheel::lab::media {
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

}  // namespace

nlohmann::ordered_json to_json(const MediaConfig& config, const RunResult& result) {
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

}  // namespace farwheel::lab::media
