#include "element_watch.h"
#include "pcd_files.h"

namespace farwheel {
namespace {

using testing::content;
using testing::sweep_of;

// Runs a pipeline to its end (EOS, else the test fails) and returns what its `fakesink name=out`
// got.
std::vector<GstBufferPtr> run(const std::string& description) {
  GError* error = nullptr;
  const GstElementPtr pipeline(gst_parse_launch(description.c_str(), &error));
  if (error != nullptr) {
    ADD_FAILURE() << error->message;
    g_error_free(error);
    return {};
  }
  std::vector<GstBufferPtr> buffers;
  const GstElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "out"));
  g_object_set(sink.get(), "signal-handoffs", TRUE, nullptr);
  g_signal_connect(
      sink.get(), "handoff",
      G_CALLBACK(+[](GstElement*, GstBuffer* buffer, GstPad*, gpointer data) {
        static_cast<std::vector<GstBufferPtr>*>(data)->emplace_back(gst_buffer_ref(buffer));
      }),
      &buffers);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const GstObjectPtr<GstBus> bus(gst_element_get_bus(pipeline.get()));
  const GstMessagePtr end(
      gst_bus_timed_pop_filtered(bus.get(), 20 * GST_SECOND,
                                 static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  if (!end || GST_MESSAGE_TYPE(end.get()) != GST_MESSAGE_EOS) ADD_FAILURE() << "no EOS";
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return buffers;
}

TEST(RadarTestSrc, IsDeterministicForASeed) {
  const std::string tail = " num-buffers=50 is-live=false ! fakesink name=out sync=false";
  const auto a = run("radartestsrc seed=4 ego-speed=12" + tail);
  const auto b = run("radartestsrc seed=4 ego-speed=12" + tail);
  const auto c = run("radartestsrc seed=5 ego-speed=12" + tail);
  ASSERT_EQ(a.size(), 50u);
  ASSERT_EQ(b.size(), 50u);
  ASSERT_EQ(c.size(), 50u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(content(a[i].get()), content(b[i].get()));
    EXPECT_NE(content(a[i].get()), content(c[i].get()));
    EXPECT_EQ(GST_BUFFER_PTS(a[i].get()), GST_BUFFER_PTS(b[i].get()));
  }
}

TEST(RadarTestSrc, HasTheSameSceneLive) {
  const auto live =
      run("radartestsrc seed=4 rate=200 num-buffers=20 ! fakesink name=out sync=false");
  const auto file = run(
      "radartestsrc seed=4 rate=200 num-buffers=20 is-live=false ! fakesink name=out sync=false");
  ASSERT_EQ(live.size(), 20u);
  ASSERT_EQ(file.size(), 20u);
  for (std::size_t i = 0; i < live.size(); ++i) {
    RadarSweep a = sweep_of(live[i].get());
    const RadarSweep b = sweep_of(file[i].get());
    EXPECT_EQ(b.captured_unix_ns, 0u);
    a.captured_unix_ns = 0;
    EXPECT_EQ(write_radar_sweep(a), write_radar_sweep(b));
  }
}

TEST(RadarTestSrc, StampsSweepsAtItsRate) {
  const auto buffers =
      run("radartestsrc sensor-id=9 num-buffers=14 is-live=false ! fakesink name=out sync=false");
  ASSERT_EQ(buffers.size(), 14u);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const RadarSweep sweep = sweep_of(buffers[i].get());
    EXPECT_EQ(sweep.sensor, 9u);
    EXPECT_EQ(sweep.number, i);
    EXPECT_GT(sweep.detections.size(), 30u);
    EXPECT_NEAR(static_cast<double>(GST_BUFFER_PTS(buffers[i].get())),
                static_cast<double>(i) * 1e9 / 13, 1);
  }
}

TEST(RadarTestSrc, LivesByTheClock) {
  const auto before = static_cast<std::uint64_t>(g_get_real_time()) * 1000;
  const auto buffers = run("radartestsrc rate=20 num-buffers=8 ! fakesink name=out sync=true");
  const auto after = static_cast<std::uint64_t>(g_get_real_time()) * 1000;
  ASSERT_EQ(buffers.size(), 8u);
  const GstClockTime first = GST_BUFFER_PTS(buffers[0].get());
  const std::uint64_t captured = sweep_of(buffers[0].get()).captured_unix_ns;
  EXPECT_GE(captured, before);
  EXPECT_GE(after - before, 7u * 50 * GST_MSECOND) << "faster than the clock";
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::uint64_t unix_ns = sweep_of(buffers[i].get()).captured_unix_ns;
    EXPECT_EQ(testing::unix_capture_time(buffers[i].get()), unix_ns);
    // The wall clock's steps are the time line's, to within what the two clocks are read apart.
    EXPECT_NEAR(static_cast<double>(unix_ns - captured),
                static_cast<double>(GST_BUFFER_PTS(buffers[i].get()) - first), 2e7);
  }
}

