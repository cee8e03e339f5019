#include "element_watch.h"
#include "pcd_files.h"

namespace farwheel {
namespace {

using testing::binary_pcd;
using testing::Bytes;
using testing::Harnessed;
using testing::kAsciiPcd;
using testing::replaced;
using testing::sweep_of;
using testing::to_bytes;
using testing::unix_capture_time;

guint64 stat(GstElement* element, const char* field) {
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  const GstStructurePtr owned(stats);
  guint64 value = G_MAXUINT64;
  gst_structure_get_uint64(stats, field, &value);
  return value;
}

class RadarPcdParse : public ::testing::Test {
 protected:
  explicit RadarPcdParse(const char* launch = "radarpcdparse sensor-id=7") : element(launch) {
    gst_harness_set_src_caps_str(element.harness.get(), "application/x-pcd");
  }
  GstElement* parse() { return element.find("radarpcdparse"); }
  Harnessed element;
};

TEST_F(RadarPcdParse, TurnsEachFileIntoASweep) {
  ASSERT_EQ(element.push(to_bytes(kAsciiPcd), 40 * GST_MSECOND), GST_FLOW_OK);
  ASSERT_EQ(element.push(binary_pcd(), 80 * GST_MSECOND), GST_FLOW_OK);
  const auto buffers = element.pull_all();
  ASSERT_EQ(buffers.size(), 2u);
  const RadarSweep first = sweep_of(buffers[0].get());
  const RadarSweep second = sweep_of(buffers[1].get());
  EXPECT_EQ(first.sensor, 7u);
  EXPECT_EQ(first.number + 1, second.number);
  EXPECT_EQ(first.detections.size(), 3u);
  EXPECT_EQ(second.detections[1].x, 100);
  EXPECT_EQ(GST_BUFFER_PTS(buffers[0].get()), 40 * GST_MSECOND);
  EXPECT_EQ(GST_BUFFER_PTS(buffers[1].get()), 80 * GST_MSECOND);
  const GstCapsPtr caps(gst_pad_get_current_caps(element.harness->sinkpad));
  const GstCapsPtr wanted(gst_caps_from_string(kRadarSweepCaps));
  EXPECT_TRUE(gst_caps_is_equal(caps.get(), wanted.get()));
}

TEST_F(RadarPcdParse, PassesOnTheCaptureTimeThatComesWithAFile) {
  GstBuffer* buffer = gst_buffer_new_memdup(kAsciiPcd.data(), kAsciiPcd.size());
  const GstCapsPtr caps(gst_caps_from_string("timestamp/x-unix"));
  gst_buffer_add_reference_timestamp_meta(buffer, caps.get(), 1234567890123456789u,
                                          GST_CLOCK_TIME_NONE);
  ASSERT_EQ(gst_harness_push(element.harness.get(), buffer), GST_FLOW_OK);
  const auto buffers = element.pull_all();
  ASSERT_EQ(buffers.size(), 1u);
  EXPECT_EQ(sweep_of(buffers[0].get()).captured_unix_ns, 1234567890123456789u);
  EXPECT_EQ(unix_capture_time(buffers[0].get()), 1234567890123456789u);
}

TEST_F(RadarPcdParse, PutsTheWallClockOnLiveInputAndNothingOnAFile) {
  gst_harness_set_live(element.harness.get(), FALSE);
  element.push(to_bytes(kAsciiPcd));
  auto buffers = element.pull_all();
  ASSERT_EQ(buffers.size(), 1u);
  EXPECT_EQ(sweep_of(buffers[0].get()).captured_unix_ns, 0u);
  EXPECT_EQ(unix_capture_time(buffers[0].get()), std::nullopt);

  Harnessed live("radarpcdparse");
  gst_harness_set_src_caps_str(live.harness.get(), "application/x-pcd");
  gst_harness_set_live(live.harness.get(), TRUE);
  const auto before = static_cast<std::uint64_t>(g_get_real_time()) * 1000;
  live.push(to_bytes(kAsciiPcd));
  buffers = live.pull_all();
  ASSERT_EQ(buffers.size(), 1u);
  EXPECT_GE(sweep_of(buffers[0].get()).captured_unix_ns, before);
}

TEST_F(RadarPcdParse, WarnsOnceForEachKindOfFaultAndGoesOn) {
  const Bytes version = to_bytes(replaced(kAsciiPcd, "VERSION 0.7", "VERSION 0.6"));
  const Bytes word = to_bytes(replaced(kAsciiPcd, "100 20", "100 2O"));
  EXPECT_EQ(element.push(to_bytes(kAsciiPcd)), GST_FLOW_OK);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(element.push(version), GST_FLOW_OK);
    EXPECT_EQ(element.push(word), GST_FLOW_OK);
  }
  EXPECT_EQ(element.push(to_bytes(kAsciiPcd)), GST_FLOW_OK);
  const auto buffers = element.pull_all();
  ASSERT_EQ(buffers.size(), 2u);
  EXPECT_EQ(sweep_of(buffers[1].get()).number, 7u) << "what was dropped leaves a gap";
  const auto warnings = element.warnings();
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("PCD file 1 of the stream, line 2, byte 43"), std::string::npos)
      << warnings[0];
  EXPECT_NE(warnings[1].find("line 13"), std::string::npos) << warnings[1];
  EXPECT_NE(warnings[1].find("value 2 is no number"), std::string::npos);
  EXPECT_EQ(stat(parse(), "dropped"), 6u);
  EXPECT_EQ(stat(parse(), "sweeps"), 2u);
  EXPECT_EQ(stat(parse(), "detections"), 6u);
}

