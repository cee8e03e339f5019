#include "rtpbbrcc/twcc_event.h"

namespace farwheel {
namespace {

// One report covers at most what 16 bits can number.
constexpr guint kMostPackets = 65536;

std::optional<std::int64_t> known_time(guint64 time) {
  if (time > static_cast<guint64>(G_MAXINT64)) return std::nullopt;
  return static_cast<std::int64_t>(time);
}

std::optional<ReportedPacket> read_packet(const GValue* value) {
  if (!GST_VALUE_HOLDS_STRUCTURE(value)) return std::nullopt;
  const GstStructure* entry = gst_value_get_structure(value);
  guint sequence_number = 0;
  gboolean lost = FALSE;
  if (entry == nullptr || !gst_structure_get_uint(entry, "seqnum", &sequence_number) ||
      sequence_number > G_MAXUINT16 || !gst_structure_get_boolean(entry, "lost", &lost)) {
    return std::nullopt;
  }
  guint64 local = GST_CLOCK_TIME_NONE;
  guint64 remote = GST_CLOCK_TIME_NONE;
  gst_structure_get_uint64(entry, "local-ts", &local);
  gst_structure_get_uint64(entry, "remote-ts", &remote);
  ReportedPacket packet;
  packet.sequence_number = static_cast<std::uint16_t>(sequence_number);
  packet.lost = lost != FALSE;
  packet.local_ns = known_time(local);
  if (!packet.lost) packet.remote_ns = known_time(remote);
  return packet;
}

}  // namespace

bool is_twcc_event(GstEvent* event) {
  return GST_EVENT_TYPE(event) == GST_EVENT_CUSTOM_UPSTREAM &&
         gst_event_has_name(event, "RTPTWCCPackets");
}

TwccEvent read_twcc_event(GstEvent* event) {
  TwccEvent result;
  const GstStructure* structure = gst_event_get_structure(event);
  const GValue* list = structure ? gst_structure_get_value(structure, "packets") : nullptr;
  if (list == nullptr) {
    result.odd_entries = 1;
    return result;
  }
  // GValueArray is deprecated in GLib, its type macro too, and still what rtpsession sends.
  const GType array_type = g_type_from_name("GValueArray");
  const bool is_array = array_type != 0 && G_VALUE_HOLDS(list, array_type);
  const auto* array = is_array ? static_cast<GValueArray*>(g_value_get_boxed(list)) : nullptr;
  if (array == nullptr || array->n_values > kMostPackets) {
    result.odd_entries = 1;
    return result;
  }
  result.packets.reserve(array->n_values);
  for (guint i = 0; i < array->n_values; ++i) {
    if (const auto packet = read_packet(&array->values[i])) {
      result.packets.push_back(*packet);
    } else {
      ++result.odd_entries;
    }
  }
  return result;
}

}  // namespace farwheel
