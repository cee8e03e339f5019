#include "webrtc/feed_gate.h"

#include <gst/rtp/rtp.h>
#include <gst/video/video.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>

#include "webrtc/capture_times.h"

GST_DEBUG_CATEGORY_STATIC(feed_gate_debug);
#define GST_CAT_DEFAULT feed_gate_debug

namespace farwheel {
namespace {

// Buffer times pass encoders unchanged, give or take a clock-rate rounding.
constexpr std::uint64_t kTimestampTolerance = GST_MSECOND;

struct GateState {
  FeedStream stream;
  std::atomic<bool> open{false};
  std::atomic<bool> need_key{true};
  std::mutex mutex;  // the rest
  FeedGateCallbacks callbacks;
  std::string profile;
  bool has_caps = false;
  CaptureTimes unix_by_running_time;
  GstSegment entry_segment;
  // Set before buffers flow.
  std::shared_ptr<UnitLog> log;
  std::string feed;
  // Streaming thread only.
  GstSegment segment;
  GstClockTime stamped_pts = GST_CLOCK_TIME_NONE;
  std::optional<std::uint64_t> stamp;
  SentUnit unit;  // the one whose packets are passing
};

}  // namespace
}  // namespace farwheel

struct FarwheelFeedGate {
  GstElement element;
  GstPad* sink;
  GstPad* src;
  farwheel::GateState* state;
};
struct FarwheelFeedGateClass {
  GstElementClass parent_class;
};

G_DEFINE_TYPE(FarwheelFeedGate, farwheel_feed_gate, GST_TYPE_ELEMENT)

namespace farwheel {
namespace {

FarwheelFeedGate* as_gate(gpointer object) {
  return static_cast<FarwheelFeedGate*>(object);
}

GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
                                                             GST_STATIC_CAPS("application/x-rtp"));
GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                                                            GST_STATIC_CAPS("application/x-rtp"));

// The wall-clock time (ns since 1970) at which the running time of `pts` was now.
std::optional<std::uint64_t> wall_clock_of(FarwheelFeedGate* gate, GstClockTime running) {
  GstObjectPtr<GstClock> clock(gst_element_get_clock(&gate->element));
  if (!clock) return std::nullopt;
  const auto real = static_cast<std::uint64_t>(g_get_real_time()) * 1000;
  const GstClockTime now =
      gst_clock_get_time(clock.get()) - gst_element_get_base_time(&gate->element);
  return real - now + running;
}

std::optional<std::uint64_t> capture_ntp(FarwheelFeedGate* gate, GstClockTime pts) {
  GateState& state = *gate->state;
  if (!GST_CLOCK_TIME_IS_VALID(pts) || state.segment.format != GST_FORMAT_TIME) {
    return std::nullopt;
  }
  if (pts == state.stamped_pts) return state.stamp;
  state.stamped_pts = pts;
  state.stamp.reset();
  // Another unit; what the last one left behind when the gate closed under it is not its own.
  state.unit.packets = 0;
  state.unit.bytes = 0;
  const GstClockTime running = gst_segment_to_running_time(&state.segment, GST_FORMAT_TIME, pts);
  if (!GST_CLOCK_TIME_IS_VALID(running)) return std::nullopt;
  std::optional<std::uint64_t> unix_ns;
  {
    std::lock_guard lock(state.mutex);
    unix_ns = state.unix_by_running_time.find(running, kTimestampTolerance);
  }
  if (!unix_ns) unix_ns = wall_clock_of(gate, running);
  if (!unix_ns) return std::nullopt;
  GST_LOG_OBJECT(gate, "captured %" G_GINT64_FORMAT " us ago",
                 g_get_real_time() - static_cast<gint64>(*unix_ns / 1000));
  state.stamp = ntp_from_unix_ns(*unix_ns);
  state.unit.capture_unix_ns = *unix_ns;
  return state.stamp;
}

// Overwrites the ntp-64 extension that the payloader put in. A packet without one stays as it is.
GstBuffer* write_capture_time(FarwheelFeedGate* gate, GstBuffer* buffer) {
  const std::optional<std::uint64_t> ntp = capture_ntp(gate, GST_BUFFER_PTS(buffer));
  if (!ntp) return buffer;
  buffer = gst_buffer_make_writable(buffer);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  if (!gst_rtp_buffer_map(buffer, GST_MAP_READWRITE, &rtp)) return buffer;
  gpointer data = nullptr;
  guint size = 0;
  if (gst_rtp_buffer_get_extension_onebyte_header(&rtp, kNtp64ExtensionId, 0, &data, &size) &&
      size == 8) {
    const std::uint64_t wire = GUINT64_TO_BE(*ntp);
    std::memcpy(data, &wire, sizeof(wire));
  }
  gst_rtp_buffer_unmap(&rtp);
  return buffer;
}

