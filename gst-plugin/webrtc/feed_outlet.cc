#include "webrtc/feed_outlet.h"

#include <gst/video/video.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "webrtc/h264_unit.h"

GST_DEBUG_CATEGORY_STATIC(feed_outlet_debug);
#define GST_CAT_DEFAULT feed_outlet_debug

namespace farwheel {
namespace {

constexpr GstClockTime kKeyRequestInterval = 150 * GST_MSECOND;

struct OutletState {
  FeedOutletConfig config;
  std::atomic<std::uint64_t> units{0};
  std::atomic<GstClockTime> last_unit{0};
  std::mutex mutex;  // the rest
  GstPad* input = nullptr;
  CaptureOf capture_of;
  bool started = false;
  bool discont = true;
  bool need_key = true;
  GstClockTime last_key_request = 0;
  GstCapsPtr caps;
  GstSegment segment;
};

}  // namespace
}  // namespace farwheel

struct FarwheelFeedOutlet {
  GstElement element;
  GstPad* src;
  farwheel::OutletState* state;
};
struct FarwheelFeedOutletClass {
  GstElementClass parent_class;
};

G_DEFINE_TYPE(FarwheelFeedOutlet, farwheel_feed_outlet, GST_TYPE_ELEMENT)

namespace farwheel {
namespace {

FarwheelFeedOutlet* as_outlet(gpointer object) {
  return static_cast<FarwheelFeedOutlet*>(object);
}

constexpr char kCameraCaps[] =
    "video/x-h264, stream-format=(string)byte-stream, alignment=(string)au";
constexpr char kRadarCaps[] = "application/x-farwheel-radar, version=(int)1";

GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

const char* caps_text(FeedKind kind) {
  return kind == FeedKind::kCamera ? kCameraCaps : kRadarCaps;
}

void request_key(GstPad* input) {
  gst_pad_push_event(input,
                     gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, FALSE, 0));
}

bool starts_decoding(GstBuffer* buffer) {
  GstMapInfo map;
  if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) return false;
  const bool starts = can_start_decoding({map.data, map.size});
  gst_buffer_unmap(buffer, &map);
  return starts;
}

// What a unit needs before it goes out.
struct Verdict {
  bool drop = false;
  bool ask_key = false;
  bool discont = false;
  CaptureOf capture_of;
};

Verdict judge(OutletState& state, GstPad* input, GstBuffer* buffer) {
  Verdict verdict;
  std::lock_guard lock(state.mutex);
  if (input != state.input || !state.started || !state.caps ||
      state.segment.format != GST_FORMAT_TIME) {
    verdict.drop = true;
    return verdict;
  }
  // After lost packets the pictures refer to what never came, until one that stands alone.
  const bool camera = state.config.kind == FeedKind::kCamera;
  const bool broken = camera && GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  if ((broken || (camera && state.need_key)) && !starts_decoding(buffer)) {
    state.need_key = true;
    verdict.drop = true;
    const GstClockTime now = gst_util_get_timestamp();
    verdict.ask_key = now - state.last_key_request > kKeyRequestInterval;
    if (verdict.ask_key) state.last_key_request = now;
    return verdict;
  }
  state.need_key = false;
  verdict.discont = std::exchange(state.discont, false);
  verdict.capture_of = state.capture_of;
  return verdict;
}

GstFlowReturn chain(GstPad* pad, GstObject* parent, GstBuffer* buffer) {
  FarwheelFeedOutlet* outlet = as_outlet(parent);
  OutletState& state = *outlet->state;
  const Verdict verdict = judge(state, pad, buffer);
  if (verdict.ask_key) request_key(pad);
  if (verdict.drop) {
    gst_buffer_unref(buffer);
    return GST_FLOW_OK;
  }
  std::optional<CaptureStamp> stamp;
  if (verdict.capture_of) stamp = verdict.capture_of(GST_BUFFER_PTS(buffer));
  if (verdict.discont || stamp) buffer = gst_buffer_make_writable(buffer);
  if (verdict.discont) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  if (stamp) {
    static GstStaticCaps capture_caps = GST_STATIC_CAPS("timestamp/x-farwheel-capture");
    GstCapsPtr caps(gst_static_caps_get(&capture_caps));
    gst_buffer_add_reference_timestamp_meta(buffer, caps.get(), stamp->capture, stamp->error);
  }
  ++state.units;
  state.last_unit = gst_util_get_timestamp();
  gst_pad_push(outlet->src, buffer);
  return GST_FLOW_OK;
}

void start_stream(FarwheelFeedOutlet* outlet) {
  OutletState& state = *outlet->state;
  const std::string id = "farwheel/" + state.config.name;
  GstEvent* event = gst_event_new_stream_start(id.c_str());
  gst_event_set_group_id(event, gst_util_group_id_next());
  gst_pad_push_event(outlet->src, event);
}

gboolean sink_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  FarwheelFeedOutlet* outlet = as_outlet(parent);
  OutletState& state = *outlet->state;
  bool forward = false;
  bool start = false;
  {
    std::lock_guard lock(state.mutex);
    const bool current = pad == state.input;
    switch (GST_EVENT_TYPE(event)) {
      case GST_EVENT_STREAM_START:
        start = current && !std::exchange(state.started, true);
        break;
      case GST_EVENT_CAPS: {
        GstCaps* caps = nullptr;
        gst_event_parse_caps(event, &caps);
        forward = current && !(state.caps && gst_caps_is_equal(caps, state.caps.get()));
        if (forward) state.caps.reset(gst_caps_ref(caps));
        break;
      }
      case GST_EVENT_SEGMENT: {
        const GstSegment* segment = nullptr;
        gst_event_parse_segment(event, &segment);
        forward = current && segment->format == GST_FORMAT_TIME &&
                  !gst_segment_is_equal(segment, &state.segment);
        if (forward) gst_segment_copy_into(segment, &state.segment);
        break;
      }
      default:
        // EOS, flushes, tags and gaps are a session's, not the stream's.
        break;
    }
  }
  if (start) start_stream(outlet);
  if (forward) {
    gst_pad_push_event(outlet->src, event);
  } else {
    gst_event_unref(event);
  }
  return TRUE;
}

