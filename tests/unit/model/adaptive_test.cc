// adaptive-bbr2 over the virtual link where the application is the limit: media.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "adaptive/standing_queue.h"
#include "path/random.h"
#include "sim/experiment.h"

namespace farwheel {
namespace {

using sim::Experiment;
using sim::link_of;
using sim::ModelFlow;

TEST(StandingQueue, IsBlindToBurstsAndSeesWhatStands) {
  StandingQueue queue(TimeDelta::from_millis(10000));
  const auto arrive = [&queue](double sent_ms, double owd_ms) {
    queue.on_packet({Timestamp::from_seconds(sent_ms / 1e3),
                     Timestamp::from_seconds((sent_ms + owd_ms) / 1e3 + 77),
                     DataSize::from_bytes(1000), false});
  };
  for (int i = 0; i < 100; ++i) arrive(10 * i, i % 5 == 0 ? 20 : 35);
  EXPECT_EQ(queue.over(TimeDelta::from_millis(100)).queue, TimeDelta::zero());
  for (int i = 100; i < 130; ++i) arrive(10 * i, 45);
  EXPECT_NEAR(queue.over(TimeDelta::from_millis(100)).queue.ms(), 25, 1e-3);
  EXPECT_NEAR(queue.over(TimeDelta::from_millis(100)).rate.kbps(), 800, 1);
}

// What a walk over every arrival says, whatever came in which order.
TEST(StandingQueue, IsTheSameByBlocksAsByPackets) {
  struct Arrival {
    std::int64_t at_us;
    std::int64_t owd_us;
    std::int64_t bytes;
  };
  StandingQueue queue(TimeDelta::from_millis(10000));
  Random random(7);
  std::vector<Arrival> all;
  std::int64_t least = 1 << 30;
  const auto within = [&random](std::int64_t most) {
    return static_cast<std::int64_t>(random.uniform() * static_cast<double>(most));
  };
  for (std::int64_t i = 0; i < 3000; ++i) {
    // Up to three places of reordering; delays stay short of what counts as a gap in service.
    const Arrival a{i * 1000 - within(3000) + 5000, 20000 + within(15000), 200 + within(1000)};
    all.push_back(a);
    least = std::min(least, a.owd_us);
    queue.on_packet({Timestamp::from_micros(a.at_us - a.owd_us), Timestamp::from_micros(a.at_us),
                     DataSize::from_bytes(a.bytes), false});
    const std::int64_t length = 10000 + within(700000);
    int packets = 0;
    std::int64_t bytes = 0;
    std::int64_t shortest = 1 << 30;
    for (auto it = all.rbegin(); it != all.rend() && packets < 512; ++it) {
      if (it->at_us < a.at_us - length) break;
      ++packets;
      bytes += it->bytes;
      shortest = std::min(shortest, it->owd_us);
    }
    const StandingQueue::Window window = queue.over(TimeDelta::from_micros(length));
    ASSERT_EQ(window.packets, packets) << i;
    ASSERT_EQ(window.queue, TimeDelta::from_micros(shortest - least)) << i;
    const Arrival& first = all[all.size() - static_cast<std::size_t>(packets)];
    ASSERT_EQ(window.span, TimeDelta::from_micros(a.at_us - first.at_us)) << i;
    if (window.span > TimeDelta::zero()) {
      ASSERT_EQ(window.rate, DataSize::from_bytes(bytes - first.bytes) / window.span) << i;
    }
  }
}

// ---- media

double late_share(const std::vector<double>& ages, double limit_ms) {
  double late = 0;
  for (double age : ages) late += age > limit_ms ? 1 : 0;
  return ages.empty() ? 1 : late / static_cast<double>(ages.size());
}

// An encoder that starts at 1 Mbit/s is at its maximum within a few seconds.
TEST(AdaptiveMedia, RampsToTheEncodersMaximumOnAFastLink) {
  for (double mbps : {12.0, 20.0, 100.0, 1000.0}) {
    Experiment run(link_of(mbps, 200));
    ModelFlow& flow = run.add(TimeDelta::from_millis(40), Algorithm::kAdaptiveBbr2);
    flow.start_camera(Timestamp::from_nanos(0), sim::CameraConfig{});
    run.run_to(3);
    EXPECT_GT(flow.encoder_rate().mbps(), 7.5) << mbps;
    EXPECT_EQ(run.link.counters(0).packets_dropped, 0) << mbps;
    EXPECT_EQ(flow.snapshot().limited_by, LimitedBy::kEncoder);
  }
}

// A 3-Mbit/s bottleneck with 300 ms of tail drop: between 2 and 3 Mbit/s but for moments, no queue,
// no loss; and
// back to the maximum when the limit is lifted.
TEST(AdaptiveMedia, SettlesUnderABottleneckAndComesBack) {
  Experiment run(link_of(3, 300));
  ModelFlow& flow = run.add(TimeDelta::from_millis(50), Algorithm::kAdaptiveBbr2);
  flow.start_camera(Timestamp::from_nanos(0), sim::CameraConfig{});
  run.run_to(5);
  run.link.clear_counters();
  for (double t = 5.5; t <= 20; t += 0.5) {
    run.run_to(t);
    EXPECT_GT(flow.encoder_rate().mbps(), 2.0) << t;
    EXPECT_LT(flow.encoder_rate().mbps(), 3.0 * 1.03) << t;
  }
  EXPECT_LT(run.mean_owd_ms(0), 25 + 3.3 + 10);
  EXPECT_EQ(run.link.counters(0).packets_dropped, 0);
  run.link.set_rate(DataRate::from_mbps(20));
  run.run_to(24);
  EXPECT_GT(flow.encoder_rate().mbps(), 7.0);
}

// 5 -> 1 Mbit/s: media_rate() is down within two round trips of the delay's rise at the receiver,
// the frames are in time again within two seconds (nothing is dropped here), and the rate is back
// within 3 s of the link's.
TEST(AdaptiveMedia, FollowsAStepDownWithinTwoRoundTripsAndUpAgain) {
  Experiment run(link_of(5, 2000));
  ModelFlow& flow = run.add(TimeDelta::from_millis(50), Algorithm::kAdaptiveBbr2);
  flow.start_camera(Timestamp::from_nanos(0), sim::CameraConfig{});
  run.run_to(10);
  run.link.set_rate(DataRate::from_mbps(1));
  double down_at = 0;
  for (double t = 10.01; t < 11 && down_at == 0; t += 0.01) {
    run.run_to(t);
    if (flow.sender().media_rate().mbps() < 1.1) down_at = t;
  }
  // 25 ms to show at the receiver and back, then two round trips of 50 ms, and a report.
  EXPECT_LT(down_at, 10 + 0.05 + 0.1 + 0.035);
  run.run_to(12);
  flow.clear_frames();
  run.run_to(20);
  EXPECT_LT(late_share(flow.frame_ages(), 300), 0.02);
  EXPECT_GT(flow.encoder_rate().mbps(), 0.7);
  run.link.set_rate(DataRate::from_mbps(5));
  run.run_to(23);
  EXPECT_GT(flow.encoder_rate().mbps(), 4.2);
}

TEST(AdaptiveMedia, ALongerRouteIsNotAQueueForEver) {
  Experiment run(link_of(5, 300));
  ModelFlow& flow = run.add(TimeDelta::from_millis(40), Algorithm::kAdaptiveBbr2);
  flow.start_camera(Timestamp::from_nanos(0), sim::CameraConfig{});
  run.run_to(10);
  run.link.set_flow_rtt(0, TimeDelta::from_millis(100));
  run.run_to(22);
  EXPECT_GT(flow.encoder_rate().mbps(), 4.0);
}

TEST(AdaptiveMedia, ClockSkewTripsNothing) {
  for (double ppm : {-100.0, 100.0}) {
    Experiment run(link_of(5, 300));
    sim::FlowConfig flow_config;
    flow_config.skew_ppm = ppm;
    ModelFlow& flow = run.add(flow_config, ControllerConfig{});
    flow.start_camera(Timestamp::from_nanos(0), sim::CameraConfig{});
    run.run_to(60);
    EXPECT_GT(run.mbps(0, 60), 4.3) << ppm;
  }
}

// Silence: growth stands still, nothing counts as lost, the rate before it is back at once.
TEST(AdaptiveMedia, SilenceIsNoLossAndNoGrowth) {
  Experiment run(link_of(5, 300));
  ModelFlow& flow = run.add(TimeDelta::from_millis(50), Algorithm::kAdaptiveBbr2);
  flow.start_camera(Timestamp::from_nanos(0), sim::CameraConfig{});
  run.run_to(10);
  const double before = flow.snapshot().bw.mbps();
  run.link.silence_until(Timestamp::from_seconds(12));
  run.run_to(11.9);
  EXPECT_TRUE(flow.snapshot().silent);
  EXPECT_EQ(flow.snapshot().limited_by, LimitedBy::kSilence);
  EXPECT_LE(flow.snapshot().bw.mbps(), before * 1.01);
  EXPECT_LE(flow.sender().media_rate().mbps(), 0.16);  // the least rate, after a while
  run.run_to(12.5);
  EXPECT_FALSE(flow.snapshot().silent);
  EXPECT_GT(flow.snapshot().bw.mbps(), before * 0.5);
  EXPECT_FALSE(flow.snapshot().bw_lo);
  run.run_to(14);
  EXPECT_GT(flow.encoder_rate().mbps(), before * 0.8);
  int silences = 0;
  for (const ControllerEvent& event : flow.events()) {
    if (const auto* change = std::get_if<SilenceChanged>(&event.what)) silences += change->silent;
  }
  EXPECT_EQ(silences, 1);
}

TEST(AdaptiveMedia, ADriverQueueCapsTheEncoders) {
  Experiment run(link_of(5, 300));
  ModelFlow& flow = run.add(TimeDelta::from_millis(50), Algorithm::kAdaptiveBbr2);
  flow.start_camera(Timestamp::from_nanos(0), sim::CameraConfig{});
  run.run_to(5);
  const DataRate before = flow.sender().media_rate();
  const DataSize window = flow.sender().cwnd();
  const DataSize backlog = flow.sender().pacing_rate() * TimeDelta::from_millis(50);
  for (int i = 1; i <= 3; ++i) {
    flow.sender().on_driver_queue(run.events.now() + TimeDelta::from_millis(10 * i), {backlog});
  }
  EXPECT_LT(flow.sender().media_rate().mbps(), before.mbps() * 0.6);
  EXPECT_LT(flow.sender().cwnd(), window);
  EXPECT_EQ(flow.snapshot().limited_by, LimitedBy::kDriverQueue);
}

TEST(AdaptiveMedia, OnePercentOfRandomLossDoesNotStarve) {
  sim::LinkConfig link = link_of(5, 300);
  link.loss = 0.01;
  Experiment run(link);
  run.add(sim::FlowConfig{}, ControllerConfig{})
      .start_camera(Timestamp::from_nanos(0), sim::CameraConfig{});
  run.run_to(30);
  EXPECT_GT(run.mbps(0, 30), 3.5);
}

// The baselines carry a camera as well, worse as they may: the paper's raw threshold takes each
// frame's own wait for a queue and falls to the least window.
TEST(BaselineMedia, ReachesAUsableRate) {
  for (Algorithm algorithm : {Algorithm::kBbr2, Algorithm::kAdaptiveBbr2Paper}) {
    for (StartupKind startup : {StartupKind::kClassic, StartupKind::kFbe}) {
      Experiment run(link_of(3, 300));
      ModelFlow& flow = run.add(TimeDelta::from_millis(50), algorithm, startup);
      flow.start_camera(Timestamp::from_nanos(0), sim::CameraConfig{});
      run.run_to(10);
      run.link.clear_counters();
      run.run_to(20);
      const double least = algorithm == Algorithm::kBbr2 ? 1.5 : 0.3;
      EXPECT_GT(run.mbps(0, 10), least) << to_string(algorithm) << " " << to_string(startup);
    }
  }
}

}  // namespace
}  // namespace farwheel
