#include "element_watch.h"
#include "radar/radar_klv.h"
#include "radar/radar_scene.h"

namespace farwheel {
namespace {

using testing::content;
using testing::Harnessed;
using testing::sweep_of;

RadarSweep road_sweep(std::uint32_t number) {
  RadarSweep sweep;
  sweep.sensor = 3;
  sweep.number = number;
  sweep.captured_unix_ns = 1700000000000000000u + number;
  sweep.detections = RadarScene(number).look(20);
  return sweep;
}

constexpr char kKlvCaps[] = "meta/x-klv,parsed=(boolean)true";

TEST(RadarKlvElements, EncoderKeepsTimeAndMeta) {
  Harnessed element("radarklvenc");
  gst_harness_set_src_caps_str(element.harness.get(), kRadarSweepCaps);
  const RadarSweep sweep = road_sweep(1);
  const auto bytes = write_radar_sweep(sweep);
  GstBuffer* buffer = gst_buffer_new_memdup(bytes.data(), bytes.size());
  GST_BUFFER_PTS(buffer) = 77;
  GST_BUFFER_DURATION(buffer) = 5;
  const GstCapsPtr unix(gst_caps_from_string("timestamp/x-unix"));
  gst_buffer_add_reference_timestamp_meta(buffer, unix.get(), 99, GST_CLOCK_TIME_NONE);
  ASSERT_EQ(gst_harness_push(element.harness.get(), buffer), GST_FLOW_OK);
  const auto buffers = element.pull_all();
  ASSERT_EQ(buffers.size(), 1u);
  EXPECT_EQ(content(buffers[0].get()), write_radar_klv(sweep).bytes);
  EXPECT_EQ(GST_BUFFER_PTS(buffers[0].get()), 77u);
  EXPECT_EQ(GST_BUFFER_DURATION(buffers[0].get()), 5u);
  EXPECT_EQ(testing::unix_capture_time(buffers[0].get()), 99u);
  const GstCapsPtr caps(gst_pad_get_current_caps(element.harness->sinkpad));
  const GstCapsPtr wanted(gst_caps_from_string(kKlvCaps));
  EXPECT_TRUE(gst_caps_is_equal(caps.get(), wanted.get()));
}

TEST(RadarKlvElements, EncoderDropsWhatIsNoSweepAndGoesOn) {
  Harnessed element("radarklvenc");
  gst_harness_set_src_caps_str(element.harness.get(), kRadarSweepCaps);
  const std::vector<std::uint8_t> junk(40, 0x55);
  EXPECT_EQ(element.push(junk), GST_FLOW_OK);
  EXPECT_EQ(element.push(junk), GST_FLOW_OK);
  EXPECT_EQ(element.push(write_radar_sweep(road_sweep(1))), GST_FLOW_OK);
  EXPECT_EQ(element.pull_all().size(), 1u);
  EXPECT_EQ(element.warnings().size(), 1u);
}

TEST(RadarKlvElements, DecoderWarnsOnceAKindAndGoesOn) {
  Harnessed element("radarklvdec");
  gst_harness_set_src_caps_str(element.harness.get(), kKlvCaps);
  const auto good = write_radar_klv(road_sweep(2)).bytes;
  auto newer = write_radar_klv({}).bytes;
  newer[17] = 9;
  auto cut = good;
  cut.pop_back();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(element.push(newer), GST_FLOW_OK);
    EXPECT_EQ(element.push(cut), GST_FLOW_OK);
    EXPECT_EQ(element.push({}), GST_FLOW_OK);
  }
  EXPECT_EQ(element.push(good, 123), GST_FLOW_OK);
  const auto buffers = element.pull_all();
  ASSERT_EQ(buffers.size(), 1u);
  EXPECT_EQ(GST_BUFFER_PTS(buffers[0].get()), 123u);
  const auto warnings = element.warnings();
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("version 1"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[1].find("Byte 16"), std::string::npos) << warnings[1];
  GstStructure* stats = nullptr;
  g_object_get(element.find("radarklvdec"), "stats", &stats, nullptr);
  const GstStructurePtr owned(stats);
  guint64 faults = 0;
  gst_structure_get_uint64(stats, "faults", &faults);
  EXPECT_EQ(faults, 6u);
}

TEST(RadarKlvElements, DecoderGivesEachSweepOfAUnit) {
  Harnessed element("radarklvdec");
  gst_harness_set_src_caps_str(element.harness.get(), kKlvCaps);
  auto unit = write_radar_klv(road_sweep(4)).bytes;
  const auto second = write_radar_klv(road_sweep(5)).bytes;
  unit.insert(unit.end(), second.begin(), second.end());
  EXPECT_EQ(element.push(unit), GST_FLOW_OK);
  const auto buffers = element.pull_all();
  ASSERT_EQ(buffers.size(), 2u);
  EXPECT_EQ(sweep_of(buffers[0].get()).number, 4u);
  EXPECT_EQ(sweep_of(buffers[1].get()).number, 5u);
}

TEST(RadarKlvElements, FlushEosAndStatesGoThrough) {
  for (const char* name : {"radarklvenc", "radarklvdec"}) {
    SCOPED_TRACE(name);
    const bool encodes = std::string(name) == "radarklvenc";
    Harnessed element(name);
    gst_harness_set_src_caps_str(element.harness.get(), encodes ? kRadarSweepCaps : kKlvCaps);
    const auto input =
        encodes ? write_radar_sweep(road_sweep(1)) : write_radar_klv(road_sweep(1)).bytes;
    GstElement* inner = element.find(name);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(element.push(input), GST_FLOW_OK);
      gst_harness_push_event(element.harness.get(), gst_event_new_flush_start());
      EXPECT_EQ(element.push(input), GST_FLOW_FLUSHING);
      gst_harness_push_event(element.harness.get(), gst_event_new_flush_stop(TRUE));
      GstSegment segment;
      gst_segment_init(&segment, GST_FORMAT_TIME);
      gst_harness_push_event(element.harness.get(), gst_event_new_segment(&segment));
    }
    EXPECT_EQ(element.push(input), GST_FLOW_OK);
    gst_element_set_state(inner, GST_STATE_NULL);
    EXPECT_EQ(element.push(input), GST_FLOW_FLUSHING);
    gst_element_set_state(inner, GST_STATE_PLAYING);
    gst_harness_push_event(element.harness.get(), gst_event_new_eos());
    EXPECT_TRUE(GST_PAD_IS_EOS(element.harness->sinkpad));
  }
}

