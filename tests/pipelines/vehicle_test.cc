// The parts of farwheel-vehicle: the road, the recordings, the report.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "file_player.h"
#include "radar_files.h"
#include "road_scene.h"
#include "timed_source.h"
#include "vehicle_report.h"

namespace farwheel {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "farwheel-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name) << content;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::vector<std::uint8_t> road_at(const RoadScene& scene, double seconds) {
  std::vector<std::uint8_t> frame(scene.frame_size());
  scene.draw(seconds, frame);
  return frame;
}

TEST(RoadScene, IsTheSameAtTheSameTimeAndMoves) {
  const RoadScene scene(320, 180);
  EXPECT_EQ(scene.frame_size(), 320u * 180 * 3 / 2);
  EXPECT_EQ(road_at(scene, 1.5), road_at(RoadScene(320, 180), 1.5));
  const auto one = road_at(scene, 1.5);
  const auto next = road_at(scene, 1.5 + 1 / 30.0);
  int changed = 0;
  for (std::size_t i = 0; i < 320 * 180; ++i) changed += one[i] != next[i] ? 1 : 0;
  EXPECT_GT(changed, 320 * 180 / 20);
}

TEST(RoadScene, StaysInsideTheFrameAtAnySize) {
  for (const auto& [width, height] : {std::pair{160, 90}, {162, 92}, {1920, 1080}}) {
    const RoadScene scene(width, height);
    std::vector<std::uint8_t> frame(scene.frame_size() + 64, 0xA5);
    for (const double seconds : {0.0, 3.3, 5.75, 1000.0}) {
      scene.draw(seconds, std::span(frame).first(scene.frame_size()));
    }
    for (std::size_t i = scene.frame_size(); i < frame.size(); ++i) ASSERT_EQ(frame[i], 0xA5);
  }
}

