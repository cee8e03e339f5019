#include "rtpbbrcc/twcc_event.h"

#include <gtest/gtest.h>

#include "rtp_packets.h"

namespace farwheel::test {
namespace {

GstEventPtr event_of(GstStructure* structure) {
  return GstEventPtr(gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, structure));
}

GstEventPtr event_with_entries(const std::vector<GValue>& values) {
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  GValueArray* array = g_value_array_new(0);
  for (const GValue& value : values) g_value_array_append(array, &value);
  G_GNUC_END_IGNORE_DEPRECATIONS
  GValue packets = G_VALUE_INIT;
  g_value_init(&packets, g_type_from_name("GValueArray"));
  g_value_take_boxed(&packets, array);
  GstStructure* structure = gst_structure_new_empty("RTPTWCCPackets");
  gst_structure_take_value(structure, "packets", &packets);
  return event_of(structure);
}

GValue structure_value(const char* text) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, GST_TYPE_STRUCTURE);
  const GstStructurePtr structure(gst_structure_from_string(text, nullptr));
  EXPECT_TRUE(structure) << text;
  gst_value_set_structure(&value, structure.get());
  return value;
}

TEST(TwccEvent, ReadsDeliveredAndLostPackets) {
  const GstEventPtr event =
      make_report({{65535, 1000, 2000, false}, {0, 1100}, {1, 1200, 5, true}});
  ASSERT_TRUE(is_twcc_event(event.get()));
  const TwccEvent read = read_twcc_event(event.get());
  ASSERT_EQ(read.packets.size(), 3u);
  EXPECT_EQ(read.odd_entries, 0);
  EXPECT_EQ(read.packets[0].sequence_number, 65535);
  EXPECT_EQ(read.packets[0].local_ns, 1000);
  EXPECT_EQ(read.packets[0].remote_ns, 2000);
  EXPECT_FALSE(read.packets[0].lost);
  EXPECT_FALSE(read.packets[1].remote_ns);
  EXPECT_TRUE(read.packets[2].lost);
  EXPECT_FALSE(read.packets[2].remote_ns) << "a lost packet has not arrived";
}

TEST(TwccEvent, TimesBeyondTheClockAreUnknown) {
  const TwccEvent read =
      read_twcc_event(make_report({{1, guint64{1} << 63, (guint64{1} << 63) + 5, false}}).get());
  ASSERT_EQ(read.packets.size(), 1u);
  EXPECT_FALSE(read.packets[0].local_ns);
  EXPECT_FALSE(read.packets[0].remote_ns);
}

TEST(TwccEvent, OtherEventsAreNotMeant) {
  EXPECT_FALSE(is_twcc_event(event_of(gst_structure_new_empty("GstForceKeyUnit")).get()));
  const GstEventPtr downstream(
      gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("RTPTWCCPackets")));
  EXPECT_FALSE(is_twcc_event(downstream.get()));
}

TEST(TwccEvent, HostileStructuresAreCountedAndLeftOut) {
  const auto nothing_of = [](GstStructure* structure) {
    const TwccEvent read = read_twcc_event(event_of(structure).get());
    return read.packets.empty() && read.odd_entries == 1;
  };
  EXPECT_TRUE(nothing_of(gst_structure_new_empty("RTPTWCCPackets")));
  EXPECT_TRUE(
      nothing_of(gst_structure_new("RTPTWCCPackets", "packets", G_TYPE_STRING, "x", nullptr)));
  EXPECT_TRUE(nothing_of(gst_structure_new("RTPTWCCPackets", "packets", G_TYPE_UINT, 7, nullptr)));
  GValue empty = G_VALUE_INIT;
  g_value_init(&empty, g_type_from_name("GValueArray"));
  GstStructure* null_array = gst_structure_new_empty("RTPTWCCPackets");
  gst_structure_take_value(null_array, "packets", &empty);
  EXPECT_TRUE(nothing_of(null_array));
}

TEST(TwccEvent, OddEntriesDoNotSpoilTheirNeighbours) {
  GValue number = G_VALUE_INIT;
  g_value_init(&number, G_TYPE_INT);
  GValue no_structure = G_VALUE_INIT;
  g_value_init(&no_structure, GST_TYPE_STRUCTURE);
  std::vector<GValue> values = {
      number,
      no_structure,
      structure_value("RTPTWCCPacket, lost=(boolean)false"),
      structure_value("RTPTWCCPacket, seqnum=(string)\"5\", lost=(boolean)false"),
      structure_value("RTPTWCCPacket, seqnum=(uint)65536, lost=(boolean)false"),
      structure_value("RTPTWCCPacket, seqnum=(uint)5"),
      structure_value("RTPTWCCPacket, seqnum=(uint)6, lost=(boolean)false, local-ts=(string)no"),
      structure_value("RTPTWCCPacket, seqnum=(uint)7, lost=(boolean)true"),
  };
  const TwccEvent read = read_twcc_event(event_with_entries(values).get());
  for (GValue& value : values) g_value_unset(&value);
  EXPECT_EQ(read.odd_entries, 6);
  ASSERT_EQ(read.packets.size(), 2u);
  EXPECT_EQ(read.packets[0].sequence_number, 6);
  EXPECT_FALSE(read.packets[0].local_ns);
  EXPECT_FALSE(read.packets[0].remote_ns);
  EXPECT_EQ(read.packets[1].sequence_number, 7);
}

}  // namespace
}  // namespace farwheel::test
