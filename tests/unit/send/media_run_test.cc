// Whole runs in virtual time: cameras and radar through the controller over a link that is narrow,
// changes, falls silent, loses, or lies.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "media_flow.h"

namespace farwheel {
namespace {

Timestamp at(double seconds) {
  return Timestamp::from_seconds(seconds);
}
constexpr TimeDelta k300ms = TimeDelta::from_millis(300);

enum class Feeds { kCameraAndRadar, kCamera };

// One camera and, unless it is to be without, a 13-Hz radar.
struct Drive {
  explicit Drive(const sim::LinkConfig& link_config, const ControllerConfig& config = {},
                 const sim::FlowConfig& flow_config = {}, Feeds feeds = Feeds::kCameraAndRadar)
      : link(events, link_config), flow(events, link, flow_config, config) {
    camera = flow.add_camera({});
    if (feeds == Feeds::kCameraAndRadar) radar = flow.add_radar(13, 1200);
  }
  void until(double seconds) { events.run_until(at(seconds)); }
  double frames_ms(double share, double from, double to) {
    return sim::MediaFlow::percentile(flow.latencies(camera, at(from), at(to)), share);
  }
  double sweeps_ms(double share, double from, double to) {
    return sim::MediaFlow::percentile(flow.latencies(radar, at(from), at(to)), share);
  }
  double over_300(double from, double to) {
    return flow.share_over(camera, k300ms, at(from), at(to));
  }
  double mbps(double from, double to) const { return flow.delivered(at(from), at(to)).mbps(); }
  // Runs to `to`, looking at the camera's target each 50 ms from `from` on.
  double mean_target_mbps(double from, double to) {
    until(from);
    double sum = 0;
    int looks = 0;
    for (double now = from; now < to; now += 0.05, ++looks) {
      until(now);
      sum += flow.target(camera).mbps();
    }
    until(to);
    return sum / looks;
  }
  ControllerSnapshot snapshot() { return flow.controller().snapshot(events.now()); }
  // After that time, the first frame that can be shown; ms.
  double first_frame_ms(double after) {
    flow.judge();
    double first = 1e9;
    for (const sim::UnitFate& unit : flow.units()) {
      if (unit.feed == camera && unit.shown && *unit.shown > at(after)) {
        first = std::min(first, (*unit.shown - at(after)).ms());
      }
    }
    return first;
  }
  std::string log() {
    std::string text;
    for (const ControllerEvent& event : flow.log()) text += to_string(event) + "\n";
    return text;
  }

