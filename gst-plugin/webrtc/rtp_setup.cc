#include "webrtc/rtp_setup.h"

#include <gst/webrtc/webrtc.h>

#include <cstring>
#include <string_view>

namespace farwheel {
namespace {

// RTCP's share is computed from the session's bandwidth; with webrtcbin's own guess feedback comes
// in bursts 300 ms apart, with a large one it comes with each frame.
constexpr double kSessionBandwidth = 20e6;
// A pacer spreads a frame over many milliseconds: report inside it too.
constexpr guint64 kFeedbackInterval = 10 * GST_MSECOND;
// A packet that others overtook this long ago is asked for; three that did are proof at once.
constexpr gint kAskAfterMs = 10;

std::string_view factory_name(GstElement* element) {
  GstElementFactory* factory = gst_element_get_factory(element);
  return factory ? GST_OBJECT_NAME(factory) : "";
}

void delete_weak(GWeakRef* ref) {
  g_weak_ref_clear(ref);
  delete ref;
}

std::unique_ptr<GWeakRef, void (*)(GWeakRef*)> weak_element(GstElement* element) {
  auto* ref = new GWeakRef;
  g_weak_ref_init(ref, element);
  return {ref, delete_weak};
}

void set_retry(GstElement* jitter_buffer, unsigned retry_ms) {
  g_object_set(jitter_buffer, "rtx-retry-timeout", static_cast<gint>(retry_ms), nullptr);
}

bool has_srtp_cipher(GstElement* element) {
  bool found = false;
  GstIterator* pads = gst_element_iterate_pads(element);
  GValue item = G_VALUE_INIT;
  while (!found && gst_iterator_next(pads, &item) == GST_ITERATOR_OK) {
    GstCapsPtr caps(gst_pad_get_current_caps(GST_PAD(g_value_get_object(&item))));
    if (caps && !gst_caps_is_empty(caps.get()) && !gst_caps_is_any(caps.get())) {
      const GstStructure* structure = gst_caps_get_structure(caps.get(), 0);
      const char* cipher = gst_structure_get_string(structure, "srtp-cipher");
      const std::string_view name = gst_structure_get_name(structure);
      const bool srtp = name == "application/x-srtp" || name == "application/x-srtcp";
      found = srtp && cipher && std::strcmp(cipher, "null") != 0;
    }
    g_value_reset(&item);
  }
  g_value_unset(&item);
  gst_iterator_free(pads);
  return found;
}

// The DTLS transport of a transceiver's sender, or else of its receiver.
GObjectPtr<GObject> transport_of(GObject* transceiver) {
  for (const char* side : {"sender", "receiver"}) {
    GObject* end = nullptr;
    g_object_get(transceiver, side, &end, nullptr);
    GObjectPtr<GObject> held(end);
    GObject* transport = nullptr;
    if (end) g_object_get(end, "transport", &transport, nullptr);
    if (transport) return GObjectPtr<GObject>(transport);
  }
  return nullptr;
}

using Hook = std::weak_ptr<RtpSetup>;
void delete_hook(gpointer data, GClosure*) {
  delete static_cast<Hook*>(data);
}

// `seen` is a member of what `setup` refers to.
struct PacketHook {
  std::weak_ptr<RtpSetup> setup;
  const RtpSetup::PacketSeen* seen;
};

GstPadProbeReturn on_packet(GstPad*, GstPadProbeInfo* info, gpointer data) {
  const auto* hook = static_cast<PacketHook*>(data);
  const auto setup = hook->setup.lock();
  if (!setup) return GST_PAD_PROBE_OK;
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    GstBufferList* list = GST_PAD_PROBE_INFO_BUFFER_LIST(info);
    for (guint i = 0; i < gst_buffer_list_length(list); ++i) {
      (*hook->seen)(gst_buffer_list_get(list, i));
    }
  } else {
    (*hook->seen)(GST_PAD_PROBE_INFO_BUFFER(info));
  }
  return GST_PAD_PROBE_OK;
}

}  // namespace

void RtpSetup::attach(GstElement* webrtcbin) {
  GstElementPtr rtpbin(gst_bin_get_by_name(GST_BIN(webrtcbin), "rtpbin"));
  if (rtpbin) {
    // Capture times are written by us; rtpsession would put the time of sending in their place.
    g_object_set(rtpbin.get(), "update-ntp64-header-ext", FALSE,
                 // No feed is ever delayed for the sake of another.
                 "min-ts-offset", G_MAXUINT64, "do-lost", TRUE, nullptr);
    g_signal_connect_data(rtpbin.get(), "pad-added",
                          G_CALLBACK(+[](GstElement*, GstPad* pad, gpointer data) {
                            if (auto self = static_cast<Hook*>(data)->lock()) {
                              self->on_rtpbin_pad(pad);
                            }
                          }),
                          new Hook(weak_from_this()), delete_hook, static_cast<GConnectFlags>(0));
  }
  g_signal_connect_data(webrtcbin, "deep-element-added",
                        G_CALLBACK(+[](GstBin*, GstBin*, GstElement* element, gpointer data) {
                          if (auto self = static_cast<Hook*>(data)->lock()) {
                            self->on_element(element);
                          }
                        }),
                        new Hook(weak_from_this()), delete_hook, static_cast<GConnectFlags>(0));
}