gboolean sink_query(GstPad* pad, GstObject* parent, GstQuery* query) {
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_CAPS: {
      GstCaps* filter = nullptr;
      gst_query_parse_caps(query, &filter);
      GstCapsPtr caps(gst_caps_from_string(caps_text(as_outlet(parent)->state->config.kind)));
      if (filter) caps.reset(gst_caps_intersect_full(filter, caps.get(), GST_CAPS_INTERSECT_FIRST));
      gst_query_set_caps_result(query, caps.get());
      return TRUE;
    }
    case GST_QUERY_ALLOCATION:
      return FALSE;
    default:
      return gst_pad_query_default(pad, parent, query);
  }
}

gboolean src_query(GstPad* pad, GstObject* parent, GstQuery* query) {
  OutletState& state = *as_outlet(parent)->state;
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_LATENCY:
      gst_query_set_latency(query, TRUE, state.config.latency, GST_CLOCK_TIME_NONE);
      return TRUE;
    case GST_QUERY_CAPS: {
      GstCaps* filter = nullptr;
      gst_query_parse_caps(query, &filter);
      GstCapsPtr caps(gst_caps_from_string(caps_text(state.config.kind)));
      if (filter) caps.reset(gst_caps_intersect_full(filter, caps.get(), GST_CAPS_INTERSECT_FIRST));
      gst_query_set_caps_result(query, caps.get());
      return TRUE;
    }
    default:
      return gst_pad_query_default(pad, parent, query);
  }
}

// Key-frame requests go to the session that feeds us now, everything else ends here.
gboolean src_event(GstPad*, GstObject* parent, GstEvent* event) {
  OutletState& state = *as_outlet(parent)->state;
  GstPadPtr input;
  {
    std::lock_guard lock(state.mutex);
    if (state.input) input.reset(GST_PAD(gst_object_ref(state.input)));
  }
  if (input && gst_video_event_is_force_key_unit(event)) {
    return gst_pad_push_event(input.get(), event);
  }
  gst_event_unref(event);
  return TRUE;
}

}  // namespace
}  // namespace farwheel

static void farwheel_feed_outlet_init(FarwheelFeedOutlet* self) {
  using namespace farwheel;
  self->state = new OutletState;
  gst_segment_init(&self->state->segment, GST_FORMAT_UNDEFINED);
  self->src = gst_pad_new_from_static_template(&src_template, "src");
  gst_pad_set_event_function(self->src, src_event);
  gst_pad_set_query_function(self->src, src_query);
  gst_element_add_pad(GST_ELEMENT(self), self->src);
}

static void farwheel_feed_outlet_finalize(GObject* object) {
  delete farwheel::as_outlet(object)->state;
  G_OBJECT_CLASS(farwheel_feed_outlet_parent_class)->finalize(object);
}

static void farwheel_feed_outlet_class_init(FarwheelFeedOutletClass* klass) {
  GST_DEBUG_CATEGORY_INIT(feed_outlet_debug, "farwheelfeedoutlet", 0, "station's feeds");
  G_OBJECT_CLASS(klass)->finalize = farwheel_feed_outlet_finalize;
  auto* element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &farwheel::src_template);
  gst_element_class_set_static_metadata(element, "Farwheel feed outlet", "Generic",
                                        "One continuous stream out of changing sessions",
                                        "Farwheel");
}

namespace farwheel {

GstElement* make_feed_outlet(const FeedOutletConfig& config) {
  auto* outlet = as_outlet(g_object_new(farwheel_feed_outlet_get_type(), nullptr));
  outlet->state->config = config;
  return GST_ELEMENT(outlet);
}

GstPad* new_outlet_input(GstElement* element, CaptureOf capture_of) {
  OutletState& state = *as_outlet(element)->state;
  close_outlet_input(element);
  GstPad* pad = gst_pad_new(nullptr, GST_PAD_SINK);
  gst_pad_set_chain_function(pad, chain);
  gst_pad_set_event_function(pad, sink_event);
  gst_pad_set_query_function(pad, sink_query);
  gst_pad_set_active(pad, TRUE);
  {
    std::lock_guard lock(state.mutex);
    state.input = pad;
    state.capture_of = std::move(capture_of);
    state.discont = true;
    state.need_key = true;
    // Ask at once: the vehicle may have begun without us.
    state.last_key_request = 0;
  }
  gst_element_add_pad(element, pad);
  return pad;
}

void close_outlet_input(GstElement* element) {
  OutletState& state = *as_outlet(element)->state;
  GstPad* pad = nullptr;
  CaptureOf dropped;
  {
    std::lock_guard lock(state.mutex);
    pad = std::exchange(state.input, nullptr);
    dropped = std::exchange(state.capture_of, nullptr);
  }
  if (!pad) return;
  gst_pad_set_active(pad, FALSE);
  gst_element_remove_pad(element, pad);
}

void request_outlet_key(GstElement* element) {
  OutletState& state = *as_outlet(element)->state;
  GstPadPtr input;
  {
    std::lock_guard lock(state.mutex);
    if (state.input) input.reset(GST_PAD(gst_object_ref(state.input)));
  }
  if (input) request_key(input.get());
}

FeedOutletCounts outlet_counts(GstElement* element) {
  OutletState& state = *as_outlet(element)->state;
  return {state.units, state.last_unit};
}

}  // namespace farwheel
