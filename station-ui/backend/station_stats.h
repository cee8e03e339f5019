// What the station knows at one moment: the property `stats` of farwheelsrc as values. A field that
// is not known is empty; nothing here is judged, that is the models' work. Names, types and units:
// docs/stats.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/monotonic_clock.h"

namespace farwheel::station {

enum class LinkState { kUnknown, kWaiting, kConnecting, kConnected, kStale, kLost };

// The vehicle's controller, from its newest `state` message.
struct ControllerStats {
  std::string algorithm;
  std::string startup;
  std::string state;
  std::string limited_by;
  std::optional<double> target_bps;
  std::optional<double> queue_delay_ms;
  std::optional<double> pacer_queue_ms;
  std::optional<double> fbe_estimate_bps;
  std::optional<double> fbe_confidence;
};

struct FeedStats {
  std::string name;
  std::string kind;
  std::optional<double> units_received;
  std::optional<double> last_unit_age_ms;
};

struct StationStats {
  // When the values were read; their ages count from here.
  Nanoseconds read_at = 0;
  LinkState link = LinkState::kUnknown;
  std::string listening;
  std::string vehicle_id;
  std::optional<bool> encrypted;
  std::optional<double> session_age_ms;
  std::optional<double> last_media_age_ms;
  std::optional<double> state_age_ms;
  std::optional<double> throughput_bps;
  std::optional<double> rtt_ms;
  std::optional<double> owd_ms;
  std::optional<double> owd_error_ms;
  std::optional<double> clock_error_ms;
  std::optional<double> loss;
  std::optional<double> sessions_total;
  std::optional<ControllerStats> controller;
  std::vector<FeedStats> feeds;
  // Coded pictures were skipped lately since this machine could not decode them in time.
  bool console_overloaded = false;
};

}  // namespace farwheel::station