TEST(RadarKlvElements, RefuseOtherCaps) {
  Harnessed element("radarklvdec");
  gst_harness_set_src_caps_str(element.harness.get(), "meta/x-klv,parsed=(boolean)false");
  EXPECT_EQ(element.push(write_radar_klv({}).bytes), GST_FLOW_NOT_NEGOTIATED);
}

TEST(RadarKlvElements, GoThroughStockRtpAtMtu1200) {
  Harnessed out("radarklvenc ! rtpklvpay mtu=1200 pt=98");
  Harnessed in("rtpklvdepay ! radarklvdec");
  gst_harness_set_src_caps_str(out.harness.get(), kRadarSweepCaps);
  gst_harness_set_src_caps_str(in.harness.get(),
                               "application/x-rtp,media=application,clock-rate=90000,"
                               "encoding-name=SMPTE336M,payload=98");
  std::size_t packets = 0;
  for (std::uint32_t number = 0; number < 20; ++number) {
    RadarSweep sweep = road_sweep(number);
    while (number > 0 && sweep.detections.size() < 300) {
      sweep.detections.push_back(sweep.detections[sweep.detections.size() / 2]);
    }
    ASSERT_EQ(out.push(write_radar_sweep(sweep), number * 77 * GST_MSECOND), GST_FLOW_OK);
    for (auto& packet : out.pull_all()) {
      EXPECT_LE(gst_buffer_get_size(packet.get()), 1200u);
      ++packets;
      ASSERT_EQ(gst_harness_push(in.harness.get(), packet.release()), GST_FLOW_OK);
    }
    const auto buffers = in.pull_all();
    ASSERT_EQ(buffers.size(), 1u);
    const RadarSweep back = sweep_of(buffers[0].get());
    EXPECT_EQ(back.number, number);
    EXPECT_EQ(back.captured_unix_ns, sweep.captured_unix_ns);
    ASSERT_EQ(back.detections.size(), sweep.detections.size());
    for (std::size_t i = 0; i < back.detections.size(); ++i) {
      ASSERT_NEAR(back.detections[i].x, sweep.detections[i].x, 0.01001);
      ASSERT_NEAR(back.detections[i].vx, sweep.detections[i].vx, 0.00501);
    }
  }
  EXPECT_GT(packets, 20u * 3) << "sweeps of several packets";
}

}  // namespace
}  // namespace farwheel