TEST(RadarTestSrc, StopsAndStartsAgain) {
  const GstElementPtr pipeline(
      gst_parse_launch("radartestsrc name=src rate=100 ! fakesink name=out", nullptr));
  for (int i = 0; i < 5; ++i) {
    EXPECT_NE(gst_element_set_state(pipeline.get(), GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
    EXPECT_NE(gst_element_get_state(pipeline.get(), nullptr, nullptr, 10 * GST_SECOND),
              GST_STATE_CHANGE_FAILURE);
    gst_element_set_state(pipeline.get(), i % 2 == 0 ? GST_STATE_PAUSED : GST_STATE_NULL);
  }
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

// The launch lines of docs/radar-klv.md, over files that the project makes itself.
class LoopedFile : public ::testing::Test {
 protected:
  LoopedFile() {
    directory = std::filesystem::temp_directory_path() / ("farwheel-" + std::to_string(getpid()));
    std::filesystem::create_directories(directory);
    for (int i = 0; i < 3; ++i) {
      std::ofstream(directory / (std::to_string(i) + ".pcd"), std::ios::binary)
          << testing::kAsciiPcd;
    }
  }
  ~LoopedFile() override { std::filesystem::remove_all(directory); }
  std::filesystem::path directory;
};

TEST_F(LoopedFile, RepeatsAtARate) {
  const auto buffers = run("multifilesrc num-buffers=6 loop=true caps=application/x-pcd location=" +
                           (directory / "1.pcd").string() +
                           " ! radarpcdparse rate=20 ! radarklvenc ! rtpklvpay mtu=1200 ! "
                           "rtpklvdepay ! radarklvdec ! fakesink name=out sync=true");
  ASSERT_EQ(buffers.size(), 6u);
  for (std::size_t i = 1; i < buffers.size(); ++i) {
    EXPECT_EQ(sweep_of(buffers[i].get()).number, i);
    EXPECT_GE(GST_BUFFER_PTS(buffers[i].get()) - GST_BUFFER_PTS(buffers[i - 1].get()),
              49 * GST_MSECOND);
  }
}

TEST_F(LoopedFile, ReadsAFolder) {
  const auto buffers =
      run("multifilesrc num-buffers=7 loop=true start-index=0 stop-index=2 "
          "caps=application/x-pcd location=" +
          (directory / "%d.pcd").string() + " ! radarpcdparse rate=50 ! fakesink name=out");
  EXPECT_EQ(buffers.size(), 7u);
}

TEST_F(LoopedFile, ReadsFilesPutTogetherAsAStream) {
  const auto buffers = run("splitfilesrc location=" + (directory / "*.pcd").string() +
                           " blocksize=100 ! radarpcdparse ! fakesink name=out sync=false");
  EXPECT_EQ(buffers.size(), 3u);
}

TEST(RecordedRadar, RunsThroughRtpAt13Hz) {
  const auto file = testing::shared_path("radar/ars548-sweep.binary.pcd");
  if (!file) GTEST_SKIP() << "no recordings: set FARWHEEL_SHARED";
  const auto buffers =
      run("multifilesrc num-buffers=5 loop=true caps=application/x-pcd location=" + *file +
          " ! radarpcdparse rate=13 ! radarklvenc ! rtpklvpay mtu=1200 ! "
          "rtpklvdepay ! radarklvdec ! fakesink name=out sync=true");
  ASSERT_EQ(buffers.size(), 5u);
  for (const auto& buffer : buffers) {
    EXPECT_EQ(sweep_of(buffer.get()).detections.size(), 308u);
  }
}

}  // namespace
}  // namespace farwheel
