// Both bins in one process, over loopback: what arrives, what is said about it, and what happens
// when either side goes away.
#include <dirent.h>
#include <gst/app/gstappsrc.h>

#include <fstream>

#include "pair.h"
#include "radar/radar_sweep.h"

namespace farwheel {
namespace {

constexpr double kLong = 30;  // liveness on a busy machine

bool has_element(const char* factory) {
  const GstObjectPtr<GstElementFactory> found(gst_element_factory_find(factory));
  return found != nullptr;
}

std::uint64_t entries_of(const char* folder) {
  std::uint64_t count = 0;
  DIR* dir = opendir(folder);
  while (dir && readdir(dir)) ++count;
  if (dir) closedir(dir);
  return count;
}

TEST(Session, FramesArriveEncryptedWithCaptureTimes) {
  Station station;
  EXPECT_NE(station.result(), GST_STATE_CHANGE_FAILURE);
  EXPECT_EQ(station.text("connection"), "waiting");
  Vehicle vehicle(station.url(), kCamera, "vehicle-id=car-7");
  ASSERT_TRUE(wait_until([&] { return station.count("video_0").with_capture >= 30; }, kLong));
  ASSERT_TRUE(wait_until([&] { return station.stats() != nullptr && vehicle.connected(); }, kLong));
  const PadCount count = station.count("video_0");
  EXPECT_NE(count.caps.find("stream-format=(string)byte-stream"), std::string::npos);
  EXPECT_NE(count.caps.find("alignment=(string)au"), std::string::npos);
  EXPECT_EQ(count.backwards, 0u);
  EXPECT_EQ(count.discont, 1u);
  EXPECT_GE(count.key_frames, 1u);
  // A generous bound: a time on another clock would be off by hours.
  EXPECT_LT(count.capture_age, 10 * GST_SECOND);
  EXPECT_GT(count.capture_error, 0u);
  EXPECT_LT(count.capture_error, GST_SECOND);
  const GstStructurePtr stats = station.stats();
  gboolean encrypted = FALSE;
  EXPECT_TRUE(gst_structure_get_boolean(stats.get(), "encrypted", &encrypted));
  EXPECT_TRUE(encrypted);
  EXPECT_EQ(station.text("vehicle-id"), "car-7");
  EXPECT_EQ(station.text("connection"), "connected");
  EXPECT_EQ(station.number("sessions"), 1u);
  EXPECT_GT(station.number("throughput-bps"), 1000u);
  EXPECT_GT(station.number("datachannel-bytes"), 100u);
  double error = 0;
  EXPECT_TRUE(gst_structure_get_double(stats.get(), "clock-error-ms", &error));
  EXPECT_GT(error, 0);
  const GstStructurePtr ours = vehicle.stats();
  EXPECT_TRUE(gst_structure_get_boolean(ours.get(), "encrypted", &encrypted));
  EXPECT_TRUE(encrypted);
  EXPECT_NE(vehicle.text("session-url").find(station.url() + "/whip/car-7/"), std::string::npos);
  EXPECT_FALSE(station.has_error());
}

TEST(Session, OneWayDelayOnLoopbackIsZeroWithinItsBand) {
  if (!has_element("rtpbbrcc")) GTEST_SKIP() << "no element rtpbbrcc";
  Station station;
  Vehicle vehicle(station.url());
  double delay = 0;
  double error = 0;
  const auto known = [&] {
    const GstStructurePtr stats = station.stats();
    return gst_structure_get_double(stats.get(), "owd-ms", &delay) &&
           gst_structure_get_double(stats.get(), "owd-error-ms", &error);
  };
  ASSERT_TRUE(wait_until(known, kLong));
  // The packet's true delay is its own; a busy machine may add to it, nothing can take away.
  EXPECT_GE(delay, -error);
  EXPECT_LT(delay, 1000);
  const GstStructurePtr stats = station.stats();
  EXPECT_TRUE(gst_structure_has_field_typed(stats.get(), "controller", GST_TYPE_STRUCTURE));
}

// Both ends are on this machine, so ICE's pair leaves by loopback, whatever its address and
// whatever the default route says.
TEST(Session, TheSelectedPairsInterfaceSteersTheController) {
  if (!has_element("rtpbbrcc")) GTEST_SKIP() << "no element rtpbbrcc";
  Station station;
  Vehicle vehicle(station.url());
  std::string interface;
  EXPECT_TRUE(wait_until(
      [&] {
        const GstStructurePtr stats = station.stats();
        const GValue* controller =
            stats ? gst_structure_get_value(stats.get(), "controller") : nullptr;
        if (controller == nullptr) return false;
        const char* name =
            gst_structure_get_string(gst_value_get_structure(controller), "tx-interface");
        interface = name ? name : "";
        return interface == "lo";
      },
      kLong))
      << interface;
}

TEST(Session, RadarArrives) {
  if (!has_element("radarklvenc") || !has_element("radarklvdepay")) {
    GTEST_SKIP() << "no radar elements";
  }
  Station station;
  Vehicle vehicle(station.url(),
                  std::string(kCamera) +
                      "appsrc name=radar is-live=true do-timestamp=true format=time "
                      "caps=\"application/x-farwheel-radar,version=(int)1\" ! s.radar_0");
  const GstElementPtr source = vehicle.element("radar");
  RadarSweep sweep;
  sweep.sensor = 3;
  sweep.detections.resize(200);
  const auto push = [&] {
    ++sweep.number;
    const auto bytes = write_radar_sweep(sweep);
    gst_app_src_push_buffer(GST_APP_SRC(source.get()),
                            gst_buffer_new_memdup(bytes.data(), bytes.size()));
    std::this_thread::sleep_for(std::chrono::milliseconds(70));
    return station.count("radar_0").buffers >= 10 && station.count("video_0").buffers >= 10;
  };
  EXPECT_TRUE(wait_until(push, kLong));
  EXPECT_EQ(station.pads_added(), 2);
  EXPECT_NE(station.count("radar_0").caps.find("application/x-farwheel-radar"), std::string::npos);
  EXPECT_FALSE(station.has_error());
}

TEST(Session, ReadyMadeH264AndTwoCameras) {
  Station station;
  Vehicle vehicle(station.url(),
                  "videotestsrc is-live=true ! video/x-raw,width=160,height=120,framerate=20/1 ! "
                  "x264enc tune=zerolatency key-int-max=20 ! "
                  "video/x-h264,stream-format=avc ! s.video_0 "
                  "videotestsrc is-live=true ! video/x-raw,width=160,height=120,framerate=20/1 ! "
                  "x264enc tune=zerolatency key-int-max=20 ! s.video_1");
  EXPECT_TRUE(wait_until(
      [&] {
        return station.count("video_0").buffers >= 20 && station.count("video_1").buffers >= 20;
      },
      kLong));
}

TEST(Session, FileIsPacedByTheClockAndEndsWithEos) {
  Station station;
  const auto start = std::chrono::steady_clock::now();
  Vehicle vehicle(station.url(),
                  "videotestsrc num-buffers=60 ! "
                  "video/x-raw,width=160,height=120,framerate=30/1 ! s.");
  EXPECT_EQ(vehicle.message(GST_MESSAGE_EOS, kLong), "EOS");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_GT(took.count(), 1.5) << "2 s of video were sent at once";
}

TEST(Session, KeyFrameRequestReachesTheEncoder) {
  Station station;
  Vehicle vehicle(station.url());
  ASSERT_TRUE(wait_until([&] { return station.count("video_0").buffers >= 30; }, kLong));
  const std::uint64_t before = station.count("video_0").key_frames;
  GstPadPtr pad(gst_element_get_static_pad(station.src(), "video_0"));
  ASSERT_TRUE(pad);
  GstStructure* structure = gst_structure_new("GstForceKeyUnit", "all-headers", G_TYPE_BOOLEAN,
                                              TRUE, "count", G_TYPE_UINT, 0u, nullptr);
  gst_pad_send_event(pad.get(), gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, structure));
  EXPECT_TRUE(wait_until([&] { return station.count("video_0").key_frames > before; }, kLong));
}

// Every 25th packet goes missing before anything could send it again.
TEST(Session, PictureComesBackAfterLoss) {
  Station station;
  Vehicle vehicle(station.url());
  ASSERT_TRUE(wait_until([&] { return station.count("video_0").buffers >= 10; }, kLong));
  GstPadPtr pad(gst_element_get_static_pad(vehicle.element("s").get(), "video_0"));
  GstElementPtr gate;
  GstIterator* elements = gst_bin_iterate_elements(GST_BIN(vehicle.element("s").get()));
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
    auto* element = GST_ELEMENT(g_value_get_object(&item));
    if (g_str_has_prefix(GST_OBJECT_NAME(element), "farwheelfeedgate")) gate = ref_gst(element);
    g_value_reset(&item);
  }
  gst_iterator_free(elements);
  ASSERT_TRUE(gate);
  std::atomic<int> packets{0};
  GstPadPtr src(gst_element_get_static_pad(gate.get(), "src"));
  const gulong probe = gst_pad_add_probe(
      src.get(), GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo*, gpointer data) {
        const int number = ++*static_cast<std::atomic<int>*>(data);
        return number % 25 == 0 ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
      },
      &packets, nullptr);
  ASSERT_TRUE(wait_until([&] { return packets > 150; }, kLong));
  gst_pad_remove_probe(src.get(), probe);
  const PadCount before = station.count("video_0");
  EXPECT_TRUE(
      wait_until([&] { return station.count("video_0").buffers > before.buffers + 20; }, kLong));
  EXPECT_GT(station.count("video_0").key_frames, 1u);
  EXPECT_TRUE(vehicle.connected());
}

