#include "webrtc/vehicle_feed.h"

#include "webrtc/feed_gate.h"
#include "webrtc/h264_encoder.h"

namespace farwheel {
namespace {

// A live source must not wait for the clock once more; a file must.
GstPadProbeReturn set_sync(GstPad* pad, GstPadProbeInfo*, gpointer data) {
  gboolean live = FALSE;
  std::unique_ptr<GstQuery, Deleter<gst_query_unref>> query(gst_query_new_latency());
  if (gst_pad_peer_query(pad, query.get())) {
    gst_query_parse_latency(query.get(), &live, nullptr, nullptr);
  }
  g_object_set(data, "sync", !live, nullptr);
  return GST_PAD_PROBE_REMOVE;
}

GstElement* make(const char* factory, std::vector<GstElement*>* chain, std::string* missing) {
  GstElement* element = gst_element_factory_make(factory, nullptr);
  if (element) {
    chain->push_back(element);
  } else if (missing->empty()) {
    *missing = factory;
  }
  return element;
}

}  // namespace

const char* feed_caps_text(FeedKind kind) {
  return kind == FeedKind::kCamera
             ? "video/x-h264, stream-format=(string){ byte-stream, avc }; video/x-raw"
             : "application/x-farwheel-radar, version=(int)1; meta/x-klv, parsed=(boolean)true";
}

VehicleFeed::VehicleFeed(GstElement* bin, VehicleFeedConfig config, Callbacks callbacks)
    : bin_(bin), config_(std::move(config)), callbacks_(std::move(callbacks)) {
  entry_ = gst_element_factory_make("capsfilter", nullptr);
  GstCapsPtr caps(gst_caps_from_string(feed_caps_text(config_.stream.kind)));
  g_object_set(entry_, "caps", caps.get(), nullptr);
  gate_ = make_feed_gate(config_.stream, {callbacks_.on_caps, [this] {
                                            eos_ = true;
                                            if (callbacks_.on_eos) callbacks_.on_eos();
                                          }});
  log_units_of(gate_, config_.unit_log, config_.name);
  gst_bin_add_many(GST_BIN(bin_), entry_, gate_, nullptr);
  gst_element_sync_state_with_parent(gate_);
  gst_element_sync_state_with_parent(entry_);
  GstPadPtr src(gst_element_get_static_pad(entry_, "src"));
  gst_pad_add_probe(src.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_entry_event, this, nullptr);
  GstPadPtr sink(gst_element_get_static_pad(entry_, "sink"));
  read_capture_times_at(gate_, sink.get());
  const std::string template_name = std::string(pad_prefix(config_.stream.kind)) + "%u";
  ghost_ = gst_ghost_pad_new_from_template(
      config_.name.c_str(), sink.get(), gst_element_get_pad_template(bin_, template_name.c_str()));
  gst_pad_set_active(ghost_, TRUE);
  gst_element_add_pad(bin_, ghost_);
}

VehicleFeed::~VehicleFeed() {
  silence_feed_gate(gate_);
  gst_pad_set_active(ghost_, FALSE);
  reset();
  for (GstElement* element : {entry_, gate_}) {
    gst_element_set_locked_state(element, TRUE);
    gst_element_set_state(element, GST_STATE_NULL);
    gst_bin_remove(GST_BIN(bin_), element);
  }
  gst_element_remove_pad(bin_, ghost_);
}

bool VehicleFeed::has_caps() const {
  return feed_gate_has_caps(gate_);
}

GstPadProbeReturn VehicleFeed::on_entry_event(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  auto* self = static_cast<VehicleFeed*>(data);
  GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) == GST_EVENT_STREAM_START) self->eos_ = false;
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS && !gst_pad_is_linked(pad)) {
    // A stream that ended before it began.
    self->eos_ = true;
    if (self->callbacks_.on_eos) self->callbacks_.on_eos();
    return GST_PAD_PROBE_OK;
  }
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS || gst_pad_is_linked(pad)) return GST_PAD_PROBE_OK;
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  self->build(pad, caps);
  return GST_PAD_PROBE_OK;
}

