// From logs to units: what was captured, what of it was complete when, and what is nobody's.
#include "run_units.h"

#include <gtest/gtest.h>

#include <string>

namespace farwheel::link {
namespace {

// The monotonic clock shows 1,000,000,000 when it is 1970 plus 1000 s; the link begins a second
// later.
constexpr char kVehicle[] =
    "clock 1000000000 1000000000000\n"
    "captured 1900000000 video_0 1000900000000\n"  // before there was a session
    "captured 2000000000 video_0 1001000000000\n"
    "captured 2033000000 video_0 1001033000000\n"
    "captured 2066000000 video_0 1001066000000\n"  // never sent
    "captured 9000000000 video_0 1008000000000\n"  // after the end
    "sent 2005000000 video_0 1001000002000 7 65535 3 3000 key\n"
    "sent 2038000000 video_0 1001033001000 7 2 1 500 delta\n"
    "sent 2039000000 video_0 1001033001000 7 3 1 500 delta\n"  // had said it was whole
    "captured 2010000000 radar_0 1001010000000\n"
    "sent 2011000000 radar_0 1001010000000 9 100 1 300 key\n"
    "key-asked 2500000000 video_0\n"
    "key-asked 9500000000 video_0\n";
constexpr char kStation[] =
    "clock 1 2\n"
    "packet 2050000000 7 65535 0 1001000002000 1000\n"
    "packet 2051000000 7 0 0 0 1000\n"              // not each bears it
    "packet 2052000000 7 0 0 0 1000\n"              // twice
    "packet 2052500000 7 9 0 0 1000\n"              // of no unit
    "packet 2090000000 7 1 1 1001000002000 1000\n"  // a retransmission
    "packet 2095000000 8 1 1 1001000002000 1000\n"  // nobody's
    "packet 2060000000 9 100 1 1001010000001 300\n"
    "received 2095000000 video_0 1001000002000\n";
constexpr char kLink[] =
    "there 2006000000 2049000000 1010 96 7 65535\n"
    "begin 2000000000\n"
    "there 2006000000 2050000000 1010 96 7 0\n"
    "there 2007000000 -1 1010 96 7 1\n"
    "there 2039000000 -1 510 96 7 2\n"
    "there 2012000000 2059000000 310 98 9 100\n"
    "there 2060000000 2089000000 1012 97 8 55\n"
    "late 1000 2000 3000\n";

RunLogs read_all() {
  RunLogs logs;
  read_vehicle_log(kVehicle, logs);
  read_station_log(kStation, logs);
  read_link_log(kLink, logs);
  return logs;
}

TEST(RunLogs, ReadsAllLines) {
  const RunLogs logs = read_all();
  EXPECT_EQ(logs.bad_lines, 0);
  EXPECT_EQ(logs.unix_offset_ns, 999'000'000'000);
  EXPECT_EQ(logs.began_ns, 2'000'000'000);
  EXPECT_EQ(logs.feeds.at("video_0").captured.size(), 5u);
  EXPECT_EQ(logs.packets.size(), 7u);
  EXPECT_EQ(logs.received.size(), 1u);
  EXPECT_EQ(logs.late_max_ns, 3000);
}

TEST(RunLogs, CountsLinesThatMakeNoSense) {
  RunLogs logs;
  for (const std::string text :
       {"nonsense 1 2\n", "captured 1 video_0 x\n", "captured 1 video_0\n",
        "captured 1 video_0 -5\n", "sent 1 video_0 5 70000000000 1 1 1 key",
        "sent 1 video_0 5 7 65536 1 1 key\n"}) {
    const std::int64_t before = logs.bad_lines;
    read_vehicle_log(text, logs);
    EXPECT_EQ(logs.bad_lines, before + 1) << text;
  }
  read_station_log("packet 1 2 3\n", logs);
  read_link_log("there 1\n", logs);
  EXPECT_EQ(logs.bad_lines, 8);
  EXPECT_TRUE(logs.packets.empty());
  EXPECT_TRUE(logs.link.empty());
}

TEST(RunUnits, JoinsWhatTheThreeWrote) {
  const RunUnits run = join_logs(read_all(), 5);
  ASSERT_EQ(run.vehicle.feeds.size(), 2u);
  const lab::media::FeedLog& camera = run.vehicle.feeds[0];
  EXPECT_EQ(camera.name, "video_0");
  EXPECT_EQ(camera.kind, FeedKind::kCamera);
  ASSERT_EQ(camera.units.size(), 3u);
  EXPECT_NEAR(camera.units[0].captured.ms(), 0, 1e-6);
  EXPECT_TRUE(camera.units[0].is_key);
  EXPECT_NEAR(camera.units[0].complete.ms(), 90, 1e-6);
  EXPECT_FALSE(camera.units[1].complete.is_finite());
  EXPECT_EQ(camera.units[1].missing, 1);
  EXPECT_FALSE(camera.units[2].complete.is_finite());
  EXPECT_EQ(camera.delivered_bytes, 3030);
  EXPECT_EQ(camera.key_frames_requested, 1);
  EXPECT_EQ(camera.key_frames_sent, 1);
  const lab::media::FeedLog& radar = run.vehicle.feeds[1];
  EXPECT_EQ(radar.kind, FeedKind::kRadar);
  ASSERT_EQ(radar.units.size(), 1u);
  EXPECT_NEAR((radar.units[0].complete - radar.units[0].captured).ms(), 50, 1e-6);
  EXPECT_NEAR(run.loss, 2.0 / 6, 1e-9);
  ASSERT_EQ(run.vehicle.arrivals.size(), 4u);
  EXPECT_NEAR(run.vehicle.arrivals[0].owd.ms(), 43, 1e-6);
  // The retransmission's own time on the link.
  EXPECT_NEAR(run.vehicle.arrivals[2].owd.ms(), 29, 1e-6);
  EXPECT_EQ(run.arrivals_unmatched, 0);
  EXPECT_EQ(run.units_split, 1);
}

TEST(LongestGaps, CountTheSilenceAtTheEnd) {
  RunLogs logs;
  logs.feeds["video_0"];
  logs.feeds["radar_0"];
  logs.began_ns = 1'000'000'000;
  const auto out = [&logs](std::int64_t ms) {
    logs.received.push_back({.feed = "video_0", .at_ns = logs.began_ns + ms * 1'000'000});
  };
  out(100);
  out(400);
  out(1000);
  EXPECT_NEAR(longest_gaps(logs, 1.2).at("video_0"), 600, 1e-6);
  EXPECT_NEAR(longest_gaps(logs, 5).at("video_0"), 4000, 1e-6);
  EXPECT_NEAR(longest_gaps(logs, 5).at("radar_0"), 5000, 1e-6);
  out(6000);  // after the end
  EXPECT_NEAR(longest_gaps(logs, 5).at("video_0"), 4000, 1e-6);
}

TEST(RunUnits, MakesNothingOfNothing) {
  const RunUnits run = join_logs(RunLogs{}, 5);
  EXPECT_TRUE(run.vehicle.feeds.empty());
  EXPECT_EQ(run.loss, 0);
}

}  // namespace
}  // namespace farwheel::link