// After its capture time was written.
void log_packet(GateState& state, GstBuffer* buffer) {
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  if (!gst_rtp_buffer_map(buffer, GST_MAP_READ, &rtp)) return;
  const std::uint16_t sequence = gst_rtp_buffer_get_seq(&rtp);
  const bool is_last = gst_rtp_buffer_get_marker(&rtp);
  gst_rtp_buffer_unmap(&rtp);
  if (state.unit.packets++ == 0) state.unit.first_sequence = sequence;
  state.unit.bytes += gst_buffer_get_size(buffer);
  if (!is_last) return;
  state.unit.feed = state.feed;
  state.unit.ssrc = state.stream.ssrc;
  state.log->sent(state.unit);
  state.unit.packets = 0;
  state.unit.bytes = 0;
}

// The packet as it leaves.
GstBuffer* finish_packet(FarwheelFeedGate* gate, GstBuffer* buffer) {
  buffer = write_capture_time(gate, buffer);
  GateState& state = *gate->state;
  if (state.log && state.log->is_open()) log_packet(state, buffer);
  return buffer;
}

GstFlowReturn chain(GstPad*, GstObject* parent, GstBuffer* buffer) {
  FarwheelFeedGate* gate = as_gate(parent);
  if (!gate->state->open) {
    gst_buffer_unref(buffer);
    return GST_FLOW_OK;
  }
  // A session that goes away answers FLUSHING or NOT_LINKED: none of the camera's business.
  gst_pad_push(gate->src, finish_packet(gate, buffer));
  return GST_FLOW_OK;
}

GstFlowReturn chain_list(GstPad*, GstObject* parent, GstBufferList* list) {
  FarwheelFeedGate* gate = as_gate(parent);
  if (!gate->state->open) {
    gst_buffer_list_unref(list);
    return GST_FLOW_OK;
  }
  list = gst_buffer_list_make_writable(list);
  gst_buffer_list_foreach(
      list,
      [](GstBuffer** buffer, guint, gpointer data) -> gboolean {
        *buffer = finish_packet(as_gate(data), *buffer);
        return TRUE;
      },
      gate);
  gst_pad_push_list(gate->src, list);
  return GST_FLOW_OK;
}

// Notes what the payloader says, and says less.
GstEvent* sent_caps_event(GateState& state, GstEvent* event) {
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  const char* profile =
      gst_structure_get_string(gst_caps_get_structure(caps, 0), "profile-level-id");
  {
    std::lock_guard lock(state.mutex);
    state.has_caps = true;
    state.profile = profile ? profile : "";
  }
  gst_event_unref(event);
  return gst_event_new_caps(sent_feed_caps(state.stream).get());
}

gboolean sink_event(GstPad*, GstObject* parent, GstEvent* event) {
  FarwheelFeedGate* gate = as_gate(parent);
  GateState& state = *gate->state;
  std::function<void()> call;
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_CAPS: {
      event = sent_caps_event(state, event);
      std::lock_guard lock(state.mutex);
      call = state.callbacks.on_caps;
      break;
    }
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment(event, &state.segment);
      break;
    case GST_EVENT_EOS: {
      std::unique_lock lock(state.mutex);
      call = state.callbacks.on_eos;
      lock.unlock();
      if (call) call();
      gst_event_unref(event);
      return TRUE;
    }
    case GST_EVENT_FLUSH_START:
    case GST_EVENT_FLUSH_STOP:
      gst_event_unref(event);
      return TRUE;
    default:
      break;
  }
  gst_pad_push_event(gate->src, event);
  if (call) call();
  return TRUE;
}

// Not "all headers", as the station's requests come: they are within each key frame already, and
// the payloader would send them once more, as a picture of their own.
GstEvent* key_request() {
  return gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, FALSE, 0);
}

