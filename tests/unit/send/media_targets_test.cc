#include "media/media_targets.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "media/feed_ledger.h"
#include "media/windowed_sum.h"

namespace farwheel {
namespace {

DataRate kbps(std::int64_t value) {
  return DataRate::from_kbps(value);
}

struct Case {
  const char* name;
  std::int64_t path_kbps;
  std::int64_t radar_kbps;
  std::vector<CameraDemand> cameras;
  std::vector<std::int64_t> target_kbps;  // of the cameras
};

CameraDemand camera(double weight, std::int64_t min, std::int64_t max, std::int64_t backlog = 0) {
  return {1, weight, kbps(min), kbps(max), DataSize::from_bytes(backlog)};
}

TEST(MediaTargets, TableOfSplits) {
  const std::vector<Case> cases = {
      {"one camera takes it all", 4000, 0, {camera(1, 150, 8000)}, {4000}},
      {"radar comes first", 4000, 130, {camera(1, 150, 8000)}, {3870}},
      {"up to the maximum", 9000, 130, {camera(1, 150, 2000)}, {2000}},
      {"never below the minimum", 200, 130, {camera(1, 150, 2000)}, {150}},
      {"minima before weights", 1000, 0, {camera(1, 600, 8000), camera(3, 200, 8000)}, {650, 350}},
      {"by weight", 4000, 0, {camera(1, 0, 8000), camera(3, 0, 8000)}, {1000, 3000}},
      {"what one leaves the others get",
       6000,
       0,
       {camera(1, 0, 500), camera(1, 0, 8000), camera(2, 0, 2000)},
       {500, 3500, 2000}},
      {"all at their maxima", 50000, 0, {camera(1, 0, 500), camera(5, 0, 600)}, {500, 600}},
      {"all at their minima", 100, 0, {camera(1, 150, 500), camera(5, 250, 600)}, {150, 250}},
      // 21250 bytes are 1000 kbit/s over 170 ms.
      {"own backlog is worked off",
       4000,
       0,
       {camera(1, 150, 8000, 21250), camera(1, 150, 8000)},
       {1000, 2000}},
      {"but never below the minimum", 400, 0, {camera(1, 150, 8000, 100000)}, {150}},
      {"no camera", 4000, 130, {}, {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const std::vector<RadarDemand> radars{{0, kbps(c.radar_kbps)}};
    std::vector<FeedTarget> targets;
    split_budget({.path = kbps(c.path_kbps), .min = kbps(0), .max = kbps(100000)}, radars,
                 c.cameras, targets);
    ASSERT_EQ(targets.size(), c.cameras.size() + 1);
    EXPECT_EQ(targets[0].bitrate, kbps(c.radar_kbps));
    for (std::size_t i = 0; i < c.cameras.size(); ++i) {
      EXPECT_NEAR(targets[i + 1].bitrate.kbps(), static_cast<double>(c.target_kbps[i]), 0.01);
    }
  }
}

TEST(MediaTargets, BoundsHoldForTheSumAndOverheadIsTheEncodersLoss) {
  const std::vector<RadarDemand> radars{{0, kbps(200)}};
  const std::vector<CameraDemand> cameras{camera(1, 100, 8000)};
  std::vector<FeedTarget> targets;
  const auto target_at = [&](std::int64_t path) {
    split_budget({.path = kbps(path), .min = kbps(500), .max = kbps(3000), .payload_share = 0.9},
                 radars, cameras, targets);
    return targets[1].bitrate;
  };
  EXPECT_EQ(target_at(10000), kbps(2800));
  EXPECT_EQ(target_at(100), kbps(300));
  EXPECT_EQ(target_at(2200), kbps(1800));
}

TEST(MediaTargets, QueueInTheNetworkIsWorkedOffByAll) {
  const std::vector<CameraDemand> cameras{camera(1, 100, 8000), camera(3, 100, 8000)};
  std::vector<FeedTarget> targets;
  split_budget({.path = kbps(4100),
                .min = kbps(0),
                .max = kbps(8000),
                .network_queue = DataSize::from_bytes(21250)},
               {}, cameras, targets);
  EXPECT_NEAR(targets[0].bitrate.kbps(), 1075 - 250, 0.1);
  EXPECT_NEAR(targets[1].bitrate.kbps(), 3025 - 750, 0.1);
}

TEST(MediaTargets, SmallPacketsBearLessPayload) {
  EXPECT_GT(payload_share(DataSize::from_bytes(1246)), 0.94);
  EXPECT_LT(payload_share(DataSize::from_bytes(400)), 0.85);
  EXPECT_EQ(payload_share(DataSize::from_bytes(1)), 0.5);
  EXPECT_EQ(payload_share(DataSize::zero()), 1);
}

TEST(WindowedSum, ForgetsAfterItsWindow) {
  WindowedSum sum(TimeDelta::from_seconds(1));
  sum.add(Timestamp::from_millis(0), 5);
  sum.add(Timestamp::from_millis(500), 7);
  EXPECT_EQ(sum.sum(Timestamp::from_millis(900)), 12);
  EXPECT_EQ(sum.sum(Timestamp::from_millis(1010)), 7);
  EXPECT_EQ(sum.sum(Timestamp::from_millis(1600)), 0);
  EXPECT_EQ(sum.sum(Timestamp::from_seconds(1e6)), 0);
  sum.add(Timestamp::from_seconds(1e6), 3);
  EXPECT_EQ(sum.sum(Timestamp::from_seconds(1e6)), 3);
  EXPECT_EQ(sum.covered(Timestamp::from_seconds(1e6 + 0.03)), TimeDelta::from_millis(980));
}

TEST(FeedLedger, RadarIsReservedAsMeasured) {
  FeedLedger ledger;
  FeedQueues queues;
  ledger.set_feed(0, {.kind = FeedKind::kRadar});
  ledger.set_feed(1, {.kind = FeedKind::kCamera});
  Timestamp now = Timestamp::from_millis(0);
  for (int i = 0; i < 60; ++i, now += TimeDelta::from_millis(50)) {
    ledger.on_queued(now,
                     {.feed = 0, .size = DataSize::from_bytes(1250), .kind = FrameKind::kSweep});
  }
  std::vector<FeedTarget> targets;
  ledger.targets(now, {.path = kbps(2000), .min = kbps(0), .max = kbps(8000)}, queues, targets);
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_NEAR(targets[0].bitrate.kbps(), 200, 6);
  // What is left, less the overhead of full packets.
  EXPECT_NEAR(targets[1].bitrate.kbps(), 1800 * 0.945, 10);
}

TEST(FeedLedger, SaysWhenTheCamerasAreTheLimit) {
  FeedLedger ledger;
  FeedQueues queues;
  ledger.set_feed(1, {.kind = FeedKind::kCamera, .max_bitrate = kbps(4000)});
  const auto limited = [&](std::int64_t target, std::int64_t produced_bytes_a_second) {
    FeedLedger copy = ledger;
    Timestamp now = Timestamp::from_seconds(10);
    for (int i = 0; i < 20; ++i, now += TimeDelta::from_millis(50)) {
      copy.on_queued(now, {.feed = 1, .size = DataSize::from_bytes(produced_bytes_a_second / 20)});
    }
    const std::vector<FeedTarget> targets{{1, kbps(target)}};
    return copy.cameras_are_the_limit(now, targets, kbps(8000));
  };
  EXPECT_FALSE(limited(2000, 250000));
  EXPECT_TRUE(limited(2000, 150000));
  EXPECT_TRUE(limited(4000, 500000));
}

}  // namespace
}  // namespace farwheel