  sim::EventQueue events;
  sim::VirtualLink link;
  sim::MediaFlow flow;
  FeedId camera;
  FeedId radar = 0;
};

TEST(MediaRun, SettlesUnderALinkAndNothingIsLate) {
  Drive run({.rate = DataRate::from_mbps(5)});
  EXPECT_LT(run.mean_target_mbps(5, 30), 5);
  EXPECT_GT(run.mbps(5, 29), 4.2);
  EXPECT_EQ(run.over_300(0, 29), 0);
  EXPECT_LT(run.frames_ms(0.95, 5, 29), 110);
  // The path is 25 ms and a packet takes 2.
  EXPECT_LT(run.sweeps_ms(0.99, 5, 29), 27 + 50);
  EXPECT_EQ(run.snapshot().packets_lost, 0);
  EXPECT_EQ(run.snapshot().packets_unknown, 0);
  EXPECT_EQ(run.flow.tokens_lost_or_twice(), 0);
}

// A session of a stock receiver on 3 Mbit/s, 300 ms of buffer, RTT 50: the sum of the targets may
// not be more than the link carries, nor much less, at any time once it has settled; and it comes
// up at once when the link does.
TEST(MediaRun, TargetsSettleUnderALimitAndReturnWhenItIsLifted) {
  for (const bool at_markers : {true, false}) {
    for (const double jitter_ms : {0.0, 1.0}) {
      SCOPED_TRACE(std::string(at_markers ? "at markers" : "each 10 ms") + ", jitter " +
                   std::to_string(jitter_ms));
      Drive run(
          {.rate = DataRate::from_mbps(3), .buffer = DataSize::from_bytes(112500)}, {},
          {.jitter = TimeDelta::from_seconds(jitter_ms / 1e3), .report_at_markers = at_markers},
          Feeds::kCamera);
      run.until(5);
      double least = 1e9;
      double most = 0;
      for (int i = 0; i < 300; ++i) {
        run.until(5 + i * 0.1);
        const double target = run.flow.target(run.camera).mbps();
        least = std::min(least, target);
        most = std::max(most, target);
      }
      EXPECT_GE(least, 2);
      EXPECT_LE(most, 3 * 1.1);
      EXPECT_LE(run.mean_target_mbps(5, 34.5), 3);
      EXPECT_GE(run.mbps(5, 34.5), 0.85 * 3);
      EXPECT_EQ(run.over_300(5, 34.5), 0);
      run.until(35);
      run.link.set_rate(DataRate::from_mbps(9));
      run.until(38);
      EXPECT_GE(run.snapshot().target.mbps(), 7);
    }
  }
}

// Where the encoder is the limit, what the path was shown to carry holds nothing back.
TEST(MediaRun, AnEncoderOnAFastLinkRampsUpInThreeSeconds) {
  for (const bool at_markers : {true, false}) {
    for (const int jitter_ms : {0, 2, 5}) {
      for (const int harq_slot_ms : {0, 4}) {
        SCOPED_TRACE(std::string(at_markers ? "at markers" : "each 10 ms") + ", jitter " +
                     std::to_string(jitter_ms) + ", slot " + std::to_string(harq_slot_ms));
        Drive run({.rate = DataRate::from_mbps(30),
                   .buffer = DataSize::from_bytes(400000),
                   .slot = TimeDelta::from_millis(harq_slot_ms),
                   .harq = harq_slot_ms > 0 ? 0.1 : 0.0},
                  {},
                  {.jitter = TimeDelta::from_millis(jitter_ms), .report_at_markers = at_markers},
                  Feeds::kCamera);
        run.until(3);
        // Through much jitter the first estimate is low; what follows is not.
        EXPECT_GE(run.snapshot().target.mbps(), jitter_ms < 5 ? 7.5 : 1.0);
        EXPECT_GT(run.mean_target_mbps(4, 14), 7.2);
      }
    }
  }
}

TEST(MediaRun, TheFirstSecondsFindTheLink) {
  Drive run({.rate = DataRate::from_mbps(5)});
  run.until(5);
  EXPECT_GT(run.mbps(2, 4.5), 4);
  EXPECT_TRUE(run.snapshot().fbe_done);
  EXPECT_EQ(run.over_300(0, 4.5), 0);
}

TEST(MediaRun, FollowsALinkThatFallsToAFifthAndComesBack) {
  Drive run({.rate = DataRate::from_mbps(5)});
  run.until(20);
  run.link.set_rate(DataRate::from_mbps(1));
  EXPECT_LT(run.mean_target_mbps(23, 40), 1);
  run.link.set_rate(DataRate::from_mbps(5));
  run.until(60);
  // What was under way when the link fell is late whatever the sender does.
  EXPECT_LT(run.over_300(20, 23), 0.15);
  EXPECT_EQ(run.over_300(23, 60 - 1), 0);
  EXPECT_GT(run.mbps(23, 40), 0.75);
  EXPECT_LT(run.sweeps_ms(0.99, 23, 40), 35 + 60);
  EXPECT_GT(run.mbps(43, 59), 4.2);
  EXPECT_EQ(run.flow.tokens_lost_or_twice(), 0);
}

// A receiver that reports at the end of a frame only, and a first frame longer than the first
// window: without its end there is no report, without a report no end.
TEST(MediaRun, AFirstFrameLongerThanTheWindowLeavesToItsEnd) {
  for (const int cameras : {1, 3}) {
    SCOPED_TRACE(cameras);
    Drive run({.rate = DataRate::from_mbps(3)}, {}, {.report_at_markers = true}, Feeds::kCamera);
    run.flow.key_frame_factor = 12;  // 40 kB of all cameras together
    for (int more = 1; more < cameras; ++more) run.flow.add_camera({});
    run.until(3);
    // Of that, 40 kB take 107 ms on the link and 213 ms at one and a half times the start rate.
    ASSERT_TRUE(run.flow.first_report_at);
    EXPECT_LT(*run.flow.first_report_at, at(0.35));
    EXPECT_EQ(run.log().find("dropped"), std::string::npos) << run.log();
    EXPECT_EQ(run.over_300(0, 2.5), 0);
  }
}

// The same on a link slower than the start rate: what stands there is bounded.
TEST(MediaRun, AFirstFrameDoesNotFloodASlowLink) {
  Drive run({.rate = DataRate::from_kbps(500), .buffer = DataSize::from_bytes(200000)}, {},
            {.report_at_markers = true}, Feeds::kCamera);
  run.flow.key_frame_factor = 15;  // 50 kB: 0.8 s on the link
  DataSize most = DataSize::zero();
  DataSize most_later = DataSize::zero();
  for (double now = 0; now < 8; now += 0.005) {
    run.until(now);
    if (now > 0.1) run.flow.key_frame_factor = 3;
    most = std::max(most, run.link.queued());
    if (now > 4) most_later = std::max(most_later, run.link.queued());
  }
  EXPECT_LE(most, DataSize::from_bytes(64000));
  EXPECT_LT(most_later, DataSize::from_bytes(12000));  // 190 ms
  EXPECT_LT(run.over_300(4, 7), 0.02);
  EXPECT_GT(run.mbps(4, 8), 0.3);
}

TEST(MediaRun, EveryAlgorithmKeepsMediaGoing) {
  for (const Algorithm algorithm : {Algorithm::kBbr2, Algorithm::kAdaptiveBbr2Paper}) {
    for (const StartupKind startup : {StartupKind::kFbe, StartupKind::kClassic}) {
      SCOPED_TRACE(std::string(to_string(algorithm)) + " " + std::string(to_string(startup)));
      ControllerConfig config;
      config.algorithm = algorithm;
      config.startup = startup;
      Drive run({.rate = DataRate::from_mbps(3), .loss = 0.001}, config);
      run.until(30);
      EXPECT_GT(run.mbps(5, 29), 0.4);
      EXPECT_LT(run.over_300(1, 29), 0.02);
      EXPECT_EQ(run.flow.tokens_lost_or_twice(), 0);
    }
  }
}

TEST(MediaRun, TheEncoderIsTheLimitOnAWideLink) {
  ControllerConfig config;
  config.max_bitrate = DataRate::from_mbps(2);
  Drive run({.rate = DataRate::from_mbps(20)}, config);
  run.until(20);
  EXPECT_EQ(run.snapshot().limited_by, LimitedBy::kEncoder);
  EXPECT_NEAR(run.snapshot().target.mbps(), 2, 0.01);
  EXPECT_GT(run.mbps(5, 19), 1.8);
  EXPECT_EQ(run.over_300(0, 19), 0);
}

TEST(MediaRun, SilenceHoldsVideoAndEndsWithAFreshKeyFrame) {
  Drive run({.rate = DataRate::from_mbps(5)});
  run.until(20);
  run.link.silence_until(at(24));
  run.until(20.3);
  const std::int64_t sent_at_hold = run.flow.video_packets_sent();
  run.until(24);
  EXPECT_EQ(run.snapshot().limited_by, LimitedBy::kSilence);
  EXPECT_EQ(run.snapshot().target, run.flow.target(run.camera) + run.flow.target(run.radar));
  EXPECT_LT(run.flow.video_packets_sent() - sent_at_hold, 40);
  run.until(40);
  const std::string log = run.log();
  EXPECT_NE(log.find("silence begins"), std::string::npos);
  EXPECT_NE(log.find("silence ends"), std::string::npos);
  EXPECT_FALSE(run.snapshot().silent);
  EXPECT_LT(run.first_frame_ms(24), 500);
  EXPECT_GT(run.mbps(27, 39), 3.5);
  EXPECT_EQ(run.over_300(26, 39), 0);
  EXPECT_EQ(run.flow.tokens_lost_or_twice(), 0);
}

TEST(MediaRun, ACameraAloneComesBackFromAnOutageToo) {
  sim::EventQueue events;
  sim::VirtualLink link(events, {.rate = DataRate::from_mbps(5)});
  sim::MediaFlow flow(events, link, {}, {});
  const FeedId camera = flow.add_camera({});
  events.run_until(at(10));
  link.silence_until(at(30));
  events.run_until(at(40));
  EXPECT_FALSE(flow.controller().snapshot(at(40)).silent);
  EXPECT_GT(flow.latencies(camera, at(32), at(39.5)).size(), 200u);
}

TEST(MediaRun, WithoutAnyFeedbackMediaGoesOnAtTheStartBitrate) {
  Drive run({.rate = DataRate::from_mbps(5)});
  run.flow.mute_feedback(at(0), at(1e6));
  run.until(60);
  EXPECT_EQ(run.snapshot().limited_by, LimitedBy::kSilence);
  EXPECT_TRUE(run.snapshot().silent);
  EXPECT_NEAR(run.mbps(2, 59), 0.95, 0.1);
  EXPECT_LT(run.over_300(0, 59), 0.01);
  EXPECT_EQ(run.flow.tokens_lost_or_twice(), 0);
}

TEST(MediaRun, WhenFeedbackBreaksForGoodMediaGoesOnAtTheMinimum) {
  Drive run({.rate = DataRate::from_mbps(5)});
  run.flow.mute_feedback(at(10), at(40));
  run.until(39.9);
  for (double second = 11; second < 39; ++second) {
    EXPECT_GT(run.mbps(second, second + 1), 0.05) << second;
  }
  EXPECT_LT(run.over_300(18, 39), 0.05);
  run.until(60);
  EXPECT_FALSE(run.snapshot().silent);
  EXPECT_GT(run.mbps(48, 59), 3);
}

TEST(MediaRun, SeldomReportsDoNotStopTheFlow) {
  sim::FlowConfig flow;
  flow.report_interval = TimeDelta::from_millis(300);
  Drive run({.rate = DataRate::from_mbps(5)}, {}, flow);
  run.until(30);
  EXPECT_GT(run.mbps(10, 29), 2);
  EXPECT_LT(run.over_300(10, 29), 0.05);
}

TEST(MediaRun, RandomLossIsMendedByRetransmission) {
  Drive run({.rate = DataRate::from_mbps(5), .loss = 0.01});
  run.until(30);
  EXPECT_GT(run.mbps(5, 29), 2);
  EXPECT_LT(run.over_300(3, 29), 0.03);
  EXPECT_EQ(run.flow.tokens_lost_or_twice(), 0);
}

TEST(MediaRun, TwoCamerasShareByWeight) {
  sim::EventQueue events;
  sim::VirtualLink link(events, {.rate = DataRate::from_mbps(5)});
  sim::MediaFlow flow(events, link, {}, {});
  const FeedId front = flow.add_camera({.weight = 3});
  const FeedId rear = flow.add_camera({.weight = 1});
  flow.add_radar(13, 1200);
  events.run_until(at(30));
  const double spare_front = flow.target(front).mbps() - 0.15;
  const double spare_rear = flow.target(rear).mbps() - 0.15;
  EXPECT_NEAR(spare_front / spare_rear, 3, 0.8);
  EXPECT_EQ(flow.share_over(front, k300ms, at(2), at(29)), 0);
  EXPECT_EQ(flow.share_over(rear, k300ms, at(2), at(29)), 0);
}

TEST(MediaRun, NumbersAndTheReceiversClockWrapUnnoticed) {
  sim::FlowConfig flow;
  // The receiver's clock wraps 40 s into the run, the numbers after some 80 s.
  flow.clock_offset = ReceiverClock::kPeriod - TimeDelta::from_seconds(40);
  Drive run({.rate = DataRate::from_mbps(10)}, {}, flow);
  run.until(120);
  EXPECT_GT(run.snapshot().packets_sent, 70000);
  EXPECT_EQ(run.snapshot().packets_unknown, 0);
  const FeedbackCounters& counters = run.flow.controller().feedback_counters();
  EXPECT_EQ(counters.unknown_sequence, 0);
  EXPECT_EQ(counters.bad_times, 0);
  EXPECT_EQ(run.over_300(1, 119), 0);
  EXPECT_LT(run.frames_ms(1, 38, 42), 200);
}

TEST(MediaRun, TheSameRunGivesTheSameEventsAndNumbers) {
  const auto traced = [] {
    Drive run({.rate = DataRate::from_mbps(3), .loss = 0.02});
    std::string trace;
    for (double second = 1; second <= 15; ++second) {
      run.until(second);
      if (second == 8) run.link.silence_until(at(9));
      const ControllerSnapshot s = run.snapshot();
      trace += std::to_string(s.target.bps()) + " " + std::to_string(s.inflight.bytes()) + " " +
               std::to_string(s.packets_sent) + " " + std::to_string(s.packets_lost) + "\n";
    }
    return trace + run.log();
  };
  const std::string first = traced();
  EXPECT_EQ(first, traced());
  EXPECT_GT(first.size(), 300u);
}

TEST(MediaRun, HostileReportsNeitherStopNorPoisonTheFlow) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Drive run({.rate = DataRate::from_mbps(5)});
    auto random = std::make_shared<sim::Random>(seed);
    run.flow.tamper = [random, &run](std::vector<ReportedPacket>& report) {
      if (run.events.now() < at(5) || run.events.now() > at(20)) return;
      const double kind = random->uniform();
      const auto any = [&](double below) {
        return static_cast<std::int64_t>(random->uniform() * below);
      };
      if (kind < 0.2) {
        for (ReportedPacket& p : report) p.sequence_number = static_cast<std::uint16_t>(any(65536));
      } else if (kind < 0.4) {
        for (ReportedPacket& p : report)
          p.remote_ns = static_cast<std::int64_t>((random->uniform() - 0.5) * 1.8e19);
      } else if (kind < 0.5) {
        for (int i = 0; i < 1000; ++i) {
          report.push_back({.sequence_number = static_cast<std::uint16_t>(any(65536)),
                            .lost = any(2) == 0,
                            .remote_ns = any(1e15)});
        }
      } else if (kind < 0.6) {
        std::reverse(report.begin(), report.end());
      } else if (kind < 0.7) {
        report.clear();
      }
    };
    for (double now = 0.5; now <= 40; now += 0.5) {
      run.until(now);
      const ControllerSnapshot s = run.snapshot();
      ASSERT_GE(s.inflight, DataSize::zero());
      ASSERT_TRUE(s.target.is_finite());
      ASSERT_GE(s.target, DataRate::from_kbps(150));
      ASSERT_LE(s.target, DataRate::from_mbps(8.2));
      ASSERT_GT(s.pacing_rate, DataRate::zero());
      ASSERT_GE(s.loss, 0);
      ASSERT_GE(s.packets_lost, 0);
      ASSERT_GE(s.packets_unknown, 0);
      const std::int64_t fates = s.packets_delivered + s.packets_lost + s.packets_unknown;
      ASSERT_LE(fates, s.packets_sent);
      ASSERT_EQ(fates == s.packets_sent, s.inflight.is_zero());
      ASSERT_LE(s.loss, 1);
    }
    EXPECT_EQ(run.flow.tokens_lost_or_twice(), 0);
    EXPECT_GT(run.mbps(6, 20), 0.2);
    EXPECT_GT(run.mbps(30, 39), 2.5);
    EXPECT_LT(run.over_300(32, 39), 0.02);
  }
}

