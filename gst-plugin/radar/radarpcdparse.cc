// radarpcdparse: PCD v0.7 files (one a buffer, or a stream of bytes) to
// application/x-farwheel-radar. How files are told apart: pcd_collector.h; what is read of them:
// pcd_reader.h.
//
// Streaming thread: everything in Parser but the atomics and the pacer, which state changes and
// flushes reach from other threads.
#include <gst/gst.h>

#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "radar/pcd_collector.h"
#include "radar/radar_buffer.h"
#include "radar/register.h"
#include "radar/sweep_pacer.h"

GST_DEBUG_CATEGORY_STATIC(radarpcdparse_debug);
#define GST_CAT_DEFAULT radarpcdparse_debug

namespace farwheel {
namespace {

enum { kPropSensorId = 1, kPropRate, kPropKeepInvalid, kPropStats };
constexpr double kMaxRate = 1000;

struct Counters {
  std::atomic<guint64> sweeps{0};
  std::atomic<guint64> dropped{0};
  std::atomic<guint64> detections{0};
  std::atomic<guint64> empty_points{0};
  std::atomic<guint64> invalid_points{0};
};

// Of the buffer that a file began with.
struct FileTimes {
  GstClockTime pts = GST_CLOCK_TIME_NONE;
  std::optional<std::uint64_t> captured;
};

struct Parser {
  std::atomic<guint> sensor{0};
  std::atomic<double> rate{0};
  std::atomic<bool> keep_invalid{false};
  Counters counters;

  SweepPacer pacer;
  PcdCollector collector;
  FileTimes file_times;
  std::uint32_t files = 0;
  std::uint32_t warned_kinds = 0;
  bool one_file_a_buffer = false;
  bool segment_sent = false;
  std::optional<bool> live;
  // `rate` as it was when PAUSED was reached; queries read it from their own threads.
  std::atomic<double> running_rate{0};
};

}  // namespace

struct GstRadarPcdParse {
  GstElement parent;
  GstPad* sink;
  GstPad* src;
  Parser* parser;
};
struct GstRadarPcdParseClass {
  GstElementClass parent_class;
};

G_DEFINE_TYPE(GstRadarPcdParse, gst_radar_pcd_parse, GST_TYPE_ELEMENT)

static GstStaticPadTemplate pcd_sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate pcd_src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(kRadarSweepCaps));

static GstRadarPcdParse* as_parse(gpointer object) {
  return static_cast<GstRadarPcdParse*>(object);
}

static void send_caps(GstRadarPcdParse* self) {
  const GstCapsPtr caps(gst_static_pad_template_get_caps(&pcd_src_template));
  gst_pad_push_event(self->src, gst_event_new_caps(caps.get()));
}

static void send_own_segment(GstRadarPcdParse* self) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_pad_push_event(self->src, gst_event_new_segment(&segment));
  self->parser->segment_sent = true;
}

static bool upstream_is_live(GstRadarPcdParse* self) {
  Parser& parser = *self->parser;
  if (!parser.live) {
    gboolean live = FALSE;
    GstQuery* query = gst_query_new_latency();
    if (gst_pad_peer_query(self->sink, query)) {
      gst_query_parse_latency(query, &live, nullptr, nullptr);
    }
    gst_query_unref(query);
    parser.live = live != FALSE;
  }
  return *parser.live;
}

static void drop_file(GstRadarPcdParse* self, const PcdFault& fault) {
  Parser& parser = *self->parser;
  ++parser.counters.dropped;
  const std::string text = "PCD file " + std::to_string(parser.files) + " of the stream, " +
                           describe(fault) + "; its sweep is dropped.";
  const std::uint32_t bit = 1u << static_cast<unsigned>(fault.kind);
  if ((parser.warned_kinds & bit) != 0) {
    GST_INFO_OBJECT(self, "%s", text.c_str());
    return;
  }
  parser.warned_kinds |= bit;
  GST_ELEMENT_WARNING(self, STREAM, DECODE, ("%s", text.c_str()),
                      ("further faults of this kind are counted in \"stats\" and logged only"));
}

