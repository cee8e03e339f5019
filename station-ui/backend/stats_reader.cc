#include "backend/stats_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace farwheel::station {
namespace {

// A hostile vehicle may name any number of feeds.
constexpr guint kMostFeeds = 32;

std::string text_of(const GstStructure* from, const char* field) {
  const char* text = gst_structure_get_string(from, field);
  return text ? text : "";
}

// A number of whatever numeric type, if it is one that can be shown.
std::optional<double> number_of(const GstStructure* from, const char* field) {
  const GValue* value = gst_structure_get_value(from, field);
  if (!value) return std::nullopt;
  std::optional<double> number;
  if (G_VALUE_HOLDS_DOUBLE(value)) {
    number = g_value_get_double(value);
  } else if (G_VALUE_HOLDS_UINT64(value)) {
    number = static_cast<double>(g_value_get_uint64(value));
  } else if (G_VALUE_HOLDS_INT64(value)) {
    number = static_cast<double>(g_value_get_int64(value));
  } else if (G_VALUE_HOLDS_UINT(value)) {
    number = g_value_get_uint(value);
  } else if (G_VALUE_HOLDS_INT(value)) {
    number = g_value_get_int(value);
  }
  if (number && !std::isfinite(*number)) number.reset();
  return number;
}

std::optional<double> size_of(const GstStructure* from, const char* field) {
  const std::optional<double> number = number_of(from, field);
  return number && *number >= 0 ? number : std::nullopt;
}

LinkState link_of(const GstStructure* stats) {
  constexpr std::array<std::pair<std::string_view, LinkState>, 5> kNames{{
      {"waiting", LinkState::kWaiting},
      {"connecting", LinkState::kConnecting},
      {"connected", LinkState::kConnected},
      {"stale", LinkState::kStale},
      {"lost", LinkState::kLost},
  }};
  const std::string name = text_of(stats, "connection");
  for (const auto& [known, link] : kNames) {
    if (name == known) return link;
  }
  return LinkState::kUnknown;
}

const GstStructure* structure_of(const GValue* value) {
  return value && GST_VALUE_HOLDS_STRUCTURE(value) ? gst_value_get_structure(value) : nullptr;
}

std::optional<ControllerStats> controller_of(const GstStructure* stats) {
  const GstStructure* from = structure_of(gst_structure_get_value(stats, "controller"));
  if (!from) return std::nullopt;
  return ControllerStats{
      .algorithm = text_of(from, "algorithm"),
      .startup = text_of(from, "startup"),
      .state = text_of(from, "state"),
      .limited_by = text_of(from, "limited-by"),
      .target_bps = size_of(from, "target-bps"),
      .queue_delay_ms = size_of(from, "queue-delay-ms"),
      .pacer_queue_ms = size_of(from, "pacer-queue-ms"),
      .fbe_estimate_bps = size_of(from, "fbe-estimate-bps"),
      .fbe_confidence = size_of(from, "fbe-confidence"),
  };
}

std::vector<FeedStats> feeds_of(const GstStructure* stats) {
  std::vector<FeedStats> feeds;
  const GValue* value = gst_structure_get_value(stats, "feeds");
  if (!value || !GST_VALUE_HOLDS_ARRAY(value)) return feeds;
  const guint count = std::min(gst_value_array_get_size(value), kMostFeeds);
  for (guint i = 0; i < count; ++i) {
    const GstStructure* from = structure_of(gst_value_array_get_value(value, i));
    if (!from) continue;
    feeds.push_back({.name = text_of(from, "name"),
                     .kind = text_of(from, "kind"),
                     .units_received = size_of(from, "units-received"),
                     .last_unit_age_ms = size_of(from, "last-unit-age-ms")});
  }
  return feeds;
}

}  // namespace

StationStats read_stats(const GstStructure* stats, Nanoseconds now) {
  StationStats read{
      .read_at = now,
      .link = link_of(stats),
      .listening = text_of(stats, "listening"),
      .vehicle_id = text_of(stats, "vehicle-id"),
      .session_age_ms = size_of(stats, "session-age-ms"),
      .last_media_age_ms = size_of(stats, "last-media-age-ms"),
      .state_age_ms = size_of(stats, "state-age-ms"),
      .throughput_bps = size_of(stats, "throughput-bps"),
      .rtt_ms = size_of(stats, "rtt-ms"),
      .owd_ms = number_of(stats, "owd-ms"),
      .owd_error_ms = size_of(stats, "owd-error-ms"),
      .clock_error_ms = size_of(stats, "clock-error-ms"),
      .loss = size_of(stats, "loss"),
      .sessions_total = size_of(stats, "sessions-total"),
      .controller = controller_of(stats),
      .feeds = feeds_of(stats),
  };
  gboolean encrypted = FALSE;
  if (gst_structure_get_boolean(stats, "encrypted", &encrypted))
    read.encrypted = encrypted != FALSE;
  return read;
}

}  // namespace farwheel::station
