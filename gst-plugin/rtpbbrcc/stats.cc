#include "rtpbbrcc/stats.h"

#include <algorithm>
#include <string_view>

namespace farwheel {
namespace {

// Writes fields of the types that docs/stats.md promises; leaves out what is not known.
class Writer {
 public:
  explicit Writer(const char* name) : structure_(gst_structure_new_empty(name)) {}

  void text(const char* field, std::string_view value) {
    gst_structure_set(structure_.get(), field, G_TYPE_STRING, std::string(value).c_str(), nullptr);
  }
  void flag(const char* field, bool value) {
    gst_structure_set(structure_.get(), field, G_TYPE_BOOLEAN, value ? TRUE : FALSE, nullptr);
  }
  void real(const char* field, double value) {
    gst_structure_set(structure_.get(), field, G_TYPE_DOUBLE, value, nullptr);
  }
  void count(const char* field, std::int64_t value) {
    gst_structure_set(structure_.get(), field, G_TYPE_UINT64,
                      static_cast<guint64>(std::max<std::int64_t>(value, 0)), nullptr);
  }
  void nanoseconds(const char* field, std::int64_t value) {
    gst_structure_set(structure_.get(), field, G_TYPE_INT64, static_cast<gint64>(value), nullptr);
  }
  void number(const char* field, std::uint32_t value) {
    gst_structure_set(structure_.get(), field, G_TYPE_UINT, static_cast<guint>(value), nullptr);
  }
  // A rate or size that is infinite is not known yet.
  void rate(const char* field, std::optional<DataRate> value) {
    if (value && value->is_finite()) count(field, value->bps());
  }
  void size(const char* field, std::optional<DataSize> value) {
    if (value && value->is_finite()) count(field, value->bytes());
  }
  void milliseconds(const char* field, std::optional<TimeDelta> value) {
    if (value && value->is_finite()) real(field, value->ms());
  }

  GstStructure* get() const { return structure_.get(); }
  GstStructurePtr take() { return std::move(structure_); }

 private:
  GstStructurePtr structure_;
};

void write_model(Writer& stats, const ControllerSnapshot& snapshot) {
  stats.text("state", to_string(snapshot.state));
  stats.text("limited-by", to_string(snapshot.limited_by));
  stats.rate("target-bps", snapshot.target);
  stats.rate("pacing-bps", snapshot.pacing_rate);
  stats.rate("bw-bps", snapshot.bw);
  stats.rate("max-bw-bps", snapshot.max_bw);
  stats.rate("delivered-bps", snapshot.delivered_rate);
  stats.milliseconds("rtt-ms", snapshot.smoothed_rtt);
  stats.milliseconds("min-rtt-ms", snapshot.min_rtt);
  stats.milliseconds("max-rtt-ms", snapshot.max_rtt);
  stats.milliseconds("queue-delay-ms", snapshot.queue_delay);
  stats.milliseconds("pacer-queue-ms", snapshot.pacer_queue);
  stats.size("cwnd-bytes", snapshot.cwnd);
  stats.size("inflight-bytes", snapshot.inflight);
  stats.size("inflight-hi-bytes", snapshot.inflight_hi);
  stats.size("packet-size-bound-bytes", snapshot.packet_size_bound);
  stats.real("loss", snapshot.loss);
  stats.flag("silent", snapshot.silent);
  stats.flag("app-limited", snapshot.app_limited);
  stats.rate("fbe-estimate-bps", snapshot.fbe_estimate);
  stats.real("fbe-confidence", snapshot.fbe_confidence);
  stats.flag("fbe-done", snapshot.fbe_done);
  stats.count("packets-sent", snapshot.packets_sent);
  stats.count("packets-delivered", snapshot.packets_delivered);
  stats.count("packets-lost", snapshot.packets_lost);
  stats.count("packets-unknown", snapshot.packets_unknown);
  stats.count("bytes-sent", snapshot.bytes_sent);
  stats.count("bytes-delivered", snapshot.bytes_delivered);
}

void append_feed(GValue* list, const Feed& feed, Timestamp now) {
  Writer entry("feed");
  entry.number("ssrc", feed.ssrc);
  entry.text("name", feed.name);
  entry.text("kind", feed.kind == FeedKind::kRadar ? "radar" : "camera");
  entry.rate("target-bps", feed.target);
  entry.rate("sent-bps", feed.sent.rate(now));
  entry.count("packets-sent", feed.packets_sent);
  entry.count("units-sent", feed.units_sent);
  entry.count("units-dropped", feed.units_dropped);
  entry.count("keyframes-requested", feed.key_frames_requested);
  if (!feed.encoder_name.empty()) {
    entry.text("encoder", feed.encoder_name);
    entry.real("encoder-gain", feed.encoder_yield.gain());
    entry.flag("encoder-ignores-target", feed.ignores_target);
  }
  GValue value = G_VALUE_INIT;
  g_value_init(&value, GST_TYPE_STRUCTURE);
  gst_value_set_structure(&value, entry.get());
  gst_value_array_append_and_take_value(list, &value);
}

}  // namespace

GstStructurePtr make_stats(const StatsSource& source) {
  Writer stats("application/x-rtpbbrcc-stats");
  stats.text("algorithm", to_string(source.algorithm));
  stats.text("startup", to_string(source.startup));
  write_model(stats, source.snapshot);
  stats.count("reports", source.reports);
  stats.count("odd-reports", source.odd_reports);
  if (source.driver_backlog) {
    stats.size("driver-queue-bytes", source.driver_backlog);
    stats.text("tx-interface", source.tx_interface);
  }
  if (source.owd) {
    stats.nanoseconds("owd-raw-min-ns", source.owd->min_ns);
    stats.nanoseconds("owd-raw-p50-ns", source.owd->p50_ns);
  }
  GValue list = G_VALUE_INIT;
  g_value_init(&list, GST_TYPE_ARRAY);
  for (const auto& feed : *source.feeds) append_feed(&list, *feed, source.now);
  gst_structure_take_value(stats.get(), "feeds", &list);
  return stats.take();
}

}  // namespace farwheel