static GstFlowReturn push_sweep(GstRadarPcdParse* self, PcdSweep pcd, const FileTimes& times) {
  Parser& parser = *self->parser;
  RadarSweep sweep;
  sweep.sensor = parser.sensor;
  sweep.number = parser.files;
  if (times.captured) {
    sweep.captured_unix_ns = *times.captured;
  } else if (parser.running_rate > 0 || upstream_is_live(self)) {
    sweep.captured_unix_ns = wall_clock_ns();
  }
  sweep.detections = std::move(pcd.detections);
  ++parser.counters.sweeps;
  parser.counters.detections += sweep.detections.size();
  parser.counters.empty_points += pcd.empty_points;
  parser.counters.invalid_points += pcd.invalid_points;
  GstBufferPtr buffer = make_buffer(write_radar_sweep(sweep));
  GST_BUFFER_PTS(buffer.get()) = times.pts;
  if (parser.running_rate > 0) {
    GST_BUFFER_DURATION(buffer.get()) = static_cast<GstClockTime>(1e9 / parser.running_rate);
  }
  if (sweep.captured_unix_ns != 0) set_capture_time(buffer.get(), sweep.captured_unix_ns);
  GST_LOG_OBJECT(self,
                 "sweep %u: %" G_GSIZE_FORMAT " detections, %" G_GSIZE_FORMAT
                 " empty and %" G_GSIZE_FORMAT " invalid points left out",
                 sweep.number, sweep.detections.size(), pcd.empty_points, pcd.invalid_points);
  return gst_pad_push(self->src, buffer.release());
}

// A bad file takes its slot, too, or a looping source of bad files would spin.
static GstFlowReturn handle(GstRadarPcdParse* self, std::vector<PcdOutcome> outcomes,
                            const FileTimes& current) {
  Parser& parser = *self->parser;
  for (PcdOutcome& outcome : outcomes) {
    FileTimes times = std::exchange(parser.file_times, current);
    if (parser.running_rate > 0) {
      const auto slot = parser.pacer.wait(&self->parent);
      if (!slot) return GST_FLOW_FLUSHING;
      times.pts = *slot;
    }
    GstFlowReturn flow = GST_FLOW_OK;
    if (const auto* fault = std::get_if<PcdFault>(&outcome)) {
      drop_file(self, *fault);
    } else {
      if (!parser.segment_sent) send_own_segment(self);
      flow = push_sweep(self, std::move(std::get<PcdSweep>(outcome)), times);
    }
    ++parser.files;
    if (flow != GST_FLOW_OK) return flow;
  }
  return GST_FLOW_OK;
}

static GstFlowReturn gst_radar_pcd_parse_chain(GstPad*, GstObject* parent, GstBuffer* input) {
  GstRadarPcdParse* self = as_parse(parent);
  Parser& parser = *self->parser;
  const GstBufferPtr owned(input);
  const FileTimes current{GST_BUFFER_PTS(input), capture_time(input)};
  parser.collector.set_invalid_points(parser.keep_invalid ? PcdInvalidPoints::kKeep
                                                          : PcdInvalidPoints::kDrop);
  if (GST_BUFFER_IS_DISCONT(input) && parser.collector.holding()) {
    // Bytes are missing here: what is held gets no more.
    const GstFlowReturn flow = handle(self, parser.collector.finish(), current);
    if (flow != GST_FLOW_OK) return flow;
  }
  if (!parser.collector.holding()) parser.file_times = current;
  std::vector<PcdOutcome> outcomes;
  {
    const MappedBytes mapped(input);
    const auto bytes = mapped.bytes();
    if (bytes.empty() && !parser.collector.holding()) {
      outcomes.push_back(read_pcd(bytes));
    } else {
      outcomes = parser.collector.push(bytes);
    }
  }
  if (parser.one_file_a_buffer) {
    for (PcdOutcome& outcome : parser.collector.finish()) outcomes.push_back(std::move(outcome));
  }
  return handle(self, std::move(outcomes), current);
}

static gboolean take_caps(GstRadarPcdParse* self, GstEvent* event) {
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  gboolean parsed = FALSE;
  if (gst_caps_get_size(caps) > 0) {
    gst_structure_get_boolean(gst_caps_get_structure(caps, 0), "parsed", &parsed);
  }
  self->parser->one_file_a_buffer = parsed != FALSE;
  return TRUE;
}

static gboolean take_segment(GstRadarPcdParse* self, GstEventPtr event) {
  Parser& parser = *self->parser;
  const GstSegment* segment = nullptr;
  gst_event_parse_segment(event.get(), &segment);
  if (!gst_pad_has_current_caps(self->src)) send_caps(self);
  if (segment->format == GST_FORMAT_TIME && parser.running_rate <= 0) {
    parser.segment_sent = true;
    return gst_pad_push_event(self->src, event.release());
  }
  // Bytes upstream, or a time line of our own: running time is stream time.
  if (!parser.segment_sent) send_own_segment(self);
  return TRUE;
}