TEST(RadarFiles, AreReadInTheOrderOfTheirNames) {
  const Folder folder;
  folder.write("b.pcd", "second");
  folder.write("a.pcd", "first");
  folder.write("readme.txt", "no sweep");
  EXPECT_EQ(read_radar_files(folder.path()), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(read_radar_files(folder.path() + "/b.pcd"), std::vector<std::string>{"second"});
}

TEST(RadarFiles, NamesThePathAtFault) {
  const Folder folder;
  for (const std::string& path : {folder.path(), folder.path() + "/none.pcd"}) {
    try {
      read_radar_files(path);
      FAIL() << "no error for " << path;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
}

TEST(VehicleReport, KeepsEveryFieldAndItsType) {
  const GstStructurePtr stats(gst_structure_from_string(
      "application/x-farwheelsink-stats, connection=(string)connected, encrypted=(boolean)true, "
      "sessions-total=(guint64)2, cc=(structure)[cc, rtt-ms=(double)1.5, "
      "feeds=(structure)<[feed, name=(string)video_0, units-sent=(guint64)30]>]",
      nullptr));
  ASSERT_TRUE(stats);
  const nlohmann::json json = to_json(stats.get());
  EXPECT_EQ(json["connection"], "connected");
  EXPECT_EQ(json["encrypted"], true);
  EXPECT_EQ(json["sessions_total"], 2);
  EXPECT_EQ(json["cc"]["rtt_ms"], 1.5);
  EXPECT_EQ(json["cc"]["feeds"][0]["units_sent"], 30);
  EXPECT_EQ(to_json(nullptr), nlohmann::json::object());
}

TEST(VehicleReport, ProcessStartIsBeforeNow) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto age = std::chrono::nanoseconds(now).count() - process_start_unix_ns();
  EXPECT_GE(age, 0);
  EXPECT_LT(age, 600'000'000'000);
}

// appsrc into fakesink, counting what comes out.
class LiveFeed {
 public:
  explicit LiveFeed(GstCapsPtr caps) : pipeline_(gst_pipeline_new(nullptr)) {
    gst_object_ref_sink(pipeline_.get());
    source_ = make_live_appsrc("source", std::move(caps)).release();
    GstElement* sink = gst_element_factory_make("fakesink", nullptr);
    g_object_set(sink, "sync", FALSE, nullptr);
    gst_bin_add_many(GST_BIN(pipeline_.get()), source_, sink, nullptr);
    gst_object_unref(source_);  // the bin's now
    gst_element_link(source_, sink);
    const GstPadPtr pad(gst_element_get_static_pad(sink, "sink"));
    gst_pad_add_probe(
        pad.get(), GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad*, GstPadProbeInfo* info, gpointer self) {
          auto* feed = static_cast<LiveFeed*>(self);
          const GstClockTime pts = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
          if (!GST_CLOCK_TIME_IS_VALID(pts) || pts < feed->newest_) ++feed->unordered_;
          feed->newest_ = pts;
          ++feed->buffers_;
          return GST_PAD_PROBE_OK;
        },
        this, nullptr);
    gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  }
  ~LiveFeed() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

  GstAppSrc* source() const { return GST_APP_SRC(source_); }
  int buffers() const { return buffers_; }
  int unordered() const { return unordered_; }

 private:
  GstElementPtr pipeline_;
  GstElement* source_ = nullptr;
  std::atomic<int> buffers_{0};
  std::atomic<int> unordered_{0};
  GstClockTime newest_ = 0;
};

TEST(TimedSource, FeedsAtItsRate) {
  const LiveFeed feed(GstCapsPtr(gst_caps_new_empty_simple("application/x-test")));
  TimedSource source(feed.source(), 50, [](std::uint64_t, double) {
    return GstBufferPtr(gst_buffer_new_allocate(nullptr, 8, nullptr));
  });
  source.start();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  source.stop();
  EXPECT_GT(feed.buffers(), 10);
  EXPECT_LE(feed.buffers(), 60);  // a burst after a stall would be more
  EXPECT_EQ(feed.unordered(), 0);
}

// A second of H.264 with sound beside it, as recordings have.
std::string make_video(const Folder& folder) {
  const std::string path = folder.path() + "/second.mkv";
  GError* error = nullptr;
  const GstElementPtr pipeline(gst_parse_launch(
      ("matroskamux name=mux ! filesink location=" + path +
       " videotestsrc num-buffers=25 ! video/x-raw,format=I420,width=160,height=90,framerate=25/1 "
       "! x264enc speed-preset=ultrafast ! h264parse ! mux. "
       "audiotestsrc num-buffers=43 ! audio/x-raw,format=S16LE,rate=44100,channels=1 ! mux.")
          .c_str(),
      &error));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const GstObjectPtr<GstBus> bus(gst_element_get_bus(pipeline.get()));
  const GstMessagePtr message(
      gst_bus_timed_pop_filtered(bus.get(), 20 * GST_SECOND,
                                 static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return message && GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS ? path : std::string();
}

void iterate_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    g_main_context_iteration(nullptr, FALSE);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(FilePlayer, GoesOnBeyondTheEndOfTheFile) {
  const Folder folder;
  const std::string video = make_video(folder);
  ASSERT_FALSE(video.empty());
  const LiveFeed feed(nullptr);
  std::string error;
  FilePlayer player(video, feed.source(), [&error](const std::string& what) { error = what; });
  player.start();
  iterate_for(std::chrono::milliseconds(3600));
  const int buffers = feed.buffers();
  player.stop();
  EXPECT_EQ(error, "");
  EXPECT_GT(buffers, 45);   // the file has 25 frames
  EXPECT_LE(buffers, 110);  // real time: 25 a second, not as fast as it decodes
  EXPECT_EQ(feed.unordered(), 0);
}

TEST(FilePlayer, NamesTheFileThatIsNoVideo) {
  const Folder folder;
  const std::string path = folder.write("notes.mp4", "no video at all");
  const LiveFeed feed(nullptr);
  std::string error;
  FilePlayer player(path, feed.source(), [&error](const std::string& what) { error = what; });
  player.start();
  for (int i = 0; i < 50 && error.empty(); ++i) iterate_for(std::chrono::milliseconds(100));
  EXPECT_NE(error.find(path), std::string::npos) << error;
}

}  // namespace
}  // namespace farwheel

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(&argc, &argv);
  return RUN_ALL_TESTS();
}
