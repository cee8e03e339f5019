// What a run of `farwheel-lab media` is asked for, read and checked. Words and units are those of
// docs/lab-media.md.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "controller_types.h"
#include "media/link_capacity.h"

namespace farwheel::lab::media {

struct CameraConfig {
  double fps = 30;
  double min_mbps = 0.15;
  double max_mbps = 8;
  double weight = 1;
  // Frame sizes relative to their mean, repeated from the end; empty: lognormal.
  std::vector<double> sizes;
};

struct RadarConfig {
  double hz = 13;
  std::int64_t bytes = 1200;
};

// From `at_s` on, another camera weight.
struct WeightChange {
  std::size_t camera;  // from 0
  double weight;
  double at_s;
};

// From `at_s` on the way is so much longer than at first.
struct DelayStep {
  double ms;
  double at_s;
};

struct Pause {
  std::size_t vehicle;  // from 0
  double from_s;
  double to_s;
};

struct Peer {
  enum class Kind { kCubic, kBbr };
  Kind kind;
  double at_s = 0;
};

struct MediaConfig {
  std::vector<RatePhase> phases;
  std::vector<std::int64_t> trace;  // opportunities in ms; empty: the phases
  double duration_s = 0;
  double buffer_ms = 300;
  double buffer_kb = 150;  // traces
  std::optional<Uplink> uplink;
  std::vector<Silence> silences;
  double loss = 0;
  double feedback_loss = 0;
  double reordering = 0;
  double jitter_ms = 0;
  double skew_ppm = 0;
  std::vector<DelayStep> forward_delay;
  std::vector<DelayStep> reverse_delay;
  std::optional<Peer> peer;

  std::vector<double> rtt_ms{50};  // one for all vehicles, or one for each
  std::vector<double> start_s{0};  // likewise
  std::size_t vehicles = 1;
  std::vector<Pause> pauses;
  std::vector<CameraConfig> cameras;
  std::optional<RadarConfig> radar = RadarConfig{};
  std::vector<WeightChange> weight_changes;

  Algorithm algorithm = Algorithm::kAdaptiveBbr2;
  StartupKind startup = StartupKind::kFbe;
  double start_mbps = 1;
  std::string params;
  std::uint64_t seed = 1;
  bool events = false;          // the controller's, to standard error
  std::FILE* series = nullptr;  // what the controllers think, a line each 50 ms

  double rtt_of(std::size_t vehicle) const { return rtt_ms[vehicle % rtt_ms.size()]; }
  double start_of(std::size_t vehicle) const { return start_s[vehicle % start_s.size()]; }
};

std::unique_ptr<LinkCapacity> make_capacity(const MediaConfig& config);

}  // namespace farwheel::lab::media