static gboolean gst_radar_pcd_parse_sink_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  GstRadarPcdParse* self = as_parse(parent);
  Parser& parser = *self->parser;
  GstEventPtr owned(event);
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_CAPS:
      return take_caps(self, event);
    case GST_EVENT_SEGMENT:
      return take_segment(self, std::move(owned));
    case GST_EVENT_GAP:
      if (parser.running_rate > 0) return TRUE;
      break;
    case GST_EVENT_FLUSH_START:
      parser.pacer.flush();
      break;
    case GST_EVENT_FLUSH_STOP:
      parser.collector.reset();
      parser.file_times = {};
      parser.segment_sent = false;
      parser.pacer.end_flush();
      break;
    case GST_EVENT_EOS:
      if (!gst_pad_has_current_caps(self->src)) send_caps(self);
      handle(self, parser.collector.finish(), {});
      break;
    default:
      break;
  }
  return gst_pad_event_default(pad, parent, owned.release());
}

static gboolean gst_radar_pcd_parse_src_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  // A paced stream has its own time line, on which there is nowhere to seek to.
  if (GST_EVENT_TYPE(event) == GST_EVENT_SEEK && as_parse(parent)->parser->running_rate > 0) {
    gst_event_unref(event);
    return FALSE;
  }
  return gst_pad_event_default(pad, parent, event);
}

static gboolean gst_radar_pcd_parse_src_query(GstPad* pad, GstObject* parent, GstQuery* query) {
  const gboolean answered = gst_pad_query_default(pad, parent, query);
  if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY || as_parse(parent)->parser->running_rate <= 0) {
    return answered;
  }
  GstClockTime min = 0;
  GstClockTime max = GST_CLOCK_TIME_NONE;
  if (answered) gst_query_parse_latency(query, nullptr, &min, &max);
  gst_query_set_latency(query, TRUE, min, max);
  return TRUE;
}

static void start(Parser& parser) {
  parser.running_rate = parser.rate.load();
  if (parser.running_rate > 0) parser.pacer.start(parser.running_rate);
  parser.collector.reset();
  parser.file_times = {};
  parser.files = 0;
  parser.warned_kinds = 0;
  parser.one_file_a_buffer = false;
  parser.segment_sent = false;
  parser.live.reset();
  parser.counters.sweeps = 0;
  parser.counters.dropped = 0;
  parser.counters.detections = 0;
  parser.counters.empty_points = 0;
  parser.counters.invalid_points = 0;
}

static GstStateChangeReturn gst_radar_pcd_parse_change_state(GstElement* element,
                                                             GstStateChange transition) {
  Parser& parser = *as_parse(element)->parser;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) start(parser);
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) {
    parser.pacer.set_gate(SweepPacer::Gate::kPaused);
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) parser.pacer.flush();
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_radar_pcd_parse_parent_class)->change_state(element, transition);
  if (result == GST_STATE_CHANGE_FAILURE) return result;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) {
    parser.pacer.set_gate(SweepPacer::Gate::kPlaying);
  }
  // Paced, nothing comes out before PLAYING: a sink must not wait for a preroll.
  const bool to_paused = transition == GST_STATE_CHANGE_READY_TO_PAUSED ||
                         transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED;
  return to_paused && parser.running_rate > 0 ? GST_STATE_CHANGE_NO_PREROLL : result;
}