TEST_F(RadarPcdParse, WarnsAboutAnEmptyBuffer) {
  EXPECT_EQ(element.push({}), GST_FLOW_OK);
  EXPECT_EQ(element.warnings().size(), 1u);
  EXPECT_EQ(element.push(to_bytes(kAsciiPcd)), GST_FLOW_OK);
  EXPECT_EQ(element.pull_all().size(), 1u);
}

TEST_F(RadarPcdParse, PutsAFileTogetherWithTheTimeOfItsFirstBuffer) {
  const Bytes whole = binary_pcd();
  const auto part = [&](std::size_t from, std::size_t to) {
    return std::span(whole).subspan(from, to - from);
  };
  element.push(part(0, 100), 10);
  element.push(part(100, 230), 20);
  EXPECT_EQ(element.pull_all().size(), 0u);
  element.push(part(230, whole.size()), 30);
  element.push(whole, 40);
  const auto buffers = element.pull_all();
  ASSERT_EQ(buffers.size(), 2u);
  EXPECT_EQ(GST_BUFFER_PTS(buffers[0].get()), 10u);
  EXPECT_EQ(GST_BUFFER_PTS(buffers[1].get()), 40u);
}

TEST_F(RadarPcdParse, SendsTheLastFileBeforeEos) {
  element.push(to_bytes(kAsciiPcd.substr(0, kAsciiPcd.size() - 1)), 5);
  EXPECT_EQ(element.pull_all().size(), 0u);
  EXPECT_TRUE(gst_harness_push_event(element.harness.get(), gst_event_new_eos()));
  const auto buffers = element.pull_all();
  ASSERT_EQ(buffers.size(), 1u);
  EXPECT_EQ(GST_BUFFER_PTS(buffers[0].get()), 5u);
  EXPECT_TRUE(GST_PAD_IS_EOS(element.harness->sinkpad));
}

TEST_F(RadarPcdParse, TakesEachBufferAsAWholeFileWhereCapsSayParsed) {
  gst_harness_set_src_caps_str(element.harness.get(), "application/x-pcd,parsed=(boolean)true");
  element.push(to_bytes(kAsciiPcd.substr(0, kAsciiPcd.size() - 1)));
  EXPECT_EQ(element.pull_all().size(), 1u);
  element.push(to_bytes(kAsciiPcd.substr(0, 200)));
  EXPECT_EQ(element.warnings().size(), 1u) << "at once, not with the next file";
}

