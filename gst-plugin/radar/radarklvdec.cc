// radarklvdec: meta/x-klv as rtpklvdepay gives it to application/x-farwheel-radar.
#include "radar/radar_filter.h"
#include "radar/radar_klv.h"

namespace farwheel {

struct GstRadarKlvDec {
  GstRadarFilter parent;
};
struct GstRadarKlvDecClass {
  GstRadarFilterClass parent_class;
};

G_DEFINE_TYPE(GstRadarKlvDec, gst_radar_klv_dec, gst_radar_filter_get_type())

static GstStaticPadTemplate dec_sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("meta/x-klv, parsed=(boolean)true"));
static GstStaticPadTemplate dec_src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(kRadarSweepCaps));

static RadarConversion decode(std::span<const std::uint8_t> bytes) {
  constexpr unsigned kUnknownVersion = 16;
  RadarConversion conversion;
  const RadarKlvContents contents = read_radar_klv(bytes);
  if (contents.fault != RadarKlvFault::kNone) {
    conversion.faults.push_back({static_cast<unsigned>(contents.fault),
                                 "Byte " + std::to_string(contents.fault_byte) +
                                     " of a KLV unit of " + std::to_string(bytes.size()) +
                                     " bytes: " + describe(contents.fault) +
                                     "; what could not be read was dropped."});
  }
  for (std::size_t i = 0; i < contents.unknown_versions; ++i) {
    conversion.faults.push_back(
        {kUnknownVersion, "A radar sweep of a layout other than version " +
                              std::to_string(kRadarKlvVersion) +
                              " was dropped; bring both ends to the same release."});
  }
  conversion.left_out = contents.dropped_detections;
  for (const RadarSweep& sweep : contents.sweeps) {
    conversion.detections += sweep.detections.size();
    conversion.outputs.push_back(write_radar_sweep(sweep));
  }
  return conversion;
}

static void gst_radar_klv_dec_class_init(GstRadarKlvDecClass* klass) {
  auto* element_class = reinterpret_cast<GstElementClass*>(klass);
  klass->parent_class.convert = decode;
  gst_element_class_add_static_pad_template(element_class, &dec_sink_template);
  gst_element_class_add_static_pad_template(element_class, &dec_src_template);
  gst_element_class_set_static_metadata(
      element_class, "Radar KLV decoder", "Codec/Decoder/Radar",
      "Unpacks radar sweeps from SMPTE ST 336 KLV units (RFC 6597)", "Farwheel");
}

static void gst_radar_klv_dec_init(GstRadarKlvDec*) {}

}  // namespace farwheel
