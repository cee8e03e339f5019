// The real backend's parts on real GStreamer elements: coded pictures in, frames with colours and
// capture times out; stats as farwheelsrc would give them; hostile buffers left out.
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "backend/camera_branch.h"
#include "backend/gst_backend.h"
#include "backend/overload_gate.h"
#include "backend/radar_branch.h"
#include "backend/stats_reader.h"
#include "backend/unit_ledger.h"

namespace farwheel::station {
namespace {

bool wait_for(const std::function<bool()>& condition) {
  constexpr auto kPatience = std::chrono::seconds(20);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

GstElementPtr pipeline_from(const char* description) {
  GError* raw_error = nullptr;
  GstElement* made = gst_parse_launch(description, &raw_error);
  const GErrorPtr error(raw_error);
  EXPECT_FALSE(error) << error->message;
  return GstElementPtr(GST_ELEMENT(gst_object_ref_sink(made)));
}

// Puts a capture time on each unit, as farwheelsrc does: 40 ms before now, give or take 3 ms.
GstPadProbeReturn stamp(GstPad*, GstPadProbeInfo* info, gpointer) {
  GstBuffer* buffer = gst_buffer_make_writable(gst_pad_probe_info_get_buffer(info));
  const GstCapsPtr caps(gst_caps_from_string("timestamp/x-farwheel-capture"));
  gst_buffer_add_reference_timestamp_meta(
      buffer, caps.get(), static_cast<GstClockTime>(monotonic_now() - 40 * kMillisecond),
      3 * GST_MSECOND);
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  return GST_PAD_PROBE_OK;
}

TEST(MonotonicClock, IsGStreamersSystemClock) {
  const GstObjectPtr<GstClock> clock(gst_system_clock_obtain());
  const Nanoseconds before = monotonic_now();
  const auto theirs = static_cast<Nanoseconds>(gst_clock_get_time(clock.get()));
  EXPECT_LE(before, theirs);
  EXPECT_LE(theirs, monotonic_now());
}

TEST(CameraBranchTest, DecodesToTheMailboxWithCaptureTimes) {
  const GstElementPtr pipeline = pipeline_from(
      "videotestsrc is-live=true pattern=solid-color foreground-color=0xff3060c0 "
      "! video/x-raw,width=320,height=240,framerate=30/1 "
      "! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30 "
      "! video/x-h264,stream-format=byte-stream,alignment=au ! identity name=out");
  const GstElementPtr out(gst_bin_get_by_name(GST_BIN(pipeline.get()), "out"));
  const GstPadPtr pad(gst_element_get_static_pad(out.get(), "src"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, stamp, nullptr, nullptr);
  auto frames = std::make_shared<FrameMailbox>();
  std::string fault;
  auto branch = CameraBranch::make(GST_BIN(pipeline.get()), frames, &fault);
  ASSERT_TRUE(branch) << fault;
  ASSERT_TRUE(branch->link(pad.get()));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  ASSERT_TRUE(wait_for([&] { return frames->frames_put() >= 10; }));
  const std::optional<VideoFrame> frame = frames->take();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->image.size(), QSize(320, 240));
  EXPECT_EQ(frame->display_size, QSizeF(320, 240));
  const QRgb middle = frame->image.pixel(160, 120);
  EXPECT_NEAR(qRed(middle), 0x30, 10);
  EXPECT_NEAR(qGreen(middle), 0x60, 10);
  EXPECT_NEAR(qBlue(middle), 0xc0, 10);
  ASSERT_TRUE(frame->capture);
  EXPECT_EQ(frame->capture->band, 3 * kMillisecond);
  EXPECT_GE(frame->decoded_at - frame->capture->at, 40 * kMillisecond);
  EXPECT_LT(frame->decoded_at - frame->capture->at, 2 * kSecond);
  EXPECT_GT(frame->received_at, frame->capture->at);
  EXPECT_GE(frame->decoded_at, frame->received_at);
  EXPECT_EQ(branch->units_skipped(), 0U);

  // The branch leaves while frames flow; the frame in hand stays readable.
  gst_element_set_state(pipeline.get(), GST_STATE_PAUSED);
  branch.reset();
  EXPECT_EQ(frame->image.pixel(160, 120), middle);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

TEST(RadarBranchTest, TakesSweepsAndLeavesOutWhatIsNone) {
  const GstElementPtr pipeline = pipeline_from(
      "appsrc name=in format=time caps=application/x-farwheel-radar,version=1 ! identity name=out");
  const GstElementPtr in(gst_bin_get_by_name(GST_BIN(pipeline.get()), "in"));
  const GstElementPtr out(gst_bin_get_by_name(GST_BIN(pipeline.get()), "out"));
  const GstPadPtr pad(gst_element_get_static_pad(out.get(), "src"));
  std::atomic<int> sweeps = 0;
  std::atomic<std::size_t> detections = 0;
  std::string fault;
  auto branch = RadarBranch::make(
      GST_BIN(pipeline.get()),
      [&](const std::shared_ptr<const ReceivedSweep>& sweep) {
        detections = sweep->sweep.detections.size();
        ++sweeps;
      },
      &fault);
  ASSERT_TRUE(branch) << fault;
  ASSERT_TRUE(branch->link(pad.get()));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const auto push = [&in](const std::vector<std::uint8_t>& bytes) {
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, bytes.size(), nullptr);
    gst_buffer_fill(buffer, 0, bytes.data(), bytes.size());
    gst_app_src_push_buffer(GST_APP_SRC(in.get()), buffer);
  };
  RadarSweep sweep;
  sweep.detections.resize(3);
  std::vector<std::uint8_t> cut = write_radar_sweep(sweep);
  cut.pop_back();
  push(cut);
  push({});
  push(write_radar_sweep(sweep));
  EXPECT_TRUE(wait_for([&] { return sweeps == 1 && branch->bad_sweeps() == 2; }));
  EXPECT_EQ(detections, 3U);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

TEST(StatsReaderTest, ReadsWhatStatsMdPromises) {
  const GstStructurePtr stats(gst_structure_from_string(
      "application/x-farwheelsrc-stats, listening=(string)\"http://127.0.0.1:8080/whip/\","
      "connection=(string)connected, vehicle-id=(string)vehicle-7, encrypted=(boolean)true,"
      "last-media-age-ms=(double)12.5, state-age-ms=(double)40, throughput-bps=(guint64)4100000,"
      "rtt-ms=(double)58.5, owd-ms=(double)-0.5, owd-error-ms=(double)0.75, loss=(double)0.01,"
      "sessions-total=(guint64)3, controller=(structure)[controller, "
      "algorithm=(string)adaptive-bbr2,"
      "startup=(string)fbe, state=(string)probe_bw_cruise, limited-by=(string)encoder,"
      "target-bps=(guint64)4400000, queue-delay-ms=(double)2.5, fbe-confidence=(double)0.75],"
      "feeds=(structure)<[feed, name=(string)video_0, kind=(string)camera,"
      "units-received=(guint64)77]>",
      nullptr));
  ASSERT_TRUE(stats);
  const StationStats read = read_stats(stats.get(), 42);
  EXPECT_EQ(read.read_at, 42);
  EXPECT_EQ(read.link, LinkState::kConnected);
  EXPECT_EQ(read.vehicle_id, "vehicle-7");
  EXPECT_EQ(read.encrypted, true);
  EXPECT_EQ(read.throughput_bps, 4.1e6);
  EXPECT_EQ(read.owd_ms, -0.5);
  EXPECT_EQ(read.owd_error_ms, 0.75);
  EXPECT_EQ(read.sessions_total, 3);
  EXPECT_FALSE(read.clock_error_ms);
  ASSERT_TRUE(read.controller);
  EXPECT_EQ(read.controller->limited_by, "encoder");
  EXPECT_EQ(read.controller->target_bps, 4.4e6);
  EXPECT_EQ(read.controller->fbe_confidence, 0.75);
  EXPECT_FALSE(read.controller->fbe_estimate_bps);
  ASSERT_EQ(read.feeds.size(), 1U);
  EXPECT_EQ(read.feeds[0].name, "video_0");
  EXPECT_EQ(read.feeds[0].units_received, 77);
}

TEST(StatsReaderTest, WhatIsOfAnotherTypeOrAbsurdIsUnknown) {
  const GstStructurePtr stats(gst_structure_from_string(
      "application/x-farwheelsrc-stats, connection=(string)flying, rtt-ms=(string)fast,"
      "throughput-bps=(double)-5, loss=(double)nan, encrypted=(int)1, controller=(string)none,"
      "feeds=(string)none",
      nullptr));
  ASSERT_TRUE(stats);
  const StationStats read = read_stats(stats.get(), 1);
  EXPECT_EQ(read.link, LinkState::kUnknown);
  EXPECT_FALSE(read.rtt_ms);
  EXPECT_FALSE(read.throughput_bps);
  EXPECT_FALSE(read.loss);
  EXPECT_FALSE(read.encrypted);
  EXPECT_FALSE(read.controller);
  EXPECT_TRUE(read.feeds.empty());
}

TEST(UnitLedgerTest, FindsTheNewestAndForgetsTheOldest) {
  UnitLedger ledger;
  ledger.enter({.pts = 7, .arrived_at = 1});
  ledger.enter({.pts = 7, .arrived_at = 2});
  EXPECT_EQ(ledger.find(7)->arrived_at, 2);
  for (std::size_t i = 0; i < UnitLedger::kCapacity; ++i) ledger.enter({.pts = 1000 + i});
  EXPECT_FALSE(ledger.find(7));
  EXPECT_TRUE(ledger.find(1000));
}

TEST(OverloadGateTest, SkipsToTheNextYoungKeyFrame) {
  using Kind = OverloadGate::Kind;
  using Verdict = OverloadGate::Verdict;
  OverloadGate gate;
  EXPECT_EQ(gate.judge(Kind::kDelta, 199 * kMillisecond, 0), Verdict::kDecode);
  EXPECT_EQ(gate.judge(Kind::kDelta, 201 * kMillisecond, 0), Verdict::kSkip);
  // The backlog drains without decoding; then a key frame is asked for, once in a while.
  EXPECT_EQ(gate.judge(Kind::kDelta, 10 * kMillisecond, kSecond), Verdict::kSkipAndAskForKeyFrame);
  EXPECT_EQ(gate.judge(Kind::kDelta, 10 * kMillisecond, kSecond + 249 * kMillisecond),
            Verdict::kSkip);
  EXPECT_EQ(gate.judge(Kind::kDelta, 10 * kMillisecond, kSecond + 250 * kMillisecond),
            Verdict::kSkipAndAskForKeyFrame);
  EXPECT_EQ(gate.judge(Kind::kKeyFrame, 300 * kMillisecond, 2 * kSecond), Verdict::kSkip);
  EXPECT_EQ(gate.judge(Kind::kKeyFrame, 10 * kMillisecond, 2 * kSecond), Verdict::kDecode);
  EXPECT_EQ(gate.judge(Kind::kDelta, 10 * kMillisecond, 2 * kSecond), Verdict::kDecode);
}

TEST(GstBackendTest, StopsWhetherOrNotItStarted) {
  for (const int wait_ms : {0, 300}) {
    GstBackend backend({.listen = "127.0.0.1:0", .token = ""});
    std::atomic<bool> stopped = false;
    QObject::connect(
        &backend, &StationBackend::stopped, &backend, [&stopped] { stopped = true; },
        Qt::DirectConnection);
    backend.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    backend.stop();
    EXPECT_TRUE(wait_for([&] { return stopped.load(); }));
  }
}

}  // namespace
}  // namespace farwheel::station

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(&argc, &argv);
  return RUN_ALL_TESTS();
}