static void gst_radar_pcd_parse_set_property(GObject* object, guint id, const GValue* value,
                                             GParamSpec* spec) {
  Parser& parser = *as_parse(object)->parser;
  switch (id) {
    case kPropSensorId:
      parser.sensor = g_value_get_uint(value);
      break;
    case kPropRate:
      parser.rate = g_value_get_double(value);
      break;
    case kPropKeepInvalid:
      parser.keep_invalid = g_value_get_boolean(value) != FALSE;
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

static void gst_radar_pcd_parse_get_property(GObject* object, guint id, GValue* value,
                                             GParamSpec* spec) {
  const Parser& parser = *as_parse(object)->parser;
  const Counters& counters = parser.counters;
  switch (id) {
    case kPropSensorId:
      g_value_set_uint(value, parser.sensor);
      break;
    case kPropRate:
      g_value_set_double(value, parser.rate);
      break;
    case kPropKeepInvalid:
      g_value_set_boolean(value, parser.keep_invalid ? TRUE : FALSE);
      break;
    case kPropStats:
      g_value_take_boxed(
          value,
          gst_structure_new("application/x-radarpcdparse-stats",                          //
                            "sweeps", G_TYPE_UINT64, counters.sweeps.load(),              //
                            "dropped", G_TYPE_UINT64, counters.dropped.load(),            //
                            "detections", G_TYPE_UINT64, counters.detections.load(),      //
                            "empty-points", G_TYPE_UINT64, counters.empty_points.load(),  //
                            "invalid-points", G_TYPE_UINT64, counters.invalid_points.load(),
                            nullptr));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

static void gst_radar_pcd_parse_finalize(GObject* object) {
  delete as_parse(object)->parser;
  G_OBJECT_CLASS(gst_radar_pcd_parse_parent_class)->finalize(object);
}

static void install_properties(GObjectClass* klass) {
  constexpr auto kReadWrite = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
  g_object_class_install_property(
      klass, kPropSensorId,
      g_param_spec_uint("sensor-id", "Sensor id", "Number of the sensor, written into each sweep",
                        0, G_MAXUINT, 0,
                        static_cast<GParamFlags>(kReadWrite | GST_PARAM_MUTABLE_PLAYING)));
  g_object_class_install_property(
      klass, kPropRate,
      g_param_spec_double(
          "rate", "Rate",
          "Send one sweep each 1/rate s of the pipeline's clock, as a live sensor would, with "
          "timestamps of its own (sweeps/s; 0 = don't pace, keep the input's timestamps)",
          0, kMaxRate, 0, static_cast<GParamFlags>(kReadWrite | GST_PARAM_MUTABLE_READY)));
  g_object_class_install_property(
      klass, kPropKeepInvalid,
      g_param_spec_boolean(
          "keep-invalid", "Keep invalid points",
          "Keep points whose invalid_state says that they are invalid (nuScenes codes)", FALSE,
          static_cast<GParamFlags>(kReadWrite | GST_PARAM_MUTABLE_PLAYING)));
  g_object_class_install_property(
      klass, kPropStats,
      g_param_spec_boxed(
          "stats", "Statistics",
          "Since READY: sweeps out, files dropped, detections, empty and invalid points left out",
          GST_TYPE_STRUCTURE, static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

static void gst_radar_pcd_parse_class_init(GstRadarPcdParseClass* klass) {
  GST_DEBUG_CATEGORY_INIT(radarpcdparse_debug, "radarpcdparse", 0, "radar sweeps from PCD files");
  auto* object_class = reinterpret_cast<GObjectClass*>(klass);
  auto* element_class = reinterpret_cast<GstElementClass*>(klass);
  object_class->set_property = gst_radar_pcd_parse_set_property;
  object_class->get_property = gst_radar_pcd_parse_get_property;
  object_class->finalize = gst_radar_pcd_parse_finalize;
  element_class->change_state = gst_radar_pcd_parse_change_state;
  install_properties(object_class);
  gst_element_class_add_static_pad_template(element_class, &pcd_sink_template);
  gst_element_class_add_static_pad_template(element_class, &pcd_src_template);
  gst_element_class_set_static_metadata(
      element_class, "Radar PCD parser", "Codec/Parser/Radar",
      "Reads radar sweeps from point cloud files (PCD v0.7, ascii or binary)", "Farwheel");
}

static void gst_radar_pcd_parse_init(GstRadarPcdParse* self) {
  self->parser = new Parser;
  self->sink = gst_pad_new_from_static_template(&pcd_sink_template, "sink");
  gst_pad_set_chain_function(self->sink, gst_radar_pcd_parse_chain);
  gst_pad_set_event_function(self->sink, gst_radar_pcd_parse_sink_event);
  gst_element_add_pad(&self->parent, self->sink);
  self->src = gst_pad_new_from_static_template(&pcd_src_template, "src");
  gst_pad_set_event_function(self->src, gst_radar_pcd_parse_src_event);
  gst_pad_set_query_function(self->src, gst_radar_pcd_parse_src_query);
  gst_pad_use_fixed_caps(self->src);
  gst_element_add_pad(&self->parent, self->src);
}

}  // namespace farwheel
