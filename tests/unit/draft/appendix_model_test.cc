// draft-ietf-ccwg-bbr-06, Appendix A "BBR Example Test Cases": those on the model and its bounds.
#include <gtest/gtest.h>

#include "draft/draft_path.h"

namespace farwheel {
namespace {

double seconds_from(const DraftPath& path) {
  return path.now().seconds();
}

// A.12: arrivals in batches of 15 ms.
TEST(DraftAppendix, StartupFindsTheBandwidthOfALinkThatAggregates) {
  DraftPath path({});
  path.batch = TimeDelta::from_millis(15);
  DataSize largest = DataSize::zero();
  while (path.state() == BbrState::kStartup && seconds_from(path) < 4) {
    path.run_to(seconds_from(path) + 0.005);
    largest = std::max(largest, path.sender.cwnd());
  }
  EXPECT_NE(path.state(), BbrState::kStartup);
  EXPECT_GT(largest, path.bdp() * 2.0);
  EXPECT_NEAR(path.snapshot().max_bw.mbps(), 10, 1.5);
}

// A.13
TEST(DraftAppendix, CruiseKeepsTheBandwidthOfALinkThatAggregates) {
  DraftPath path({});
  path.batch = TimeDelta::from_millis(15);
  path.run_to(8);
  path.mark();
  path.run_to(20);
  EXPECT_GT(path.delivered_mbps_since_mark(), 9.3);
  EXPECT_GT(path.sender.cwnd(), path.bdp() * 2.0);
}

// A.14: 64 kbit/s and 10 ms: 0.07 packets.
TEST(DraftAppendix, ABdpUnderAPacketKeepsFourInFlight) {
  DraftPath path({.mbps = 0.064, .rtt_ms = 10, .buffer_ms = 3000});
  path.run_to(60);
  EXPECT_EQ(path.snapshot().state == BbrState::kStartup, false);
  EXPECT_GE(path.sender.cwnd(), DraftPath::kPacket * 4.0);
  path.mark();
  path.run_to(120);
  EXPECT_GT(path.delivered_mbps_since_mark(), 0.064 * 0.93);
  EXPECT_LT(path.snapshot().max_bw.mbps(), 0.08);
}

// A.15: inflight_hi stands from a shallow buffer; ten times the bandwidth is found in few seconds.
TEST(DraftAppendix, TenTimesTheBandwidthIsFound) {
  DraftPath path({.buffer_ms = 20});
  path.run_to(12);
  ASSERT_TRUE(path.snapshot().inflight_hi);
  path.rate = DataRate::from_mbps(100);
  path.buffer = path.rate * TimeDelta::from_millis(20);
  path.run_to(40);
  path.mark();
  path.run_to(44);
  EXPECT_GT(path.snapshot().max_bw.mbps(), 85);
  EXPECT_GT(path.delivered_mbps_since_mark(), 75);
}

// A.16
TEST(DraftAppendix, ATenthOfTheBandwidthIsLearnt) {
  DraftPath path({.mbps = 100, .buffer_ms = 50});
  path.run_to(6);
  ASSERT_GT(path.snapshot().max_bw.mbps(), 90);
  path.rate = DataRate::from_mbps(10);
  path.buffer = path.rate * TimeDelta::from_millis(50);
  double lowest = 1000;
  while (seconds_from(path) < 8) {
    path.run_to(seconds_from(path) + 0.01);
    lowest = std::min(lowest, path.snapshot().bw.mbps());
  }
  EXPECT_LT(lowest, 40);  // bw_lo, at once
  path.run_to(20);        // two cycles
  EXPECT_LT(path.snapshot().max_bw.mbps(), 12);
  path.mark();
  path.run_to(25);
  EXPECT_GT(path.delivered_mbps_since_mark(), 8.5);
  EXPECT_LT(path.loss_since_mark(), 0.03);
}

// A.17: 5 Mbit/s of tokens, a bucket of 60 kB, behind 50 Mbit/s.
TEST(DraftAppendix, APolicerIsConformedTo) {
  DraftPath path({.mbps = 50});
  path.policer_rate = DataRate::from_mbps(5);
  path.policer_bucket = DataSize::from_bytes(60000);
  bool bounded = false;
  while (seconds_from(path) < 20) {
    path.run_to(seconds_from(path) + 0.02);
    const ControllerSnapshot s = path.snapshot();
    bounded = bounded || (s.bw_lo && s.inflight_lo);
  }
  EXPECT_TRUE(bounded);
  path.mark();
  path.run_to(40);
  EXPECT_GT(path.delivered_mbps_since_mark(), 4);
  EXPECT_LT(path.loss_since_mark(), 0.05);
}

// A packet in 12 takes a detour of 8 ms from now on: reported as a gap, then as received.
void reorder(DraftPath& path) {
  path.detour = [](PacketNumber number) {
    return number % 12 == 0 ? TimeDelta::from_millis(8) : TimeDelta::zero();
  };
}

// A.18: the gaps look like 8 % of loss, which ends UP; taken back, UP goes on from where it was.
TEST(DraftAppendix, LossThatWasReorderingIsTakenBack) {
  DraftPath path({});
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwUp, 8));
  reorder(path);
  path.run_to(seconds_from(path) + 5);
  const FeedbackCounters& counters = path.adapter.counters();
  ASSERT_GT(counters.late_rescues, 100);
  int resumed = 0;
  for (const ControllerEvent& event : path.log()) {
    const auto* change = std::get_if<StateChanged>(&event.what);
    if (change == nullptr) continue;
    resumed += change->from == BbrState::kProbeBwDown && change->to == BbrState::kProbeBwUp;
  }
  EXPECT_GT(resumed, 0);
  path.mark();
  path.run_to(seconds_from(path) + 10);
  EXPECT_GT(path.delivered_mbps_since_mark(), 9);
}