TEST_F(RadarPcdParse, ForgetsAHalfFileAtAFlush) {
  const Bytes whole = binary_pcd();
  element.push(std::span(whole).first(250));
  gst_harness_push_event(element.harness.get(), gst_event_new_flush_start());
  gst_harness_push_event(element.harness.get(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(element.harness.get(), gst_event_new_segment(&segment));
  EXPECT_EQ(element.push(whole), GST_FLOW_OK);
  EXPECT_EQ(element.pull_all().size(), 1u);
  EXPECT_TRUE(element.warnings().empty());
}

TEST_F(RadarPcdParse, MakesATimeSegmentOfABytesSegment) {
  Harnessed bytes("radarpcdparse");
  GstHarness* harness = bytes.harness.get();
  gst_harness_play(harness);
  gst_pad_push_event(harness->srcpad, gst_event_new_stream_start("bytes"));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_BYTES);
  gst_pad_push_event(harness->srcpad, gst_event_new_segment(&segment));
  bytes.push(to_bytes(kAsciiPcd));
  EXPECT_EQ(bytes.pull_all().size(), 1u);
  const GstEventPtr sticky(gst_pad_get_sticky_event(harness->sinkpad, GST_EVENT_SEGMENT, 0));
  ASSERT_NE(sticky, nullptr);
  const GstSegment* out = nullptr;
  gst_event_parse_segment(sticky.get(), &out);
  EXPECT_EQ(out->format, GST_FORMAT_TIME);
}

TEST_F(RadarPcdParse, StartsAnewAfterReady) {
  element.push(to_bytes("VERSION 0.1\n"));
  EXPECT_EQ(element.warnings().size(), 1u);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(gst_element_set_state(parse(), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    EXPECT_EQ(element.push(to_bytes(kAsciiPcd)), GST_FLOW_FLUSHING);
    ASSERT_EQ(gst_element_set_state(parse(), GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
  }
  EXPECT_EQ(stat(parse(), "dropped"), 0u);
}

// Paced: a test clock decides when a slot has come.
class PacedRadarPcdParse : public RadarPcdParse {
 protected:
  PacedRadarPcdParse() : RadarPcdParse("radarpcdparse rate=10") {
    gst_harness_use_testclock(element.harness.get());
    gst_harness_set_time(element.harness.get(), 0);
  }
  // Pushes from a thread of its own, since push waits.
  GThread* push_later(std::vector<Bytes> files) {
    struct Work {
      Harnessed* element;
      std::vector<Bytes> files;
    };
    return g_thread_new(
        "push",
        [](gpointer data) -> gpointer {
          const std::unique_ptr<Work> work(static_cast<Work*>(data));
          GstFlowReturn flow = GST_FLOW_OK;
          for (const auto& file : work->files) flow = work->element->push(file);
          return GINT_TO_POINTER(flow);
        },
        new Work{&element, std::move(files)});
  }
};

TEST_F(PacedRadarPcdParse, SendsOneSweepASlotAndABadFileTakesOneToo) {
  const Bytes good = to_bytes(kAsciiPcd);
  GThread* thread = push_later({good, good, to_bytes("VERSION 0.1\n"), good});
  std::vector<GstClockTime> times;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(gst_harness_wait_for_clock_id_waits(element.harness.get(), 1, 20));
    ASSERT_TRUE(gst_harness_crank_single_clock_wait(element.harness.get()));
  }
  EXPECT_EQ(GPOINTER_TO_INT(g_thread_join(thread)), GST_FLOW_OK);
  for (const auto& buffer : element.pull_all()) {
    times.push_back(GST_BUFFER_PTS(buffer.get()));
    EXPECT_EQ(GST_BUFFER_DURATION(buffer.get()), 100 * GST_MSECOND);
    EXPECT_NE(sweep_of(buffer.get()).captured_unix_ns, 0u);
  }
  EXPECT_EQ(times, (std::vector<GstClockTime>{0, 100 * GST_MSECOND, 300 * GST_MSECOND}));
}

TEST_F(PacedRadarPcdParse, AFlushAndAStopEndItsWait) {
  const Bytes good = to_bytes(kAsciiPcd);
  GThread* thread = push_later({good, good});
  ASSERT_TRUE(gst_harness_wait_for_clock_id_waits(element.harness.get(), 1, 20));
  gst_harness_push_event(element.harness.get(), gst_event_new_flush_start());
  EXPECT_EQ(GPOINTER_TO_INT(g_thread_join(thread)), GST_FLOW_FLUSHING);
  gst_harness_push_event(element.harness.get(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(element.harness.get(), gst_event_new_segment(&segment));
  thread = push_later({good, good});
  ASSERT_TRUE(gst_harness_wait_for_clock_id_waits(element.harness.get(), 1, 20));
  gst_element_set_state(parse(), GST_STATE_READY);
  EXPECT_EQ(GPOINTER_TO_INT(g_thread_join(thread)), GST_FLOW_FLUSHING);
}

TEST_F(PacedRadarPcdParse, SkipsSlotsThatItMissed) {
  const Bytes good = to_bytes(kAsciiPcd);
  element.push(good);
  gst_harness_set_time(element.harness.get(), 10 * GST_SECOND);
  element.push(good);
  const auto buffers = element.pull_all();
  ASSERT_EQ(buffers.size(), 2u);
  EXPECT_EQ(GST_BUFFER_PTS(buffers[1].get()), 10 * GST_SECOND);
}

TEST_F(PacedRadarPcdParse, IsLiveAndNeedsNoPreroll) {
  GstQuery* query = gst_query_new_latency();
  GstElement* element_under_test = parse();
  gboolean live = FALSE;
  ASSERT_TRUE(gst_element_query(element_under_test, query));
  gst_query_parse_latency(query, &live, nullptr, nullptr);
  gst_query_unref(query);
  EXPECT_TRUE(live);
  gst_element_set_state(element_under_test, GST_STATE_READY);
  EXPECT_EQ(gst_element_set_state(element_under_test, GST_STATE_PAUSED),
            GST_STATE_CHANGE_NO_PREROLL);
}

}  // namespace
}  // namespace farwheel
