// The element alone in a harness: packets and events through it, states, flushes, properties.
#include <gst/check/gstharness.h>
#include <gtest/gtest.h>

#include <memory>

#include "rtp_packets.h"

namespace farwheel::test {
namespace {

using HarnessPtr = std::unique_ptr<GstHarness, Deleter<gst_harness_teardown>>;

HarnessPtr make_harness() {
  HarnessPtr harness(gst_harness_new("rtpbbrcc"));
  gst_harness_set_src_caps_str(harness.get(), kRtpCaps);
  return harness;
}

guint64 stat(GstElement* element, const char* field) {
  GstStructure* raw = nullptr;
  g_object_get(element, "stats", &raw, nullptr);
  const GstStructurePtr stats(raw);
  guint64 value = G_MAXUINT64;
  gst_structure_get_uint64(raw, field, &value);
  return value;
}

TEST(RtpBbrCcElement, PassesPacketsInOrderAndCountsThoseWithTheExtension) {
  const HarnessPtr harness = make_harness();
  for (std::uint16_t i = 0; i < 20; ++i) {
    PacketSpec spec;
    spec.sequence_number = i;
    spec.marker = i % 4 == 3;
    spec.twcc_id = i < 15 ? 1 : 0;
    ASSERT_EQ(gst_harness_push(harness.get(), make_packet(spec).release()), GST_FLOW_OK);
  }
  for (std::uint16_t i = 0; i < 20; ++i) {
    const GstBufferPtr out(gst_harness_pull(harness.get()));
    ASSERT_TRUE(out);
    EXPECT_EQ(sequence_number_of(out.get()), i);
  }
  EXPECT_EQ(stat(harness->element, "packets-sent"), 15u);
}

}  // namespace
}  // namespace farwheel::test
