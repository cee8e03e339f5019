// The figures of a run, in the words of docs/lab-media.md, from what vehicles wrote down. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "media/link_capacity.h"
#include "media/media_config.h"
#include "media/oracle.h"
#include "media/unit_log.h"

namespace farwheel::lab::media {

struct PhaseFigures {
  double rate_mbps = 0;
  double seconds = 0;
  double utilisation = 0;
  std::optional<double> owd_p50_ms, owd_p95_ms, owd_max_ms;
  std::optional<double> recovery_90_s;
};

struct FeedFigures {
  std::string name;
  FeedKind kind = FeedKind::kCamera;
  double bitrate_bps = 0;
  std::vector<double> bitrate_bps_by_phase;
  std::optional<double> p50_ms, p95_ms, p99_ms, max_ms;
  double over_170 = 0;
  double over_300 = 0;
  double frozen_s = 0;
  std::int64_t freezes = 0;
  std::int64_t captured = 0;
  std::int64_t delivered = 0;
  std::int64_t dropped_units = 0;
  std::int64_t key_frames_requested = 0;
  std::int64_t key_frames_sent = 0;
};

struct RunFigures {
  std::vector<PhaseFigures> phases;
  std::vector<FeedFigures> feeds;
  std::vector<double> vehicle_mbps;  // payload over each one's active time
  std::vector<std::vector<double>> vehicle_mbps_by_phase;
  std::int64_t delivered_bytes = 0;
  std::int64_t delivered_packets = 0;
  double link_outage_s = 0;
  // From the end of the first silence until a new frame is complete, and until a sliding 200-ms
  // window has 80 % of what a payload can reach.
  std::optional<double> first_frame_after_silence_s;
  std::optional<double> rate_80_after_silence_s;
};

// Marks in each unit when it could be shown: a delta frame needs all since its key frame.
void judge(FeedLog& feed);

RunFigures measure(const MediaConfig& config, const LinkCapacity& capacity,
                   std::vector<VehicleLog>& vehicles);

// (sum)^2 / (n * sum of squares); 1 for none.
double jain(const std::vector<double>& shares);

}  // namespace farwheel::lab::media
