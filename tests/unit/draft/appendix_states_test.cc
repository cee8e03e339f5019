// draft-ietf-ccwg-bbr-06, Appendix A "BBR Example Test Cases": those on the states. The draft
// describes BBRv3; where BBRv2 differs on purpose, the test says what holds here instead.
#include <gtest/gtest.h>

#include "draft/draft_path.h"

namespace farwheel {
namespace {

double seconds_from(const DraftPath& path) {
  return path.now().seconds();
}

// A.1
TEST(DraftAppendix, StartupEndsOnABandwidthPlateau) {
  DraftPath path({});
  ASSERT_TRUE(path.run_into(BbrState::kDrain, 3));
  EXPECT_NEAR(path.snapshot().max_bw.mbps(), 10, 0.2);
  EXPECT_FALSE(path.snapshot().inflight_hi);  // no loss ended it
}

// A.2
TEST(DraftAppendix, StartupEndsOnLossWhenApplicationLimited) {
  DraftPath path({});
  path.offered = DataRate::from_mbps(4);
  path.run_to(1);
  ASSERT_EQ(path.state(), BbrState::kStartup);
  path.loss = 0.15;
  ASSERT_TRUE(path.run_into(BbrState::kDrain, 3));
  EXPECT_TRUE(path.snapshot().app_limited);
}

// A.3
TEST(DraftAppendix, DrainEndsWhenInflightIsABdp) {
  DraftPath path({});
  ASSERT_TRUE(path.run_into(BbrState::kDrain, 3));
  EXPECT_NEAR(path.sender.pacing_rate() / path.snapshot().bw, 0.5 * 0.99, 1e-6);
  EXPECT_GT(path.inflight(), path.bdp());
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwDown, 4));
  EXPECT_LE(path.inflight(), path.bdp() * 1.1);
}

// A.4: three rounds, then out, though more than a BDP is in flight.
TEST(DraftAppendix, DrainEndsAfterThreeRounds) {
  DraftPath path({.buffer_ms = 1000});
  ASSERT_TRUE(path.run_into(BbrState::kDrain, 3));
  const Timestamp entered = path.now();
  path.rate = path.rate * 0.4;
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwDown, 6));
  EXPECT_GT(path.inflight(), path.snapshot().max_bw * *path.snapshot().min_rtt);
  EXPECT_LT((path.now() - entered).ms(), 5 * path.snapshot().smoothed_rtt->ms());
}

// quiche2019 has no such limit, on purpose.
TEST(DraftAppendix, DrainOfQuiche2019LastsAsLongAsItTakes) {
  DraftPath path({.params = "quiche2019", .buffer_ms = 1000});
  ASSERT_TRUE(path.run_into(BbrState::kDrain, 3));
  path.rate = path.rate * 0.4;
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwDown, 20));
  EXPECT_LE(path.inflight(), path.snapshot().max_bw * *path.snapshot().min_rtt);
}

// A.5: BBRv2 sees the plateau as a queue: more than 1.25 BDP in flight (draft-02 4.3.3.4).
TEST(DraftAppendix, UpEndsOnAPlateau) {
  DraftPath path({});
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwUp, 8));
  const Timestamp entered = path.now();
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwDown, 9));
  EXPECT_GE((path.now() - entered).ms(), 40);
  EXPECT_LT((path.now() - entered).ms(), 300);
  EXPECT_GT(path.inflight(), path.bdp() * 1.15);
}

// A.6: to DOWN at once. BBRv2 leaves inflight_hi alone when the samples are application-limited
// (draft-02 4.5.6.2); BBRv3 lowers it.
TEST(DraftAppendix, UpEndsOnLossWhenApplicationLimited) {
  DraftPath path({.params = "app_limited_up_rounds=0"});
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwRefill, 8));
  path.offered = DataRate::from_mbps(5);
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwUp, 9));
  path.run_to(seconds_from(path) + 0.5);
  ASSERT_EQ(path.state(), BbrState::kProbeBwUp);
  path.loss = 0.2;
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwDown, 12));
  EXPECT_FALSE(path.snapshot().inflight_hi);
}

