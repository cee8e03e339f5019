// radarklvenc: application/x-farwheel-radar to meta/x-klv, one KLV unit a sweep, for rtpklvpay.
#include "radar/radar_filter.h"
#include "radar/radar_klv.h"

namespace farwheel {

struct GstRadarKlvEnc {
  GstRadarFilter parent;
};
struct GstRadarKlvEncClass {
  GstRadarFilterClass parent_class;
};

G_DEFINE_TYPE(GstRadarKlvEnc, gst_radar_klv_enc, gst_radar_filter_get_type())

static GstStaticPadTemplate enc_sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(kRadarSweepCaps));
static GstStaticPadTemplate enc_src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("meta/x-klv, parsed=(boolean)true"));

static RadarConversion encode(std::span<const std::uint8_t> bytes) {
  RadarConversion conversion;
  const auto sweep = read_radar_sweep(bytes);
  if (!sweep) {
    conversion.faults.push_back({0, "A buffer of " + std::to_string(bytes.size()) +
                                        " bytes is no radar sweep as radar_sweep.h lays one out; "
                                        "it was dropped."});
    return conversion;
  }
  RadarKlvUnit unit = write_radar_klv(*sweep);
  conversion.detections = sweep->detections.size() - unit.left_out;
  conversion.left_out = unit.left_out;
  conversion.outputs.push_back(std::move(unit.bytes));
  return conversion;
}

static void gst_radar_klv_enc_class_init(GstRadarKlvEncClass* klass) {
  auto* element_class = reinterpret_cast<GstElementClass*>(klass);
  klass->parent_class.convert = encode;
  gst_element_class_add_static_pad_template(element_class, &enc_sink_template);
  gst_element_class_add_static_pad_template(element_class, &enc_src_template);
  gst_element_class_set_static_metadata(
      element_class, "Radar KLV encoder", "Codec/Encoder/Radar",
      "Packs radar sweeps into SMPTE ST 336 KLV units for RTP (RFC 6597)", "Farwheel");
}

static void gst_radar_klv_enc_init(GstRadarKlvEnc*) {}

}  // namespace farwheel