gboolean src_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_CUSTOM_UPSTREAM &&
      gst_event_has_name(event, "RTPTWCCPackets")) {
    gst_event_unref(event);
    return TRUE;
  }
  const GateState& state = *as_gate(parent)->state;
  if (gst_video_event_is_force_key_unit(event)) {
    if (state.log && state.log->is_open()) state.log->key_asked(state.feed);
    gst_event_unref(event);
    event = key_request();
  }
  return gst_pad_event_default(pad, parent, event);
}

// The session's latency is no reason for the feed to wait.
gboolean sink_query(GstPad* pad, GstObject* parent, GstQuery* query) {
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_ALLOCATION:
      return FALSE;
    case GST_QUERY_DRAIN:
      return TRUE;
    case GST_QUERY_CAPS:
    case GST_QUERY_ACCEPT_CAPS: {
      // What is behind may be absent, and was made for our caps anyway.
      if (GST_QUERY_TYPE(query) == GST_QUERY_ACCEPT_CAPS) {
        gst_query_set_accept_caps_result(query, TRUE);
        return TRUE;
      }
      GstCaps* filter = nullptr;
      gst_query_parse_caps(query, &filter);
      GstCapsPtr caps(gst_pad_get_pad_template_caps(pad));
      if (filter) caps.reset(gst_caps_intersect_full(filter, caps.get(), GST_CAPS_INTERSECT_FIRST));
      gst_query_set_caps_result(query, caps.get());
      return TRUE;
    }
    default:
      return gst_pad_query_default(pad, parent, query);
  }
}

// A frame that the session could not use is not even packetised. The payloader still gets key
// frames while closed, so that it knows its caps before the first session.
GstPadProbeReturn on_unit(GstPad*, GstPadProbeInfo* info, gpointer data) {
  GateState& state = *as_gate(data)->state;
  if (state.stream.kind == FeedKind::kRadar) return GST_PAD_PROBE_OK;
  const bool delta =
      GST_BUFFER_FLAG_IS_SET(GST_PAD_PROBE_INFO_BUFFER(info), GST_BUFFER_FLAG_DELTA_UNIT);
  if (!state.open) return delta ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  if (!delta) state.need_key = false;
  state.unit.is_key = !delta;
  return state.need_key ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

void log_capture(FarwheelFeedGate* gate, GstClockTime running,
                 std::optional<std::uint64_t> unix_ns) {
  const GateState& state = *gate->state;
  if (!state.log || !state.log->is_open()) return;
  if (!unix_ns) unix_ns = wall_clock_of(gate, running);
  if (unix_ns) state.log->captured(state.feed, *unix_ns);
}

GstPadProbeReturn on_entry(GstPad*, GstPadProbeInfo* info, gpointer data) {
  GateState& state = *as_gate(data)->state;
  if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
    if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) {
      std::lock_guard lock(state.mutex);
      gst_event_copy_segment(event, &state.entry_segment);
    }
    return GST_PAD_PROBE_OK;
  }
  static GstStaticCaps unix_caps = GST_STATIC_CAPS("timestamp/x-unix");
  GstCapsPtr caps(gst_static_caps_get(&unix_caps));
  GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstReferenceTimestampMeta* meta = gst_buffer_get_reference_timestamp_meta(buffer, caps.get());
  if (!GST_BUFFER_PTS_IS_VALID(buffer)) return GST_PAD_PROBE_OK;
  GstClockTime running = GST_CLOCK_TIME_NONE;
  {
    std::lock_guard lock(state.mutex);
    if (state.entry_segment.format != GST_FORMAT_TIME) return GST_PAD_PROBE_OK;
    running =
        gst_segment_to_running_time(&state.entry_segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
    if (!GST_CLOCK_TIME_IS_VALID(running)) return GST_PAD_PROBE_OK;
    if (meta) state.unix_by_running_time.remember(running, meta->timestamp);
  }
  log_capture(as_gate(data), running, meta ? std::optional(meta->timestamp) : std::nullopt);
  return GST_PAD_PROBE_OK;
}

}  // namespace
}  // namespace farwheel

