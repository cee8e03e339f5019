/**
 * SECTION:element-rtpbbrcc
 * @title: rtpbbrcc
 * @short_description: paces RTP and controls its rate by adaptive BBRv2
 *
 * Stands directly before rtpsession: in a pipeline with rtpbin, or as webrtcbin's aux sender. Reads
 * the transport-wide feedback that rtpsession sends upstream, decides when each packet leaves, and
 * sets the bitrate of the encoder behind each stream.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 rtpbin name=rb rtp-profile=avpf \
 *   videotestsrc is-live=true ! x264enc tune=zerolatency ! rtph264pay pt=96 mtu=1200 ! \
 *   'application/x-rtp,extmap-1=(string)http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01'
 * ! \
 *   rtpbbrcc ! rb.send_rtp_sink_0 \
 *   rb.send_rtp_src_0 ! udpsink host=192.0.2.7 port=5000 sync=false async=false \
 *   rb.send_rtcp_src_0 ! udpsink host=192.0.2.7 port=5001 sync=false async=false \
 *   udpsrc port=5002 ! rb.recv_rtcp_sink_0
 * ]|
 */
#include "rtpbbrcc/gst_rtp_bbr_cc.h"

#include <algorithm>
#include <array>
#include <new>

#include "rtpbbrcc/path_event.h"
#include "rtpbbrcc/rtp_bbr_cc.h"
#include "rtpbbrcc/twcc_event.h"

using farwheel::Algorithm;
using farwheel::DataRate;
using farwheel::RtpBbrCc;
using farwheel::StartupKind;

GST_DEBUG_CATEGORY(gst_rtp_bbr_cc_debug);

struct _GstRtpBbrCc {
  GstElement parent;
  GstPad* sink;
  GstPad* src;
  RtpBbrCc* impl;
};

G_DEFINE_FINAL_TYPE_WITH_CODE(GstRtpBbrCc, gst_rtp_bbr_cc, GST_TYPE_ELEMENT,
                              GST_DEBUG_CATEGORY_INIT(gst_rtp_bbr_cc_debug, "rtpbbrcc", 0,
                                                      "RTP congestion control by adaptive BBRv2"))

namespace {

enum Property : guint {
  kPropertyNone,
  kAlgorithm,
  kStartup,
  kParams,
  kMinBitrate,
  kMaxBitrate,
  kStartBitrate,
  kEstimatedBitrate,
  kPacingBitrate,
  kAdjustEncoders,
  kTxInterface,
  kStats,
  kPropertyCount,
};

std::array<GParamSpec*, kPropertyCount> properties;

GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
                                                             GST_STATIC_CAPS("application/x-rtp"));
GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                                                            GST_STATIC_CAPS("application/x-rtp"));

RtpBbrCc& impl_of(gpointer element) {
  return *GST_RTP_BBR_CC(element)->impl;
}

guint as_property(DataRate rate) {
  return static_cast<guint>(std::clamp<std::int64_t>(rate.bps(), 0, G_MAXUINT));
}

GstFlowReturn chain(GstPad*, GstObject* parent, GstBuffer* buffer) {
  return impl_of(parent).enqueue(farwheel::GstBufferPtr(buffer));
}

GstFlowReturn chain_list(GstPad*, GstObject* parent, GstBufferList* list) {
  const farwheel::GstBufferListPtr owned(list);
  GstFlowReturn flow = GST_FLOW_OK;
  for (guint i = 0; flow == GST_FLOW_OK && i < gst_buffer_list_length(list); ++i) {
    flow = impl_of(parent).enqueue(
        farwheel::GstBufferPtr(gst_buffer_ref(gst_buffer_list_get(list, i))));
  }
  return flow;
}

gboolean sink_event(GstPad*, GstObject* parent, GstEvent* event) {
  return impl_of(parent).sink_event(farwheel::GstEventPtr(event));
}

gboolean sink_query(GstPad*, GstObject* parent, GstQuery* query) {
  return impl_of(parent).sink_query(query);
}

gboolean src_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  if (farwheel::is_twcc_event(event)) impl_of(parent).on_twcc_event(event);
  if (gst_event_has_name(event, farwheel::kPathChangedEvent)) {
    impl_of(parent).on_path_changed();
    gst_event_unref(event);
    return TRUE;
  }
  if (GST_EVENT_TYPE(event) == GST_EVENT_RECONFIGURE) impl_of(parent).on_reconfigure();
  return gst_pad_event_default(pad, parent, event);
}

gboolean sink_activate_mode(GstPad*, GstObject* parent, GstPadMode mode, gboolean active) {
  return mode == GST_PAD_MODE_PUSH && impl_of(parent).activate_sink(active != FALSE);
}

gboolean src_activate_mode(GstPad*, GstObject* parent, GstPadMode mode, gboolean active) {
  return mode == GST_PAD_MODE_PUSH && impl_of(parent).activate_src(active != FALSE);
}

}  // namespace