TEST(Reconnect, VehicleComesBackToARestartedStation) {
  auto station = std::make_unique<Station>();
  const std::string address = station->address();
  Vehicle vehicle(station->url());
  ASSERT_TRUE(wait_until([&] { return station->count("video_0").buffers >= 5; }, kLong));
  station.reset();
  ASSERT_TRUE(wait_until([&] { return !vehicle.connected(); }, kLong));
  EXPECT_NE(vehicle.message(GST_MESSAGE_WARNING, kLong), "");
  station = std::make_unique<Station>(address);
  EXPECT_TRUE(wait_until([&] { return station->count("video_0").buffers >= 5; }, kLong));
  EXPECT_TRUE(vehicle.connected());
}

TEST(Reconnect, VehicleMayStartFirst) {
  std::string address;
  {
    Station station;
    address = station.address();
  }
  Vehicle vehicle("http://" + address);
  ASSERT_NE(vehicle.message(GST_MESSAGE_WARNING, kLong), "");
  Station station(address);
  EXPECT_TRUE(wait_until([&] { return station.count("video_0").buffers >= 5; }, kLong));
}

TEST(Reconnect, SamePadsGoOnWithTheNextSession) {
  Station station;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t before = station.count("video_0").buffers;
    Vehicle vehicle(station.url());
    ASSERT_TRUE(wait_until([&] { return station.count("video_0").buffers >= before + 10; }, kLong));
    EXPECT_EQ(station.number("sessions-total"), static_cast<std::uint64_t>(i + 1));
  }
  const PadCount count = station.count("video_0");
  EXPECT_EQ(station.pads_added(), 1);
  EXPECT_EQ(station.pads_removed(), 0);
  EXPECT_EQ(count.discont, 3u);
  EXPECT_GE(count.key_frames, 3u);
  EXPECT_EQ(count.backwards, 0u);
  EXPECT_TRUE(wait_until([&] { return station.number("sessions") == 0; }, kLong));
  EXPECT_EQ(station.text("connection"), "waiting");
}