static void farwheel_feed_gate_init(FarwheelFeedGate* self) {
  using namespace farwheel;
  self->state = new GateState;
  gst_segment_init(&self->state->segment, GST_FORMAT_UNDEFINED);
  gst_segment_init(&self->state->entry_segment, GST_FORMAT_UNDEFINED);
  self->sink = gst_pad_new_from_static_template(&sink_template, "sink");
  gst_pad_set_chain_function(self->sink, chain);
  gst_pad_set_chain_list_function(self->sink, chain_list);
  gst_pad_set_event_function(self->sink, sink_event);
  gst_pad_set_query_function(self->sink, sink_query);
  gst_element_add_pad(GST_ELEMENT(self), self->sink);
  self->src = gst_pad_new_from_static_template(&src_template, "src");
  gst_pad_set_event_function(self->src, src_event);
  gst_element_add_pad(GST_ELEMENT(self), self->src);
}

static void farwheel_feed_gate_finalize(GObject* object) {
  delete farwheel::as_gate(object)->state;
  G_OBJECT_CLASS(farwheel_feed_gate_parent_class)->finalize(object);
}

static void farwheel_feed_gate_class_init(FarwheelFeedGateClass* klass) {
  GST_DEBUG_CATEGORY_INIT(feed_gate_debug, "farwheelfeedgate", 0, "vehicle's feeds into a session");
  G_OBJECT_CLASS(klass)->finalize = farwheel_feed_gate_finalize;
  auto* element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &farwheel::sink_template);
  gst_element_class_add_static_pad_template(element, &farwheel::src_template);
  gst_element_class_set_static_metadata(element, "Farwheel feed gate", "Filter/Network/RTP",
                                        "Keeps a feed running while sessions come and go behind it",
                                        "Farwheel");
}

namespace farwheel {

GstElement* make_feed_gate(const FeedStream& stream, FeedGateCallbacks callbacks) {
  auto* gate = as_gate(g_object_new(farwheel_feed_gate_get_type(), nullptr));
  gate->state->stream = stream;
  gate->state->callbacks = std::move(callbacks);
  return GST_ELEMENT(gate);
}

void open_feed_gate(GstElement* element) {
  GateState& state = *as_gate(element)->state;
  state.need_key = true;
  state.open = true;
  if (state.log) state.log->opened(state.feed);
  if (state.stream.kind == FeedKind::kCamera) {
    gst_pad_send_event(as_gate(element)->src, key_request());
  }
}

void close_feed_gate(GstElement* element) {
  as_gate(element)->state->open = false;
}

std::string feed_gate_profile(GstElement* element) {
  GateState& state = *as_gate(element)->state;
  std::lock_guard lock(state.mutex);
  return state.profile;
}

bool feed_gate_has_caps(GstElement* element) {
  GateState& state = *as_gate(element)->state;
  std::lock_guard lock(state.mutex);
  return state.has_caps;
}

GstCapsPtr sent_feed_caps(const FeedStream& stream) {
  // webrtcbin 1.22 takes KLV (RFC 6597) only when it is called video.
  GstCapsPtr caps(gst_caps_new_simple(
      "application/x-rtp", "media", G_TYPE_STRING, "video", "clock-rate", G_TYPE_INT, 90000,
      "encoding-name", G_TYPE_STRING, stream.kind == FeedKind::kCamera ? "H264" : "SMPTE336M",
      "payload", G_TYPE_INT, static_cast<gint>(stream.payload), "ssrc", G_TYPE_UINT, stream.ssrc,
      "extmap-1", G_TYPE_STRING, kTwccUri, "extmap-2", G_TYPE_STRING, kNtp64Uri, nullptr));
  if (stream.kind == FeedKind::kCamera) {
    gst_caps_set_simple(caps.get(), "packetization-mode", G_TYPE_STRING, "1", nullptr);
  }
  return caps;
}

void gate_units_at(GstElement* element, GstPad* payloader_sink) {
  gst_pad_add_probe(payloader_sink, GST_PAD_PROBE_TYPE_BUFFER, on_unit, gst_object_ref(element),
                    gst_object_unref);
}

void read_capture_times_at(GstElement* element, GstPad* entry) {
  gst_pad_add_probe(
      entry,
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
      on_entry, gst_object_ref(element), gst_object_unref);
}

void log_units_of(GstElement* element, std::shared_ptr<UnitLog> log, const std::string& feed) {
  GateState& state = *as_gate(element)->state;
  state.log = std::move(log);
  state.feed = feed;
}

void silence_feed_gate(GstElement* element) {
  GateState& state = *as_gate(element)->state;
  std::lock_guard lock(state.mutex);
  state.callbacks = {};
}

}  // namespace farwheel