std::vector<GstElement*> VehicleFeed::make_chain(const GstStructure* caps,
                                                 std::string* missing) const {
  std::vector<GstElement*> chain;
  GstElement* payloader = nullptr;
  if (config_.stream.kind == FeedKind::kCamera) {
    if (gst_structure_has_name(caps, "video/x-raw")) {
      make("videoconvert", &chain, missing);
      if (GstElement* encoder = make_h264_encoder(config_.start_bitrate())) {
        chain.push_back(encoder);
      } else if (missing->empty()) {
        *missing = "x264enc";
      }
    }
    // SPS and PPS within each key frame. The payloader's own config-interval would send them as a
    // picture of their own, with a marker, before the key frame.
    if (GstElement* parser = make("h264parse", &chain, missing)) {
      g_object_set(parser, "config-interval", -1, nullptr);
    }
    GstElement* sync = make("clocksync", &chain, missing);
    if (sync) {
      GstPadPtr sink(gst_element_get_static_pad(sync, "sink"));
      gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, set_sync, sync, nullptr);
    }
    payloader = make("rtph264pay", &chain, missing);
    if (payloader) {
      gst_util_set_object_arg(G_OBJECT(payloader), "aggregate-mode", "zero-latency");
      GstPadPtr sink(gst_element_get_static_pad(payloader, "sink"));
      gate_units_at(gate_, sink.get());
    }
  } else {
    if (gst_structure_has_name(caps, "application/x-farwheel-radar")) {
      make("radarklvenc", &chain, missing);
    }
    GstElement* sync = make("clocksync", &chain, missing);
    if (sync) {
      GstPadPtr sink(gst_element_get_static_pad(sync, "sink"));
      gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, set_sync, sync, nullptr);
    }
    payloader = make("rtpklvpay", &chain, missing);
  }
  if (payloader)
    g_object_set(payloader, "pt", config_.stream.payload, "ssrc", config_.stream.ssrc, "mtu",
                 kPayloaderMtu, nullptr);
  if (GstElement* filter = make("capsfilter", &chain, missing)) {
    GstCapsPtr rtp(gst_caps_new_simple(
        "application/x-rtp", "payload", G_TYPE_INT, static_cast<gint>(config_.stream.payload),
        "extmap-1", G_TYPE_STRING, kTwccUri, "extmap-2", G_TYPE_STRING, kNtp64Uri, nullptr));
    g_object_set(filter, "caps", rtp.get(), nullptr);
  }
  return chain;
}

bool VehicleFeed::build(GstPad* entry_src, GstCaps* caps) {
  std::string missing;
  std::vector<GstElement*> chain = make_chain(gst_caps_get_structure(caps, 0), &missing);
  if (!missing.empty()) {
    for (GstElement* element : chain) gst_object_unref(gst_object_ref_sink(element));
    GST_ELEMENT_ERROR(bin_, CORE, MISSING_PLUGIN,
                      ("Pad %s needs the element %s, which is not installed.", config_.name.c_str(),
                       missing.c_str()),
                      ("gst-inspect-1.0 %s", missing.c_str()));
    return false;
  }
  for (GstElement* element : chain) gst_bin_add(GST_BIN(bin_), element);
  bool linked = gst_element_link(chain.back(), gate_);
  for (std::size_t i = chain.size() - 1; i > 0 && linked; --i) {
    linked = gst_element_link(chain[i - 1], chain[i]);
  }
  for (auto element = chain.rbegin(); element != chain.rend(); ++element) {
    gst_element_sync_state_with_parent(*element);
  }
  GstPadPtr sink(gst_element_get_static_pad(chain.front(), "sink"));
  linked = linked && !GST_PAD_LINK_FAILED(gst_pad_link(entry_src, sink.get()));
  if (!linked) {
    const GCharPtr text(gst_caps_to_string(caps));
    GST_ELEMENT_ERROR(bin_, STREAM, FORMAT,
                      ("Pad %s cannot take %s.", config_.name.c_str(), text.get()),
                      ("linking the payloader chain failed"));
  }
  std::lock_guard lock(mutex_);
  chain_ = std::move(chain);
  return linked;
}

GstElementPtr VehicleFeed::payloader() const {
  std::lock_guard lock(mutex_);
  // The capsfilter behind it is last.
  return chain_.size() < 2 ? nullptr : ref_gst(chain_[chain_.size() - 2]);
}

void VehicleFeed::reset() {
  std::vector<GstElement*> chain;
  {
    std::lock_guard lock(mutex_);
    chain.swap(chain_);
  }
  for (GstElement* element : chain) {
    gst_element_set_locked_state(element, TRUE);
    gst_element_set_state(element, GST_STATE_NULL);
    gst_bin_remove(GST_BIN(bin_), element);
  }
  eos_ = false;
}

}  // namespace farwheel