TEST(Reconnect, LiveSessionIsNotDisplaced) {
  Station station;
  Vehicle first(station.url());
  ASSERT_TRUE(wait_until([&] { return station.count("video_0").buffers >= 5; }, kLong));
  Vehicle second(station.url());
  const std::string refused = second.message(GST_MESSAGE_WARNING, kLong);
  EXPECT_NE(refused.find("409"), std::string::npos) << refused;
  EXPECT_TRUE(first.connected());
  EXPECT_EQ(station.number("sessions-total"), 1u);
}

// A vehicle that is killed says no goodbye: its sources stop, and so do its replies.
TEST(Reconnect, SilentSessionIsTakenOver) {
  Station station;
  Vehicle first(station.url(),
                "videotestsrc name=camera is-live=true num-buffers=60 ! "
                "video/x-raw,width=160,height=120,framerate=30/1 ! s.");
  ASSERT_TRUE(wait_until([&] { return station.count("video_0").buffers >= 5; }, kLong));
  EXPECT_EQ(first.message(GST_MESSAGE_EOS, kLong), "EOS");
  ASSERT_TRUE(wait_until([&] { return station.text("connection") == "stale"; }, kLong));
  const std::uint64_t before = station.count("video_0").buffers;
  Vehicle second(station.url());
  EXPECT_TRUE(wait_until([&] { return station.count("video_0").buffers >= before + 10; }, kLong));
  EXPECT_EQ(station.number("sessions-total"), 2u);
}

TEST(Reconnect, TenCyclesLeaveNothingBehind) {
  Station station;
  std::uint64_t threads = 0;
  std::uint64_t descriptors = 0;
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t before = station.count("video_0").buffers;
    {
      Vehicle vehicle(station.url());
      ASSERT_TRUE(
          wait_until([&] { return station.count("video_0").buffers >= before + 3; }, kLong));
    }
    ASSERT_TRUE(wait_until([&] { return station.number("sessions") == 0; }, kLong));
    if (i == 2) {  // pools and one-time threads are there by now
      wait_until([] { return false; }, 0.5);
      threads = entries_of("/proc/self/task");
      descriptors = entries_of("/proc/self/fd");
    }
  }
  EXPECT_TRUE(wait_until([&] { return entries_of("/proc/self/task") <= threads; }, kLong))
      << entries_of("/proc/self/task") << " threads after 10, " << threads << " after 3";
  EXPECT_TRUE(wait_until([&] { return entries_of("/proc/self/fd") <= descriptors; }, kLong))
      << entries_of("/proc/self/fd") << " descriptors after 10, " << descriptors << " after 3";
}

}  // namespace
}  // namespace farwheel
