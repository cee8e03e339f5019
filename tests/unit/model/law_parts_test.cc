// The parts of adaptive-bbr2's law, each alone: drift, pairs, noise, base, target, episodes,
// CUBIC's window and its trials, policers.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "adaptive/arrival_rate.h"
#include "adaptive/base_delay.h"
#include "adaptive/clock_drift.h"
#include "adaptive/competition.h"
#include "adaptive/delay_episode.h"
#include "adaptive/delay_noise.h"
#include "adaptive/floor_probe.h"
#include "adaptive/give_way_test.h"
#include "adaptive/packet_pairs.h"
#include "adaptive/policer_watch.h"
#include "adaptive/share_target.h"
#include "path/random.h"

namespace farwheel {
namespace {

constexpr double kMbit = 125000;

TEST(ClockDrift, TakesSkewOutAndLeavesQueues) {
  for (const double ppm : {-100.0, 0.0, 100.0}) {
    ClockDrift drift;
    Random random(3);
    double at_20 = 0;
    double at_60 = 0;
    double queued = 0;
    for (double now = 0; now < 60; now += 0.01) {
      const double queue = now > 40 && now < 45 ? 0.05 : random.uniform() * 0.003;
      const double one_way = 500 + 0.03 + queue + now * ppm * 1e-6;
      const double delay = drift.correct(now, one_way, 0.06 + queue);
      if (now < 20) at_20 = delay - queue;
      if (now < 44) queued = delay;
      at_60 = delay - queue;
    }
    EXPECT_NEAR(at_60, at_20, 0.0005) << ppm;
    EXPECT_NEAR(queued - at_20, 0.05, 0.0005) << ppm;
    EXPECT_NEAR(drift.skew(), ppm * 1e-6, 5e-6);
  }
}

TEST(PacketPairs, KnowTheBottleneckThroughForeignPacketsAndRounding) {
  PacketPairs pairs;
  Random random(5);
  EXPECT_FALSE(pairs.packet_time(0));
  std::int64_t number = 0;
  for (double now = 1; now < 11; now += 0.5, number += 7) {
    // Two of three pairs have a foreign packet between them.
    const double gap = (random.uniform() < 0.33 ? 2 : 1) * 0.00197;
    const auto stamp = [](double t) { return std::round(t * 4000) / 4000; };
    pairs.on_packet({number, now, stamp(now + 0.03), 1230}, 1230);
    pairs.on_packet({number + 1, now + 0.0001, stamp(now + 0.03 + gap), 1230}, 1230);
    // Neither a loss between them nor a pause makes a pair.
    pairs.on_packet({number + 3, now + 0.0001, stamp(now + 0.031), 1230}, 1230);
    pairs.on_packet({number + 4, now + 0.0100, stamp(now + 0.0311), 1230}, 1230);
  }
  ASSERT_TRUE(pairs.packet_time(11));
  EXPECT_NEAR(*pairs.packet_time(11), 0.00197, 0.0003);
  EXPECT_TRUE(pairs.sharp());
  EXPECT_FALSE(pairs.packet_time(60));
  EXPECT_FALSE(pairs.sharp());
}

TEST(PacketPairs, AreNotSharpWhereGrantsSpreadThem) {
  PacketPairs pairs;
  for (int i = 0; i < 20; ++i) {
    const double now = 1 + 0.5 * i;
    pairs.on_packet({2 * i, now, now + 0.03, 1230}, 1230);
    pairs.on_packet({2 * i + 1, now + 0.0001, now + (i % 4 == 0 ? 0.03 : 0.0325), 1230}, 1230);
  }
  ASSERT_TRUE(pairs.packet_time(11));
  EXPECT_FALSE(pairs.sharp());
}

TEST(DelayNoise, IsTheSameWhateverTheRateOfPackets) {
  for (const double interval : {0.0005, 0.002, 0.008}) {
    DelayNoise noise;
    Random random(9);
    for (double now = 0; now < 60; now += interval) {
      noise.on_packet(now, 7 + random.uniform() * 0.006, true);
    }
    EXPECT_NEAR(noise.value(), 0.003, 0.0006) << interval;
  }
}

TEST(ArrivalRate, IsThatOfTheWindow) {
  ArrivalRate arrivals;
  EXPECT_EQ(arrivals.over(1), 0);
  for (double now = 0; now < 1; now += 0.002) arrivals.on_packet(now, 1000);
  for (double now = 1; now < 2; now += 0.004) arrivals.on_packet(now, 1000);
  EXPECT_NEAR(arrivals.over(0.5), 250000, 2500);
  EXPECT_NEAR(arrivals.over(1.5), (0.5 * 500000 + 250000) / 1.5, 4000);
}

TEST(BaseDelay, ForgetsButNotInAnEpisode) {
  BaseDelay base;
  for (double now = 0; now < 10; now += 0.1) base.on_packet(now, 0.030, false);
  for (double now = 10; now < 60; now += 0.1) base.on_packet(now, 0.060, true);
  EXPECT_NEAR(base.value(), 0.030, 1e-9);
  for (double now = 60; now < 85; now += 0.1) base.on_packet(now, 0.060, false);
  EXPECT_NEAR(base.value(), 0.060, 1e-9);
}

TEST(BaseDelay, TakesAFloorOfNoiseFromLowValuesAlone) {
  BaseDelay base;
  base.on_packet(0, 0.030, false);
  for (int i = 0; i < 100; ++i) base.on_least(0.031 + 0.0001 * (i % 50), 0.2);
  EXPECT_NEAR(base.bias(0.010), 0.0020, 1e-6);
  EXPECT_NEAR(base.bias(0.0005), 0.0005, 1e-9);
  EXPECT_EQ(base.bias(0), 0);
}

TEST(BaseDelay, CreepsWhereTheDelayStandsStill) {
  BaseDelay base;
  base.on_packet(0, 0.030, false);
  for (int i = 0; i < 29; ++i) base.on_least(0.036 + 0.0001 * (i % 3), 0.1);
  EXPECT_FALSE(base.creep(3, 0.0006, 0.003));
  base.on_least(0.036, 0.1);
  EXPECT_FALSE(base.creep(3, 0.0006, 0.008));
  EXPECT_FALSE(base.creep(3, 0.0001, 0.003));
  EXPECT_TRUE(base.creep(3, 0.0006, 0.003));
  EXPECT_NEAR(base.value(), 0.036, 1e-9);
}

SharePoint point_at(double mbps, double rtt = 0.05) {
  SharePoint point;
  point.rate = mbps * kMbit;
  point.mss = 1230;
  point.packet_time = 0.00197;
  point.highest = 5 * kMbit;
  point.rtt = rtt;
  point.window = share_window(point.rate, point.mss, 0);
  return point;
}

TEST(ShareTarget, HasItsFixedPointAtOneQueueForAllRoundTrips) {
  for (const double rtt : {0.01, 0.2}) {
    SharePoint point = point_at(2.5, rtt);
    const double target = share_target(point);
    EXPECT_GT(share_change(point, target), 0);
    EXPECT_GT(share_pacing(point, target), 1);
    point.queue = target;
    EXPECT_NEAR(share_change(point, target), 0, 1e-9);
    EXPECT_NEAR(share_pacing(point, target), 1, 1e-9);
    point.queue = 0.5;
    EXPECT_LT(share_change(point, target), 0);
    EXPECT_GE(share_pacing(point, target), 0.3);
  }
  EXPECT_EQ(share_target(point_at(2.5, 0.01)), share_target(point_at(2.5, 0.2)));
  // The faster flow wants the shorter queue: that is what makes shares equal.
  EXPECT_LT(share_target(point_at(4)), share_target(point_at(1)));
  EXPECT_LE(share_target(point_at(0.01)), 0.021);
}

TEST(ShareTarget, NoiseRaisesItOnlyWhereTheRestOfTheLinkWouldWin) {
  for (double mbps = 0.5; mbps < 4.9; mbps += 0.1) {
    SharePoint point = point_at(mbps);
    const double clean = share_target(point);
    point.free_noise = 0.010;
    const double raised = share_target(point);
    EXPECT_GE(raised, clean);
    if (mbps < 2.4) {
      EXPECT_EQ(raised, clean);
    }
    // Whoever has the rest holds a longer queue, so this flow gives way.
    if (mbps > 2.6) {
      EXPECT_LT(raised, share_target(point_at(4.99 - mbps))) << mbps;
    }
  }
  SharePoint most = point_at(4.5);
  const double clean = share_target(most);
  most.free_noise = 0.001;
  EXPECT_GT(share_target(most) - clean, 0.002);
}

TEST(ShareTarget, OthersPacketsExplainNoiseAndOursDoNot) {
  EXPECT_NEAR(own_noise(1), 0.2, 1e-9);
  EXPECT_GT(own_noise(0.5), 0.5);
  EXPECT_EQ(own_noise(0.1), own_noise(0.4));
}

FloorProbe::Step probe_step(double now, double least_over) {
  return {now, 3 * kMbit, 5 * kMbit, 0.05, 0.05, least_over, least_over, 0.002, 0.001, true, true};
}

TEST(FloorProbe, EndsAsSoonAsAQueueShowsAndRemembersAFreePath) {
  for (const bool busy : {true, false}) {
    FloorProbe probe;
    double now = 0;
    for (; probe.phase() == FloorProbe::Phase::kIdle && now < 10; now += 0.025) {
      (void)probe.on_step(probe_step(now, 0.003));
    }
    ASSERT_EQ(probe.phase(), FloorProbe::Phase::kFaster);
    const double gain = probe.gain() - 1;
    const double began = now;
    bool free = false;
    for (; probe.phase() == FloorProbe::Phase::kFaster && now < 10; now += 0.025) {
      const double queue = busy ? gain * 0.6 * std::max(0.0, now - began - 0.1) : 0;
      free = probe.on_step(probe_step(now, 0.003 + queue));
    }
    EXPECT_EQ(free, !busy);
    EXPECT_EQ(probe.alone(now), !busy);
    if (busy) {
      EXPECT_LT(now - began, 0.35);
    }
  }
}

// A peer's queue of 200 ms goes with the peer and some of it stays for a moment: a look at once
// would find less than was usual, and take what is left for noise.
TEST(FloorProbe, APeersQueueThatGoesIsNoFloor) {
  FloorProbe probe;
  double now = 0;
  for (; now < 3; now += 0.025) {
    FloorProbe::Step step = probe_step(now, 0.2);
    step.calm = false;
    (void)probe.on_step(step);
  }
  probe.forget(now);
  const double left = now;
  for (; now < left + 3.9; now += 0.025) {
    (void)probe.on_step(probe_step(now, 0.03));
    ASSERT_EQ(probe.phase(), FloorProbe::Phase::kIdle) << now - left;
    ASSERT_EQ(probe.floor(now), 0);
  }
  for (; probe.phase() == FloorProbe::Phase::kIdle && now < left + 5; now += 0.025) {
    (void)probe.on_step(probe_step(now, 0.03));
  }
  EXPECT_EQ(probe.phase(), FloorProbe::Phase::kFaster) << "looks again afterwards";
}

// What stands before a flow with a third of 5 Mbit/s: its share of a queue of all, which drains by
// what it sends less, or others' packets in the ring.
TEST(GiveWayTest, TellsAQueueOfOthersFromASharedOne) {
  for (const bool is_private : {true, false}) {
    GiveWayTest test;
    double queue = 0.004;
    double given = 0;
    for (double now = 0; now < 30; now += 0.025) {
      const double drains = (1 - test.gain()) / 3 * 0.025;
      given += drains;
      if (!is_private)
        queue = std::max(0.0, drains > 0 ? queue - drains : std::min(0.004, queue + 0.0005));
      test.on_step({.now = now,
                    .passed = 0.025,
                    .share = 1.0 / 3,
                    .packet_time = 0.002,
                    .rtt = 0.05,
                    .base = 1,
                    .least_over = queue,
                    .newest_over = queue,
                    .target = 0.0025,
                    .new_packets = true,
                    .calm = true});
    }
    EXPECT_GT(given, 0.05);  // a test at least
    EXPECT_EQ(test.is_private(), is_private);
    EXPECT_NEAR(test.floor(30, 1), is_private ? 0.004 : 0, 0.0005);
    EXPECT_EQ(test.floor(30, 0.97), 0);  // a route 30 ms shorter
    EXPECT_EQ(test.floor(1000, 1), 0);
  }
}

DelayEpisode::Step episode_step(double now, double queue, double least) {
  return {now, queue, 0.010, least, 0.1, 2, 0.002, true, 1000, 0.5};
}

TEST(DelayEpisode, TellsALongerRouteFromAQueue) {
  DelayEpisode flat;
  DelayEpisode moving;
  auto flat_verdict = DelayEpisode::Verdict::kNone;
  auto moving_verdict = DelayEpisode::Verdict::kNone;
  for (double now = 0; now < 4; now += 0.025) {
    if (flat_verdict == DelayEpisode::Verdict::kNone) {
      flat_verdict = flat.on_step(episode_step(now, 0.030, 0.060));
    }
    if (moving_verdict == DelayEpisode::Verdict::kNone) {
      moving_verdict = moving.on_step(episode_step(now, 0.03 + 0.01 * now, 0.06 + 0.01 * now));
    }
    if (now < 1.9) {
      EXPECT_EQ(flat_verdict, DelayEpisode::Verdict::kNone);
    }
  }
  EXPECT_EQ(flat_verdict, DelayEpisode::Verdict::kRoute);
  EXPECT_NEAR(flat.route_delay(), 0.060, 1e-9);
  EXPECT_EQ(moving_verdict, DelayEpisode::Verdict::kCompetition);
}

TEST(DelayEpisode, AQueueThatFallsIsNobodyElses) {
  DelayEpisode episode;
  for (double now = 0; now < 8; now += 0.025) {
    const double queue = 0.3 * std::exp(-now / 2);
    EXPECT_EQ(episode.on_step(episode_step(now, queue, queue)), DelayEpisode::Verdict::kNone);
  }
  EXPECT_FALSE(episode.active());
}

TEST(CubicWindow, GrowsBackToWhereItLostAndCutsByItsFactor) {
  CubicWindow window;
  window.start(100);
  window.on_loss(2, 0.7);
  EXPECT_NEAR(window.packets(), 70, 1e-9);
  // There after K = cbrt((100 - cut) / 0.4) seconds.
  const double back = std::cbrt(30 / 0.4);
  for (double now = 0; now < back; now += 0.05) {
    window.on_delivered({0.05, window.packets() / 2, 0.1, 1, 1});
  }
  EXPECT_NEAR(window.packets(), 100, 4);
  // A curve whose clock stands still does not grow, and what is given back stays given.
  const double held = window.packets();
  for (int i = 0; i < 40; ++i) window.on_delivered({0.05, held / 2, 0.1, 0, 0});
  EXPECT_EQ(window.packets(), held);
  window.yield(0.1);
  window.on_delivered({0.05, held / 2, 0.1, 0, 0});
  EXPECT_NEAR(window.packets(), 0.9 * held, 1e-9);
  for (int i = 0; i < 50; ++i) window.on_loss(2, 0.85);
  EXPECT_EQ(window.packets(), 2);
}

Competition::Step compete_step(double now, double queue) {
  return {now, 1230, 0.1, 0.05, queue, 0.005, 2.5 * kMbit, 5 * kMbit, 0.025 * 2.5 * kMbit};
}

TEST(Competition, FindsByGivingWayThatTheQueueWasOurs) {
  Competition ours;
  Competition theirs;
  ours.enter(0, 2.5 * kMbit, compete_step(0, 0.05));
  theirs.enter(0, 2.5 * kMbit, compete_step(0, 0.05));
  double queue = 0.05;
  double ended = 0;
  for (double now = 0.025; now < 6; now += 0.025) {
    queue = std::max(0.0, queue + (ours.pacing() - 2.5 * kMbit) / (2.5 * kMbit) * 0.025);
    if (ours.on_step(compete_step(now, queue)) == Competition::Outcome::kWasOurs && ended == 0) {
      ended = now;
      break;
    }
    EXPECT_EQ(theirs.on_step(compete_step(now, 0.05)), Competition::Outcome::kStays);
  }
  EXPECT_GT(ended, 1);
  EXPECT_LT(ended, 3);
  EXPECT_TRUE(theirs.active());
  EXPECT_GT(theirs.window(), 0);
}

// Window in packets after so many seconds at that share of the link, a queue standing.
double window_after(double share, double seconds) {
  Competition competition;
  Competition::Step step = compete_step(0, 0.05);
  step.rate = share * step.capacity;
  step.delivered = 0.025 * step.rate;
  competition.enter(0, step.rate, step);
  const double before = competition.window();
  for (step.now = 0.025; step.now < seconds; step.now += 0.025) (void)competition.on_step(step);
  return competition.window() / before;
}

TEST(Competition, GrowsBelowItsHalfAndYieldsAboveIt) {
  EXPECT_GT(window_after(0.3, 8), 1.1 * window_after(0.5, 8));
  EXPECT_GT(window_after(0.5, 8), 1.05);
  EXPECT_LT(window_after(0.8, 8), 0.75);
}

TEST(Competition, CutsMoreWhereItHasTheMost) {
  for (const auto& [share, kept] : {std::pair{0.4, 0.85}, std::pair{0.8, 0.70}}) {
    SCOPED_TRACE(share);
    Competition competition;
    Competition::Step step = compete_step(0, 0.05);
    step.rate = share * step.capacity;
    step.delivered = 0;
    competition.enter(0, step.rate, step);
    const double before = competition.window();
    competition.on_loss(step);
    step.now = 0.001;
    (void)competition.on_step(step);
    EXPECT_NEAR(competition.window() / before, kept, 0.01);
  }
}

// A cut of the other's own empties a short queue for a while; losses say that it is still there.
TEST(Competition, DoesNotTakeAMomentsEmptinessForTheEndWhileThereIsLoss) {
  Competition competition;
  competition.enter(0, 2.5 * kMbit, compete_step(0, 0.05));
  for (double now = 0.025; now < 3; now += 0.025) {
    if (now > 1.4 && now < 1.43) competition.on_loss(compete_step(now, 0.05));
    const bool empty = now > 1.5;
    Competition::Step step = compete_step(now, empty ? 0 : 0.05);
    // No trial is at its end meanwhile.
    step.empty = empty ? 0 : 0.005;
    EXPECT_EQ(competition.on_step(step), Competition::Outcome::kStays) << now;
  }
}

TEST(DelayEpisode, CountsWhatShouldHaveDrainedForUs) {
  DelayEpisode episode;
  DelayEpisode::Step step = episode_step(0, 0.05, 0.05);
  step.share = 0.5;
  (void)episode.on_step(step);
  EXPECT_EQ(episode.given(), 0);
  step.share = 0.3;
  for (step.now = 0.025; step.now < 1.01; step.now += 0.025) (void)episode.on_step(step);
  EXPECT_NEAR(episode.given(), 0.2, 0.01);
  episode.end();
  EXPECT_EQ(episode.given(), 0);
}

TEST(PolicerWatch, HoldsUnderARateThatLosesTwice) {
  PolicerWatch watch;
  EXPECT_TRUE(std::isinf(watch.bound(0)));
  EXPECT_EQ(watch.on_loss({1, 100, 0.05, 0.05, false}), PolicerWatch::Cut::kOnce);
  EXPECT_EQ(watch.on_loss({5, 105, 0.05, 0.05, false}), PolicerWatch::Cut::kBound);
  EXPECT_NEAR(watch.bound(6), 0.95 * 105, 1e-9);
  EXPECT_TRUE(std::isinf(watch.bound(36)));
  EXPECT_TRUE(watch.suspected(60));
  EXPECT_EQ(watch.on_loss({60, 100, 0.05, 0.05, false}), PolicerWatch::Cut::kBound);
  EXPECT_FALSE(std::isinf(watch.bound(110)));
}

// While start-up's losses go on, what was delivered says little about the policer's rate.
TEST(PolicerWatch, AYoungBoundIsShortAndTheOldOneIsNearedGently) {
  PolicerWatch watch;
  (void)watch.on_loss({0.1, 60, 0.5, 0.05, true});
  EXPECT_EQ(watch.on_loss({0.3, 61, 0.5, 0.05, true}), PolicerWatch::Cut::kBound);
  EXPECT_NEAR(watch.bound(1), 0.95 * 61, 1e-9);
  EXPECT_TRUE(std::isinf(watch.bound(5)));
  EXPECT_FALSE(watch.near(5, 60));
  EXPECT_EQ(watch.on_loss({10, 100, 0.01, 0.05, false}), PolicerWatch::Cut::kBound);
  EXPECT_FALSE(std::isinf(watch.bound(39)));
  EXPECT_TRUE(std::isinf(watch.bound(41)));
  EXPECT_TRUE(watch.near(41, 100));
  EXPECT_FALSE(watch.near(41, 130));
}

TEST(PolicerWatch, LetsNoiseGoThatNoBoundMends) {
  PolicerWatch watch;
  (void)watch.on_loss({1, 100, 0.01, 0.05, false});
  (void)watch.on_loss({1.5, 100, 0.01, 0.05, false});
  ASSERT_FALSE(std::isinf(watch.bound(2)));
  for (double now = 4; now < 8; ++now) (void)watch.on_loss({now, 95, 0.01, 0.05, false});
  EXPECT_TRUE(std::isinf(watch.bound(8)));
  EXPECT_EQ(watch.on_loss({9, 95, 0.01, 0.05, false}), PolicerWatch::Cut::kNone);
}

}  // namespace
}  // namespace farwheel