// A.7: to the letter with app_limited_up_rounds=0. The set "draft" leaves UP after three rounds:
// an encoder would stay there for ever, and its next key frame would leave as a burst.
TEST(DraftAppendix, StartupAndUpLastWhileApplicationLimited) {
  DraftPath startup({});
  startup.offered = DataRate::from_mbps(2);
  startup.run_to(15);
  EXPECT_EQ(startup.state(), BbrState::kStartup);

  DraftPath up({.params = "app_limited_up_rounds=0,probe_rtt_interval_ms=60000"});
  ASSERT_TRUE(up.run_into(BbrState::kProbeBwRefill, 8));
  up.offered = DataRate::from_mbps(5);
  ASSERT_TRUE(up.run_into(BbrState::kProbeBwUp, 9));
  up.run_to(seconds_from(up) + 15);
  EXPECT_EQ(up.state(), BbrState::kProbeBwUp);

  DraftPath bounded({});
  ASSERT_TRUE(bounded.run_into(BbrState::kProbeBwRefill, 8));
  bounded.offered = DataRate::from_mbps(5);
  ASSERT_TRUE(bounded.run_into(BbrState::kProbeBwUp, 9));
  const Timestamp entered = bounded.now();
  ASSERT_TRUE(bounded.run_into(BbrState::kProbeBwDown, 10));
  EXPECT_LT((bounded.now() - entered).ms(), 4.5 * 45);
}

// A.8
TEST(DraftAppendix, DownEndsOnInflight) {
  DraftPath path({});
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwUp, 8));
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwDown, 9));
  EXPECT_NEAR(path.sender.pacing_rate() / path.snapshot().bw, 0.9 * 0.99, 1e-6);
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwCruise, 11));
  EXPECT_LE(path.inflight(),
            path.snapshot().max_bw * *path.snapshot().min_rtt + DraftPath::kPacket * 2.0);
}

// A.9: never drained, DOWN goes to REFILL when it is time to probe, past CRUISE.
TEST(DraftAppendix, DownEndsAfterTheProbeWait) {
  DraftPath path({.params = "probe_rtt_interval_ms=60000", .buffer_ms = 2000});
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwUp, 8));
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwDown, 9));
  const Timestamp entered = path.now();
  path.rate = path.rate * 0.8;
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwRefill, 13));
  EXPECT_LE((path.now() - entered).seconds(), 3.2);
  const std::vector<ControllerEvent>& log = path.log();
  const auto& change = std::get<StateChanged>(log.back().what);
  EXPECT_EQ(change.from, BbrState::kProbeBwDown);
}

// A.10: a longer path hides min_rtt.
TEST(DraftAppendix, ProbeRttComesAndGoes) {
  DraftPath path({});
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwCruise, 8));
  path.half_rtt = path.half_rtt + TimeDelta::from_millis(10);
  ASSERT_TRUE(path.run_into(BbrState::kProbeRtt, seconds_from(path) + 6));
  const Timestamp entered = path.now();
  path.run_to(seconds_from(path) + 0.15);
  EXPECT_LE(path.inflight(),
            path.snapshot().bw * *path.snapshot().min_rtt * 0.5 + DraftPath::kPacket * 1.0);
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwCruise, seconds_from(path) + 1));
  EXPECT_GE((path.now() - entered).ms(), 200);
  path.mark();
  path.run_to(seconds_from(path) + 1);
  EXPECT_GT(path.delivered_mbps_since_mark(), 8.5);
}

// A.11
TEST(DraftAppendix, ProbeRttIsSkippedAfterIdleness) {
  DraftPath path({});
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwCruise, 8));
  path.half_rtt = path.half_rtt + TimeDelta::from_millis(10);  // min_rtt is not seen again
  path.offered = DataRate::zero();
  path.run_to(seconds_from(path) + 6);
  EXPECT_TRUE(path.inflight().is_zero());
  path.offered = DataRate::infinite();
  EXPECT_FALSE(path.run_into(BbrState::kProbeRtt, seconds_from(path) + 2));
}

// A.20
TEST(DraftAppendix, ProbeRttDuringStartupGoesBackToStartup) {
  DraftPath path({});
  path.offered = DataRate::from_mbps(2);  // never fills the pipe
  path.run_to(1);
  path.half_rtt = path.half_rtt + TimeDelta::from_millis(10);
  ASSERT_TRUE(path.run_into(BbrState::kProbeRtt, 8));
  ASSERT_TRUE(path.run_into(BbrState::kStartup, 10));
  path.offered = DataRate::infinite();
  ASSERT_TRUE(path.run_into(BbrState::kDrain, 14));
  EXPECT_NEAR(path.snapshot().max_bw.mbps(), 10, 0.3);
}

}  // namespace
}  // namespace farwheel
