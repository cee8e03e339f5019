#include "rtp_packets.h"

#include <gst/rtp/rtp.h>

namespace farwheel::test {

GstBufferPtr make_packet(const PacketSpec& spec) {
  GstBufferPtr buffer(gst_rtp_buffer_new_allocate(static_cast<guint>(spec.payload_size), 0, 0));
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gst_rtp_buffer_map(buffer.get(), GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc(&rtp, spec.ssrc);
  gst_rtp_buffer_set_payload_type(&rtp, spec.payload_type);
  gst_rtp_buffer_set_seq(&rtp, spec.sequence_number);
  gst_rtp_buffer_set_marker(&rtp, spec.marker ? TRUE : FALSE);
  auto* payload = static_cast<guint8*>(gst_rtp_buffer_get_payload(&rtp));
  for (std::size_t i = 0; i < spec.payload_size; ++i) payload[i] = 0;
  if (spec.payload_size > 0) payload[0] = spec.nal;
  if (spec.twcc_id != 0) {
    const guint8 number[2] = {};
    gst_rtp_buffer_add_extension_onebyte_header(&rtp, spec.twcc_id, number, sizeof(number));
  }
  gst_rtp_buffer_unmap(&rtp);
  return buffer;
}

GstEventPtr make_report(const std::vector<ReportEntry>& entries) {
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  GValueArray* array = g_value_array_new(static_cast<guint>(entries.size()));
  for (const ReportEntry& entry : entries) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, GST_TYPE_STRUCTURE);
    const GstStructurePtr structure(gst_structure_new(
        "RTPTWCCPacket", "seqnum", G_TYPE_UINT, entry.sequence_number, "local-ts", G_TYPE_UINT64,
        entry.local_ns, "remote-ts", G_TYPE_UINT64, entry.remote_ns, "payload-type", G_TYPE_UCHAR,
        96, "size", G_TYPE_UINT, 1000, "lost", G_TYPE_BOOLEAN, entry.lost ? TRUE : FALSE, nullptr));
    gst_value_set_structure(&value, structure.get());
    g_value_array_append(array, &value);
    g_value_unset(&value);
  }
  GValue packets = G_VALUE_INIT;
  g_value_init(&packets, g_type_from_name("GValueArray"));
  g_value_take_boxed(&packets, array);
  G_GNUC_END_IGNORE_DEPRECATIONS
  GstStructure* structure = gst_structure_new_empty("RTPTWCCPackets");
  gst_structure_take_value(structure, "packets", &packets);
  return GstEventPtr(gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, structure));
}

std::uint16_t sequence_number_of(GstBuffer* buffer) {
  guint8 bytes[2] = {};
  gst_buffer_extract(buffer, 2, bytes, 2);
  return static_cast<std::uint16_t>(bytes[0] << 8 | bytes[1]);
}

std::uint32_t ssrc_of(GstBuffer* buffer) {
  guint8 bytes[4] = {};
  gst_buffer_extract(buffer, 8, bytes, 4);
  return GST_READ_UINT32_BE(bytes);
}

}  // namespace farwheel::test
