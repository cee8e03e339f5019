#include "webrtc/station_stats.h"

namespace farwheel {
namespace {

double age_ms(GstClockTime since) {
  const GstClockTime now = gst_util_get_timestamp();
  return now > since ? static_cast<double>(now - since) / 1e6 : 0.0;
}

double ms(std::int64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

void set_double(GstStructure* stats, const char* name, double value) {
  gst_structure_set(stats, name, G_TYPE_DOUBLE, value, nullptr);
}

void add_session(GstStructure* stats, const StationSessionReport& report) {
  gst_structure_set(stats, "throughput-bps", G_TYPE_UINT64,
                    static_cast<guint64>(report.throughput_bps), "packets-received", G_TYPE_UINT64,
                    static_cast<guint64>(report.packets), "packets-lost", G_TYPE_UINT64,
                    static_cast<guint64>(report.lost), "bytes-received", G_TYPE_UINT64,
                    static_cast<guint64>(report.bytes), "datachannel-bytes", G_TYPE_UINT64,
                    static_cast<guint64>(report.channel_bytes), nullptr);
  if (report.connected) set_double(stats, "session-age-ms", age_ms(report.connected_at));
  if (report.last_media) set_double(stats, "last-media-age-ms", age_ms(report.last_media));
  if (report.last_state) set_double(stats, "state-age-ms", age_ms(report.last_state));
  if (report.loss) set_double(stats, "loss", *report.loss);
  if (report.clock) set_double(stats, "clock-error-ms", ms(report.clock->error_ns));
  if (report.clock_rtt_ns) set_double(stats, "clock-rtt-ms", ms(*report.clock_rtt_ns));
  if (report.skew_ppm) set_double(stats, "clock-skew-ppm", *report.skew_ppm);
  if (report.one_way_delay) {
    set_double(stats, "owd-ms", ms(report.one_way_delay->ns));
    set_double(stats, "owd-error-ms", ms(report.one_way_delay->error_ns));
  }
  double rtt = 0;
  if (report.controller && gst_structure_get_double(report.controller.get(), "rtt-ms", &rtt)) {
    set_double(stats, "rtt-ms", rtt);
  } else if (report.clock_rtt_ns) {
    set_double(stats, "rtt-ms", ms(*report.clock_rtt_ns));
  }
  if (report.controller) {
    gst_structure_set(stats, "controller", GST_TYPE_STRUCTURE, report.controller.get(), nullptr);
  }
}

void add_feeds(GstStructure* stats, const std::vector<OutletReport>& outlets) {
  GValue list = G_VALUE_INIT;
  g_value_init(&list, GST_TYPE_ARRAY);
  for (const OutletReport& outlet : outlets) {
    GstStructure* feed =
        gst_structure_new("feed", "name", G_TYPE_STRING, outlet.name.c_str(), "kind", G_TYPE_STRING,
                          to_string(outlet.kind), "units-received", G_TYPE_UINT64,
                          static_cast<guint64>(outlet.counts.units), nullptr);
    if (outlet.counts.last_unit) {
      set_double(feed, "last-unit-age-ms", age_ms(outlet.counts.last_unit));
    }
    GValue value = G_VALUE_INIT;
    g_value_init(&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed(&value, feed);
    gst_value_array_append_and_take_value(&list, &value);
  }
  gst_structure_take_value(stats, "feeds", &list);
}

}  // namespace

GstStructure* station_stats(const StationLinkSnapshot& link,
                            const std::vector<OutletReport>& outlets) {
  GstStructure* stats = gst_structure_new(
      "application/x-farwheelsrc-stats", "connection", G_TYPE_STRING, link.connection, "encrypted",
      G_TYPE_BOOLEAN, static_cast<gboolean>(link.report.encrypted), "sessions", G_TYPE_UINT64,
      static_cast<guint64>(link.sessions), "sessions-total", G_TYPE_UINT64,
      static_cast<guint64>(link.sessions_total), nullptr);
  if (!link.listening.empty()) {
    gst_structure_set(stats, "listening", G_TYPE_STRING, link.listening.c_str(), nullptr);
  }
  if (!link.vehicle_id.empty()) {
    gst_structure_set(stats, "vehicle-id", G_TYPE_STRING, link.vehicle_id.c_str(), nullptr);
  }
  if (link.sessions > 0) add_session(stats, link.report);
  add_feeds(stats, outlets);
  return stats;
}

}  // namespace farwheel