TEST(DraftAppendix, WithoutTheUndoReorderingCosts) {
  double mbps[2];
  for (int undo : {0, 1}) {
    DraftPath path({.params = undo == 1 ? "" : "undo_spurious_loss=no"});
    path.run_to(3);
    reorder(path);
    path.run_to(10);
    path.mark();
    path.run_to(30);
    mbps[undo] = path.delivered_mbps_since_mark();
  }
  EXPECT_GT(mbps[1], mbps[0]);
}

// A.19: a gap longer than the age limit. There is no retransmission timer here: what no report
// names becomes unknown, which is no loss, and is counted when it comes after all.
TEST(DraftAppendix, WhatComesVeryLateIsNoLoss) {
  DraftPath path({});
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwCruise, 8));
  const ControllerSnapshot before = path.snapshot();
  const double since = seconds_from(path);
  path.detour = [&path, since](PacketNumber) {
    const double passed = seconds_from(path) - since;
    return passed < 0.4 ? TimeDelta::from_seconds(0.4 - passed) : TimeDelta::zero();
  };
  path.run_to(since + 1);
  const ControllerSnapshot after = path.snapshot();
  EXPECT_FALSE(after.inflight_hi);
  EXPECT_FALSE(after.bw_lo);
  EXPECT_GT(after.max_bw, before.max_bw * 0.9);
  path.mark();
  path.run_to(seconds_from(path) + 3);
  EXPECT_GT(path.delivered_mbps_since_mark(), 9);
}

// A.21
TEST(DraftAppendix, LossInUpLowersInflightHiAndEndsIt) {
  DraftPath path({.buffer_ms = 20});
  path.run_to(6);
  ASSERT_TRUE(path.snapshot().inflight_hi);
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwUp, 12));
  const DataSize before = *path.snapshot().inflight_hi;
  path.loss = 0.3;
  const Timestamp entered = path.now();
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwDown, 13));
  EXPECT_LT((path.now() - entered).ms(), 150);
  EXPECT_LE(*path.snapshot().inflight_hi, before);
  EXPECT_GE(*path.snapshot().inflight_hi, path.snapshot().max_bw * *path.snapshot().min_rtt * 0.65);
}

// A.22
TEST(DraftAppendix, RefillWithoutDataLeavesTheBandwidth) {
  DraftPath path({});
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwRefill, 8));
  const DataRate before = path.snapshot().max_bw;
  path.offered = DataRate::from_mbps(0.5);
  ASSERT_TRUE(path.run_into(BbrState::kProbeBwUp, seconds_from(path) + 1));
  EXPECT_EQ(path.snapshot().max_bw, before);
  path.offered = DataRate::infinite();
  path.run_to(seconds_from(path) + 3);
  path.mark();
  path.run_to(seconds_from(path) + 3);
  EXPECT_GT(path.delivered_mbps_since_mark(), 9);
}

// Not of the appendix: marks alone keep the queue short and lose nothing.
TEST(EcnOnAPath, MarksReplaceLoss) {
  DraftPath path({.buffer_ms = 60});
  path.mark_above = path.rate * TimeDelta::from_millis(3);
  path.run_to(5);
  path.mark();
  path.run_to(25);
  EXPECT_GT(path.delivered_mbps_since_mark(), 8.5);
  EXPECT_EQ(path.loss_since_mark(), 0);
  EXPECT_TRUE(path.snapshot().inflight_hi);
}

}  // namespace
}  // namespace farwheel
