// radarklvdepay: RTP as of RFC 6597 to whole KLV units.
//
// It stands where rtpklvdepay could, but for loss: that of GStreamer 1.22 doesn't find back into a
// stream of units of several packets once a unit's last packet is missing. Here every unit whose
// packets have all arrived comes out, whatever was lost before. Also takes `media=video`, which is
// how WebRTC carries the radar here.
//
// A unit starts at a packet that begins with a SMPTE label and ends at the marker; a gap in the
// sequence numbers drops what was collected. Streaming thread only.
#include <gst/rtp/gstrtpbasedepayload.h>
#include <gst/rtp/gstrtpbuffer.h>

#include <array>
#include <cstring>
#include <optional>

#include "radar/radar_buffer.h"
#include "radar/register.h"

GST_DEBUG_CATEGORY_STATIC(radarklvdepay_debug);
#define GST_CAT_DEFAULT radarklvdepay_debug

namespace farwheel {
namespace {

constexpr std::array<std::uint8_t, 4> kSmptePrefix = {0x06, 0x0e, 0x2b, 0x34};
// More than a sweep of kRadarSweepMaxDetections.
constexpr gsize kMaxUnitSize = 1024 * 1024;

struct UnitCollector {
  std::optional<std::uint16_t> last_seq;
  std::uint32_t timestamp = 0;
  GstBufferPtr unit;  // empty: waiting for a start
};

bool starts_unit(GstRTPBuffer* rtp) {
  return gst_rtp_buffer_get_payload_len(rtp) >= kSmptePrefix.size() &&
         std::memcmp(gst_rtp_buffer_get_payload(rtp), kSmptePrefix.data(), kSmptePrefix.size()) ==
             0;
}

}  // namespace

struct GstRadarKlvDepay {
  GstRTPBaseDepayload parent;
  UnitCollector* collector;
};
struct GstRadarKlvDepayClass {
  GstRTPBaseDepayloadClass parent_class;
};

G_DEFINE_TYPE(GstRadarKlvDepay, gst_radar_klv_depay, GST_TYPE_RTP_BASE_DEPAYLOAD)

static GstStaticPadTemplate depay_sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS("application/x-rtp, media=(string){ application, video }, "
                    "clock-rate=(int)[ 1, MAX ], encoding-name=(string)SMPTE336M"));
static GstStaticPadTemplate depay_src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("meta/x-klv, parsed=(boolean)true"));

static UnitCollector& collector_of(gpointer object) {
  return *static_cast<GstRadarKlvDepay*>(object)->collector;
}

static gboolean gst_radar_klv_depay_set_caps(GstRTPBaseDepayload* depay, GstCaps* caps) {
  gint clock_rate = 0;
  gst_structure_get_int(gst_caps_get_structure(caps, 0), "clock-rate", &clock_rate);
  depay->clock_rate = static_cast<guint>(clock_rate);
  const GstCapsPtr out(gst_static_pad_template_get_caps(&depay_src_template));
  return gst_pad_set_caps(GST_RTP_BASE_DEPAYLOAD_SRCPAD(depay), out.get());
}

static GstBuffer* gst_radar_klv_depay_process(GstRTPBaseDepayload* depay, GstRTPBuffer* rtp) {
  UnitCollector& collector = collector_of(depay);
  const std::uint16_t seq = gst_rtp_buffer_get_seq(rtp);
  const std::uint32_t timestamp = gst_rtp_buffer_get_timestamp(rtp);
  const bool follows =
      collector.last_seq && seq == static_cast<std::uint16_t>(*collector.last_seq + 1);
  collector.last_seq = seq;
  if (collector.unit && (!follows || timestamp != collector.timestamp)) {
    GST_DEBUG_OBJECT(depay, "packets missing before %u: the unit is dropped", seq);
    collector.unit.reset();
  }
  if (!collector.unit) {
    if (!starts_unit(rtp)) return nullptr;
    collector.unit.reset(gst_buffer_new());
    collector.timestamp = timestamp;
  }
  if (GstBuffer* payload = gst_rtp_buffer_get_payload_buffer(rtp)) {
    collector.unit.reset(gst_buffer_append(collector.unit.release(), payload));
  }
  if (gst_buffer_get_size(collector.unit.get()) > kMaxUnitSize) {
    GST_WARNING_OBJECT(depay, "a unit of more than %" G_GSIZE_FORMAT " bytes is dropped",
                       kMaxUnitSize);
    collector.unit.reset();
    return nullptr;
  }
  return gst_rtp_buffer_get_marker(rtp) ? collector.unit.release() : nullptr;
}

static gboolean gst_radar_klv_depay_handle_event(GstRTPBaseDepayload* depay, GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) collector_of(depay) = {};
  return GST_RTP_BASE_DEPAYLOAD_CLASS(gst_radar_klv_depay_parent_class)->handle_event(depay, event);
}

static GstStateChangeReturn gst_radar_klv_depay_change_state(GstElement* element,
                                                             GstStateChange transition) {
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_radar_klv_depay_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) collector_of(element) = {};
  return result;
}

static void gst_radar_klv_depay_finalize(GObject* object) {
  delete &collector_of(object);
  G_OBJECT_CLASS(gst_radar_klv_depay_parent_class)->finalize(object);
}

static void gst_radar_klv_depay_class_init(GstRadarKlvDepayClass* klass) {
  GST_DEBUG_CATEGORY_INIT(radarklvdepay_debug, "radarklvdepay", 0, "KLV units from RTP");
  auto* element_class = reinterpret_cast<GstElementClass*>(klass);
  reinterpret_cast<GObjectClass*>(klass)->finalize = gst_radar_klv_depay_finalize;
  element_class->change_state = gst_radar_klv_depay_change_state;
  klass->parent_class.set_caps = gst_radar_klv_depay_set_caps;
  klass->parent_class.process_rtp_packet = gst_radar_klv_depay_process;
  klass->parent_class.handle_event = gst_radar_klv_depay_handle_event;
  gst_element_class_add_static_pad_template(element_class, &depay_sink_template);
  gst_element_class_add_static_pad_template(element_class, &depay_src_template);
  gst_element_class_set_static_metadata(element_class, "Radar KLV depayloader",
                                        "Codec/Depayloader/Network/RTP",
                                        "Extracts SMPTE ST 336 KLV units from RTP packets (RFC "
                                        "6597), each whole one whatever is lost",
                                        "Farwheel");
}

static void gst_radar_klv_depay_init(GstRadarKlvDepay* self) {
  self->collector = new UnitCollector;
}

}  // namespace farwheel