void RtpSetup::on_element(GstElement* element) {
  const std::string_view name = factory_name(element);
  if (name == "rtpsession") {
    GObject* raw = nullptr;
    g_object_get(element, "internal-session", &raw, nullptr);
    GObjectPtr<GObject> session(raw);
    if (session) {
      g_object_set(session.get(), "bandwidth", kSessionBandwidth, "twcc-feedback-interval",
                   kFeedbackInterval, nullptr);
    }
  } else if (name == "rtpjitterbuffer") {
    // By default a next packet is guessed from the spacing so far, asked for when it does not come
    // at its guessed time, and given up 20 ms later: on a jittery path every late frame would count
    // as lost. Only gaps in the sequence are losses.
    g_object_set(element, "rtx-next-seqnum", FALSE, "rtx-delay", kAskAfterMs, nullptr);
    const GstPadPtr sink(gst_element_get_static_pad(element, "sink"));
    if (sink) watch(sink.get(), &watchers_.media);
    unsigned retry_ms = 0;
    {
      std::lock_guard lock(mutex_);
      jitter_buffers_.push_back(weak_element(element));
      retry_ms = retry_ms_;
    }
    if (retry_ms > 0) set_retry(element, retry_ms);
  } else if (name == "clocksync") {
    // Feeds are paced before webrtcbin where they need it; a live one must not wait here.
    g_object_set(element, "sync", FALSE, nullptr);
  } else if (name == "srtpenc" || name == "srtpdec") {
    std::lock_guard lock(mutex_);
    srtp_elements_.push_back(weak_element(element));
  }
}

void RtpSetup::on_rtpbin_pad(GstPad* pad) {
  const PacketSeen* seen = nullptr;
  if (g_str_has_prefix(GST_PAD_NAME(pad), "recv_rtp_sink_")) seen = &watchers_.rtp;
  if (g_str_has_prefix(GST_PAD_NAME(pad), "recv_rtcp_sink_")) seen = &watchers_.rtcp;
  watch(pad, seen);
}

void RtpSetup::watch(GstPad* pad, const PacketSeen* seen) {
  if (!seen || !*seen) return;
  const auto types =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST);
  gst_pad_add_probe(pad, types, on_packet, new PacketHook{weak_from_this(), seen},
                    [](gpointer data) { delete static_cast<PacketHook*>(data); });
}

void RtpSetup::set_repair(GstElement* webrtcbin, unsigned wait_ms, unsigned retry_ms) {
  g_object_set(webrtcbin, "latency", wait_ms, nullptr);
  std::vector<GstElementPtr> buffers;
  {
    std::lock_guard lock(mutex_);
    retry_ms_ = retry_ms;
    for (const WeakElement& ref : jitter_buffers_) {
      GstElementPtr element(static_cast<GstElement*>(g_weak_ref_get(ref.get())));
      if (element) buffers.push_back(std::move(element));
    }
  }
  for (const GstElementPtr& buffer : buffers) set_retry(buffer.get(), retry_ms);
}

bool RtpSetup::is_encrypted(GstElement* webrtcbin) const {
  GArray* raw = nullptr;
  g_signal_emit_by_name(webrtcbin, "get-transceivers", &raw);
  if (!raw) return false;
  std::unique_ptr<GArray, Deleter<g_array_unref>> transceivers(raw);
  bool connected = transceivers->len > 0;
  for (guint i = 0; i < transceivers->len && connected; ++i) {
    auto* transceiver = g_array_index(transceivers.get(), GstWebRTCRTPTransceiver*, i);
    const GObjectPtr<GObject> transport = transport_of(G_OBJECT(transceiver));
    GstWebRTCDTLSTransportState state = GST_WEBRTC_DTLS_TRANSPORT_STATE_NEW;
    if (transport) g_object_get(transport.get(), "state", &state, nullptr);
    connected = state == GST_WEBRTC_DTLS_TRANSPORT_STATE_CONNECTED;
  }
  if (!connected) return false;
  std::lock_guard lock(mutex_);
  for (const auto& ref : srtp_elements_) {
    GstElementPtr element(static_cast<GstElement*>(g_weak_ref_get(ref.get())));
    if (element && has_srtp_cipher(element.get())) return true;
  }
  return false;
}

}  // namespace farwheel
