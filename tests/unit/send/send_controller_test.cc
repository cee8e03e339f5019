// The controller's rules at its own surface, packet by packet; whole runs are in media_run_test.cc.
#include "send_controller.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace farwheel {
namespace {

using Action = SendDecision::Action;
constexpr FeedId kCamera = 0;
constexpr FeedId kRadar = 1;

Timestamp ms(std::int64_t value) {
  return Timestamp::from_millis(value);
}

class SendControllerTest : public ::testing::Test {
 protected:
  SendControllerTest() : controller({}) {
    controller.add_feed(ms(0), kCamera, {.kind = FeedKind::kCamera});
    controller.add_feed(ms(0), kRadar, {.kind = FeedKind::kRadar});
  }

  void queue(std::int64_t at, FeedId feed, FrameKind kind, int packets) {
    for (int i = 0; i < packets; ++i) {
      controller.on_packet_queued(ms(at), {.token = next_token++,
                                           .feed = feed,
                                           .size = DataSize::from_bytes(1246),
                                           .kind = kind,
                                           .ends_unit = i + 1 == packets,
                                           .queued_at = ms(at)});
    }
  }
  // Sends all that may leave at that time; returns how many did.
  int send(std::int64_t at, FeedId feed) {
    int packets = 0;
    while (true) {
      last = controller.next(ms(at));
      if (last.action != Action::kSend) return packets;
      controller.on_packet_sent({next_number++, DataSize::from_bytes(1246), feed, ms(at)});
      ++packets;
    }
  }
  // Reports all that was sent so far and not reported, as arrived 25 ms after `sent`.
  void report(std::int64_t at, std::int64_t sent) {
    std::vector<ReportedPacket> packets;
    for (; next_reported < next_number; ++next_reported) {
      packets.push_back({.sequence_number = static_cast<std::uint16_t>(next_reported),
                         .remote_ns = (sent + 25) * 1000000});
    }
    controller.on_feedback(ms(at), packets);
  }
  std::string log() {
    std::string text;
    for (const ControllerEvent& event : controller.take_events()) text += to_string(event) + "\n";
    return text;
  }