TEST(MediaRun, APlannedChangeKeepsThePicture) {
  for (const double rtt_ms : {30, 50, 120}) {
    Drive run({.rate = DataRate::from_mbps(5)});
    run.until(10);
    run.link.set_flow_rtt(run.flow.index(), TimeDelta::from_seconds(rtt_ms / 1e3));
    run.flow.controller().on_path_changed(run.events.now());
    run.until(10.2);
    EXPECT_GT(run.flow.target(run.camera), DataRate::from_mbps(1.5)) << rtt_ms;
    run.until(20);
    EXPECT_EQ(run.over_300(9, 19.5), 0) << rtt_ms;
    EXPECT_GT(run.mbps(12, 19.5), 4) << rtt_ms;
    EXPECT_EQ(run.flow.tokens_lost_or_twice(), 0);
  }
}

TEST(MediaRun, AnotherPathStartsAfresh) {
  Drive run({.rate = DataRate::from_mbps(5)});
  run.until(10);
  run.link.silence_until(at(11));
  run.until(11);
  run.link.set_rate(DataRate::from_mbps(2));
  run.link.set_flow_rtt(run.flow.index(), TimeDelta::from_millis(120));
  run.flow.controller().on_path_changed(run.events.now());
  run.until(30);
  ASSERT_TRUE(run.snapshot().min_rtt);
  EXPECT_NEAR(run.snapshot().min_rtt->ms(), 125, 12);
  EXPECT_LT(run.flow.target(run.camera), DataRate::from_mbps(2));
  EXPECT_GT(run.mbps(20, 29), 1.2);
  EXPECT_EQ(run.flow.tokens_lost_or_twice(), 0);
}

}  // namespace
}  // namespace farwheel