GType gst_rtp_bbr_cc_algorithm_get_type(void) {
  static const GEnumValue values[] = {
      {static_cast<gint>(Algorithm::kAdaptiveBbr2), "Adaptive BBRv2, made to hold on real links",
       "adaptive-bbr2"},
      {static_cast<gint>(Algorithm::kAdaptiveBbr2Paper),
       "Adaptive BBRv2 to the letter of its paper", "adaptive-bbr2-paper"},
      {static_cast<gint>(Algorithm::kBbr2),
       "BBRv2 (draft-cardwell-iccrg-bbr-congestion-control-02)", "bbr2"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_enum_register_static("GstRtpBbrCcAlgorithm", values);
  return type;
}

GType gst_rtp_bbr_cc_startup_get_type(void) {
  static const GEnumValue values[] = {
      {static_cast<gint>(StartupKind::kFbe), "Fast bandwidth estimation within two round trips",
       "fbe"},
      {static_cast<gint>(StartupKind::kClassic), "BBR's exponential search", "classic"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_enum_register_static("GstRtpBbrCcStartup", values);
  return type;
}

static void gst_rtp_bbr_cc_set_property(GObject* object, guint id, const GValue* value,
                                        GParamSpec* spec) {
  RtpBbrCc& impl = impl_of(object);
  const auto rate = [value] { return DataRate::from_bps(g_value_get_uint(value)); };
  const auto text = [value] {
    const gchar* string = g_value_get_string(value);
    return std::string(string ? string : "");
  };
  switch (id) {
    case kAlgorithm:
      return impl.set_algorithm(static_cast<Algorithm>(g_value_get_enum(value)));
    case kStartup:
      return impl.set_startup(static_cast<StartupKind>(g_value_get_enum(value)));
    case kParams:
      return impl.set_params(text());
    case kMinBitrate:
      return impl.set_min_bitrate(rate());
    case kMaxBitrate:
      return impl.set_max_bitrate(rate());
    case kStartBitrate:
      return impl.set_start_bitrate(rate());
    case kAdjustEncoders:
      return impl.set_adjust_encoders(g_value_get_boolean(value) != FALSE);
    case kTxInterface:
      return impl.set_tx_interface(text());
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

static void gst_rtp_bbr_cc_get_property(GObject* object, guint id, GValue* value,
                                        GParamSpec* spec) {
  const RtpBbrCc& impl = impl_of(object);
  switch (id) {
    case kAlgorithm:
      return g_value_set_enum(value, static_cast<gint>(impl.settings().controller.algorithm));
    case kStartup:
      return g_value_set_enum(value, static_cast<gint>(impl.settings().controller.startup));
    case kParams:
      return g_value_set_string(value, impl.settings().params.c_str());
    case kMinBitrate:
      return g_value_set_uint(value, as_property(impl.settings().controller.min_bitrate));
    case kMaxBitrate:
      return g_value_set_uint(value, as_property(impl.settings().controller.max_bitrate));
    case kStartBitrate:
      return g_value_set_uint(value, as_property(impl.settings().controller.start_bitrate));
    case kEstimatedBitrate:
      return g_value_set_uint(value, as_property(impl.estimated_bitrate()));
    case kPacingBitrate:
      return g_value_set_uint(value, as_property(impl.pacing_bitrate()));
    case kAdjustEncoders:
      return g_value_set_boolean(value, impl.settings().adjust_encoders);
    case kTxInterface:
      return g_value_set_string(value, impl.settings().tx_interface.c_str());
    case kStats:
      return g_value_take_boxed(value, impl.stats().release());
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

static GstStateChangeReturn gst_rtp_bbr_cc_change_state(GstElement* element,
                                                        GstStateChange transition) {
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) impl_of(element).start();
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_rtp_bbr_cc_parent_class)->change_state(element, transition);
  const bool over =
      transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE);
  if (over) impl_of(element).stop();
  return result;
}

static void gst_rtp_bbr_cc_init(GstRtpBbrCc* self) {
  self->sink = gst_pad_new_from_static_template(&sink_template, "sink");
  gst_pad_set_chain_function(self->sink, GST_DEBUG_FUNCPTR(chain));
  gst_pad_set_chain_list_function(self->sink, GST_DEBUG_FUNCPTR(chain_list));
  gst_pad_set_event_function(self->sink, GST_DEBUG_FUNCPTR(sink_event));
  gst_pad_set_query_function(self->sink, GST_DEBUG_FUNCPTR(sink_query));
  gst_pad_set_activatemode_function(self->sink, GST_DEBUG_FUNCPTR(sink_activate_mode));
  GST_PAD_SET_PROXY_CAPS(self->sink);
  gst_element_add_pad(GST_ELEMENT(self), self->sink);

  self->src = gst_pad_new_from_static_template(&src_template, "src");
  gst_pad_set_event_function(self->src, GST_DEBUG_FUNCPTR(src_event));
  gst_pad_set_activatemode_function(self->src, GST_DEBUG_FUNCPTR(src_activate_mode));
  GST_PAD_SET_PROXY_CAPS(self->src);
  gst_element_add_pad(GST_ELEMENT(self), self->src);

  self->impl =
      new RtpBbrCc(GST_ELEMENT(self), self->sink, self->src, properties[kEstimatedBitrate]);
}

static void gst_rtp_bbr_cc_finalize(GObject* object) {
  delete GST_RTP_BBR_CC(object)->impl;
  G_OBJECT_CLASS(gst_rtp_bbr_cc_parent_class)->finalize(object);
}

static void gst_rtp_bbr_cc_class_init(GstRtpBbrCcClass* klass) {
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  object_class->set_property = gst_rtp_bbr_cc_set_property;
  object_class->get_property = gst_rtp_bbr_cc_get_property;
  object_class->finalize = gst_rtp_bbr_cc_finalize;
  element_class->change_state = GST_DEBUG_FUNCPTR(gst_rtp_bbr_cc_change_state);

  constexpr auto kRead = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  constexpr auto kLive = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                  GST_PARAM_MUTABLE_PLAYING);
  const farwheel::ControllerConfig standard;
  const auto bitrate = [&](const char* name, const char* nick, const char* blurb, DataRate value,
                           GParamFlags flags) {
    return g_param_spec_uint(name, nick, blurb, 1, G_MAXUINT, as_property(value), flags);
  };
  properties[kAlgorithm] = g_param_spec_enum("algorithm", "Algorithm", "Law that controls the rate",
                                             GST_TYPE_RTP_BBR_CC_ALGORITHM,
                                             static_cast<gint>(standard.algorithm), kLive);
  properties[kStartup] = g_param_spec_enum(
      "startup", "Startup", "How the rate is found at the start and after a change of path",
      GST_TYPE_RTP_BBR_CC_STARTUP, static_cast<gint>(standard.startup), kLive);
  properties[kParams] = g_param_spec_string(
      "params", "Parameters",
      "Overrides of the law's constants, \"name=value,name=value\"; a text that is not understood "
      "is reported as a warning and changes nothing",
      "", kLive);
  properties[kMinBitrate] =
      bitrate("min-bitrate", "Minimum bitrate",
              "Lowest sum of the streams' target bitrates, headers included (bit/s)",
              standard.min_bitrate, kLive);
  properties[kMaxBitrate] =
      bitrate("max-bitrate", "Maximum bitrate",
              "Highest sum of the streams' target bitrates, headers included (bit/s)",
              standard.max_bitrate, kLive);
  properties[kStartBitrate] =
      bitrate("start-bitrate", "Start bitrate",
              "Sum of the target bitrates until the path is measured (bit/s)",
              standard.start_bitrate, kLive);
  properties[kEstimatedBitrate] = g_param_spec_uint(
      "estimated-bitrate", "Estimated bitrate",
      "Sum of the streams' target bitrates now, headers included (bit/s); notifies", 0, G_MAXUINT,
      as_property(standard.start_bitrate), kRead);
  properties[kPacingBitrate] =
      g_param_spec_uint("pacing-bitrate", "Pacing bitrate",
                        "Rate at which queued packets leave now (bit/s)", 0, G_MAXUINT, 0, kRead);
  properties[kAdjustEncoders] = g_param_spec_boolean(
      "adjust-encoders", "Adjust encoders",
      "Find the encoder upstream of each stream and set its bitrate in its own unit", TRUE, kLive);
  properties[kTxInterface] = g_param_spec_string("tx-interface", "Transmit interface",
                                                 "Network interface whose queue is watched, e.g. "
                                                 "wwan0; empty: the one by which the peer, else "
                                                 "the default route, is reached",
                                                 "", kLive);
  properties[kStats] = g_param_spec_boxed("stats", "Statistics",
                                          "application/x-rtpbbrcc-stats: state, rates (bit/s), "
                                          "times (ms), counts and per-stream figures; "
                                          "docs/stats.md has each field",
                                          GST_TYPE_STRUCTURE, kRead);
  g_object_class_install_properties(object_class, kPropertyCount, properties.data());

  gst_type_mark_as_plugin_api(GST_TYPE_RTP_BBR_CC_ALGORITHM, static_cast<GstPluginAPIFlags>(0));
  gst_type_mark_as_plugin_api(GST_TYPE_RTP_BBR_CC_STARTUP, static_cast<GstPluginAPIFlags>(0));
  gst_element_class_add_static_pad_template(element_class, &sink_template);
  gst_element_class_add_static_pad_template(element_class, &src_template);
  gst_element_class_set_static_metadata(element_class, "RTP adaptive BBRv2 congestion control",
                                        "Network/WebRTC/RTP/Filter",
                                        "Paces RTP packets and controls encoder bitrates by "
                                        "adaptive BBRv2 on transport-wide feedback",
                                        "Farwheel <farwheel@farwheel.example>");
}