  SendController controller;
  SendDecision last;
  std::uint64_t next_token = 1;
  PacketNumber next_number = 0;
  PacketNumber next_reported = 0;
};

TEST_F(SendControllerTest, IdleWithoutPackets) {
  EXPECT_EQ(controller.next(ms(0)).action, Action::kIdle);
  EXPECT_TRUE(controller.take_drops().empty());
  EXPECT_EQ(controller.snapshot(ms(0)).packets_sent, 0);
}

TEST_F(SendControllerTest, RadarPassesAFullWindowAndAnEmptyBudget) {
  queue(0, kCamera, FrameKind::kKey, 400);
  send(0, kCamera);
  ASSERT_EQ(last.action, Action::kWaitUntil);
  std::int64_t now = 0;
  // Until the window is full, with no feedback at all yet.
  for (; now < 300; ++now) send(now, kCamera);
  queue(now, kRadar, FrameKind::kSweep, 3);
  EXPECT_EQ(controller.next(ms(now)).token, 401u);
  EXPECT_EQ(controller.next(ms(now)).token, 402u);
  EXPECT_EQ(controller.next(ms(now)).token, 403u);
  EXPECT_EQ(controller.next(ms(now)).action, Action::kWaitUntil);
}

TEST_F(SendControllerTest, NeverWaitsWithoutAnEndWhileSomethingIsQueued) {
  queue(0, kCamera, FrameKind::kKey, 600);
  for (std::int64_t now = 0; now < 3000; now += 5) {
    send(now, kCamera);
    if (last.action == Action::kIdle) break;
    ASSERT_EQ(last.action, Action::kWaitUntil);
    ASSERT_GT(last.wake_at, ms(now));
    ASSERT_LE(last.wake_at, ms(now + 100));
  }
}

// Packets that no report can name are never in flight, so nothing but the pacer holds them.
TEST_F(SendControllerTest, WithoutNumbersThePaceStaysAtTheStartRate) {
  for (const std::int64_t max_kbps : {50, 8000}) {
    SCOPED_TRACE(max_kbps);
    controller = SendController({});
    controller.set_bitrate_bounds(ms(0), DataRate::from_kbps(50), DataRate::from_kbps(max_kbps));
    controller.add_feed(ms(0), kCamera,
                        {.kind = FeedKind::kCamera, .min_bitrate = DataRate::from_kbps(50)});
    queue(0, kCamera, FrameKind::kKey, 200);
    int packets = 0;
    for (std::int64_t now = 0; now <= 800; ++now) {
      if (now % 25 == 0) controller.on_tick(ms(now));
      while (controller.next(ms(now)).action == Action::kSend) ++packets;
    }
    // At one and a half times the rate, what the pacer lets go at once, and the packet in debt.
    const double paced = static_cast<double>(std::min<std::int64_t>(max_kbps, 1000)) * 1.5 * 0.8;
    EXPECT_LE(packets, paced * 1000 / 8 / 1246 + 4);
    EXPECT_GE(packets, paced * 1000 / 8 / 1246 - 2);
  }
}

TEST_F(SendControllerTest, SilenceHoldsVideoAndLetsRadarGo) {
  queue(0, kCamera, FrameKind::kKey, 2);
  for (std::int64_t now = 0; now < 40; ++now) send(now, kCamera);
  report(60, 10);
  queue(70, kCamera, FrameKind::kDelta, 2);
  for (std::int64_t now = 70; now < 100; ++now) send(now, kCamera);
  ASSERT_EQ(next_number, 4);
  // Nothing is heard of these; 25 ms ticks go on.
  for (std::int64_t now = 100; now < 300; now += 25) controller.on_tick(ms(now));
  EXPECT_NE(log().find("silence begins"), std::string::npos);
  EXPECT_TRUE(controller.snapshot(ms(300)).silent);
  EXPECT_EQ(controller.snapshot(ms(300)).limited_by, LimitedBy::kSilence);
  queue(300, kRadar, FrameKind::kSweep, 1);
  queue(300, kCamera, FrameKind::kDelta, 4);
  EXPECT_EQ(send(300, kRadar), 1);
  EXPECT_EQ(send(350, kCamera), 0);
  // The probe's report ends it, and video goes on where it was.
  report(360, 320);
  EXPECT_NE(log().find("silence ends"), std::string::npos);
  EXPECT_FALSE(controller.snapshot(ms(360)).silent);
  EXPECT_GT(send(361, kCamera), 0);
}

TEST_F(SendControllerTest, SilenceLetsAPacketThroughNowAndThen) {
  queue(0, kCamera, FrameKind::kKey, 2);
  for (std::int64_t now = 0; now < 40; ++now) send(now, kCamera);
  report(60, 10);
  int sent = 0;
  int idle_ms = 0;
  int longest_idle_ms = 0;
  for (std::int64_t now = 61; now < 5000; ++now) {
    if (now % 33 == 0) {
      const auto wanted = controller.take_key_frame_requests();
      queue(now, kCamera, wanted.empty() ? FrameKind::kDelta : FrameKind::kKey, 4);
    }
    if (now % 20 == 0) controller.on_tick(ms(now));
    const int packets = send(now, kCamera);
    sent += packets;
    idle_ms = packets > 0 ? 0 : idle_ms + 1;
    longest_idle_ms = std::max(longest_idle_ms, idle_ms);
  }
  EXPECT_TRUE(controller.snapshot(ms(5000)).silent);
  // Deltas are of no use between the drop and the next key frame, which is asked for each 500 ms.
  EXPECT_LE(longest_idle_ms, 1000);
  EXPECT_LT(sent, 60);
  EXPECT_EQ(controller.targets()[1].bitrate, DataRate::from_kbps(150));
}

TEST_F(SendControllerTest, ALongSilenceEndsWithAFreshKeyFrameOnly) {
  for (const std::int64_t key_age_ms : {100, 700}) {
    SCOPED_TRACE(key_age_ms);
    controller = SendController({});
    controller.add_feed(ms(0), kCamera, {.kind = FeedKind::kCamera});
    next_token = 1;
    next_number = next_reported = 0;
    queue(0, kCamera, FrameKind::kKey, 2);
    for (std::int64_t now = 0; now < 40; ++now) send(now, kCamera);
    report(60, 10);
    queue(100, kCamera, FrameKind::kDelta, 1);
    for (std::int64_t now = 100; now < 1000; now += 20) {
      controller.on_tick(ms(now));
      send(now, kCamera);
    }
    // 40 packets, of which the trickle takes a few.
    queue(1000 - key_age_ms + 1000, kCamera, FrameKind::kKey, 40);
    for (std::int64_t now = 2000 - key_age_ms; now < 2000; now += 20) {
      controller.on_tick(ms(now));
      send(now, kCamera);
    }
    ASSERT_TRUE(controller.snapshot(ms(2000)).silent);
    (void)controller.take_drops();
    (void)controller.take_key_frame_requests();
    report(2000, 1960);
    ASSERT_FALSE(controller.snapshot(ms(2000)).silent);
    const bool is_fresh = key_age_ms < 250;
    EXPECT_EQ(controller.take_drops().empty(), is_fresh);
    EXPECT_EQ(controller.take_key_frame_requests().empty(), is_fresh);
    EXPECT_EQ(send(2001, kCamera) > 0, is_fresh);
  }
}

TEST_F(SendControllerTest, ALossInASilenceIsTheOutages) {
  // A backlog, so that nothing is application-limited, and reports each 10 ms past start-up.
  std::int64_t now = 0;
  for (; now < 2000; ++now) {
    if (now % 100 == 0) queue(now, kCamera, now == 0 ? FrameKind::kKey : FrameKind::kDelta, 40);
    send(now, kCamera);
    if (now % 10 == 9) report(now, now - 40);
    if (now % 20 == 0) controller.on_tick(ms(now));
  }
  ASSERT_EQ(controller.snapshot(ms(now)).packets_lost, 0);
  const ControllerSnapshot before = controller.snapshot(ms(now));
  for (; now < 2130; ++now) {
    if (now % 10 == 0) queue(now, kCamera, FrameKind::kDelta, 4);
    send(now, kCamera);
    if (now % 10 == 0) controller.on_tick(ms(now));
  }
  for (; now < 2200; now += 10) controller.on_tick(ms(now));
  ASSERT_TRUE(controller.snapshot(ms(now)).silent);
  // A first report tells of losses alone, a second that the path is open again.
  std::vector<ReportedPacket> lost;
  for (; next_reported < next_number; ++next_reported) {
    lost.push_back({.sequence_number = static_cast<std::uint16_t>(next_reported), .lost = true});
  }
  ASSERT_GE(lost.size(), 4u);
  controller.on_feedback(ms(now), lost);
  queue(now + 1, kRadar, FrameKind::kSweep, 1);
  send(now + 1, kRadar);
  report(now + 51, now + 1);
  const ControllerSnapshot after = controller.snapshot(ms(now + 51));
  EXPECT_FALSE(after.silent);
  EXPECT_EQ(after.packets_lost, std::ssize(lost));
  EXPECT_FALSE(after.bw_lo);
  EXPECT_FALSE(after.inflight_lo);
  EXPECT_EQ(after.inflight_hi, before.inflight_hi);
  EXPECT_GE(after.bw, before.bw * 0.8);
}

TEST_F(SendControllerTest, ReportsOfStrangersDoNotEndASilence) {
  queue(0, kCamera, FrameKind::kKey, 2);
  for (std::int64_t now = 0; now < 40; ++now) send(now, kCamera);
  report(60, 10);
  queue(100, kCamera, FrameKind::kDelta, 1);
  send(100, kCamera);
  for (std::int64_t now = 120; now < 400; now += 20) controller.on_tick(ms(now));
  ASSERT_TRUE(controller.snapshot(ms(400)).silent);
  const std::vector<ReportedPacket> strangers{{.sequence_number = 40000, .remote_ns = 5}};
  controller.on_feedback(ms(401), strangers);
  EXPECT_TRUE(controller.snapshot(ms(401)).silent);
}

TEST_F(SendControllerTest, FlushGivesBackAllTokens) {
  queue(0, kCamera, FrameKind::kKey, 3);
  queue(0, kRadar, FrameKind::kSweep, 1);
  EXPECT_EQ(controller.next(ms(0)).token, 4u);
  EXPECT_EQ(controller.flush(ms(1)), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_TRUE(controller.take_drops().empty());
  EXPECT_EQ(controller.next(ms(1)).action, Action::kIdle);
}

TEST_F(SendControllerTest, ARemovedFeedsTokensAreDropped) {
  queue(0, kCamera, FrameKind::kKey, 2);
  controller.remove_feed(ms(1), kCamera);
  EXPECT_EQ(controller.take_drops(), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(controller.targets().size(), 1u);
}

TEST_F(SendControllerTest, AnotherPathForgetsWhatIsInFlight) {
  queue(0, kCamera, FrameKind::kKey, 2);
  for (std::int64_t now = 0; now < 40; ++now) send(now, kCamera);
  for (std::int64_t now = 40; now < 600; now += 20) controller.on_tick(ms(now));
  queue(600, kRadar, FrameKind::kSweep, 1);
  send(600, kRadar);
  ASSERT_TRUE(controller.snapshot(ms(600)).silent);
  controller.on_path_changed(ms(610));
  const ControllerSnapshot after = controller.snapshot(ms(610));
  EXPECT_FALSE(after.silent);
  EXPECT_TRUE(after.inflight.is_zero());
  EXPECT_EQ(after.packets_unknown, 3);
  report(620, 10);
  EXPECT_EQ(controller.snapshot(ms(620)).packets_delivered, 0);
}

TEST_F(SendControllerTest, TimeThatRunsBackwardsOrIsNoneIsTheLatestSeen) {
  queue(500, kCamera, FrameKind::kKey, 1);
  EXPECT_EQ(send(500, kCamera), 1);
  controller.on_tick(ms(10));
  controller.on_tick(Timestamp::infinite_future());
  controller.on_tick(Timestamp::infinite_past());
  controller.on_packet_queued(ms(3), {.token = 99, .feed = kRadar, .kind = FrameKind::kSweep});
  EXPECT_EQ(controller.next(ms(4)).token, 99u);
  report(520, 500);
  EXPECT_EQ(controller.snapshot(ms(0)).packets_delivered, 1);
}

TEST_F(SendControllerTest, ReversedBoundsAreSwapped) {
  controller.set_bitrate_bounds(ms(0), DataRate::from_kbps(900), DataRate::from_kbps(300));
  const DataRate target = controller.targets()[1].bitrate;
  EXPECT_GE(target, DataRate::from_kbps(300));
  EXPECT_LE(target, DataRate::from_kbps(900));
}

TEST_F(SendControllerTest, CountsEachFeed) {
  queue(0, kCamera, FrameKind::kKey, 1);
  send(0, kCamera);
  queue(10, kCamera, FrameKind::kDelta, 2);
  controller.on_tick(ms(400));
  const FeedSnapshot feed = controller.feed_snapshot(ms(400), kCamera);
  EXPECT_EQ(feed.packets_sent, 1);
  EXPECT_EQ(feed.units_dropped, 1);
  EXPECT_EQ(feed.key_frames_requested, 1);
  EXPECT_TRUE(feed.queued.is_zero());
  EXPECT_GT(feed.produced, DataRate::zero());
  EXPECT_EQ(controller.take_key_frame_requests(), std::vector<FeedId>{kCamera});
  EXPECT_NE(log().find("dropped feed=0 packets=2"), std::string::npos);
}

}  // namespace
}  // namespace farwheel
