// Marks of congestion and losses that were none. Linux v2alpha for ECN;
// draft-ietf-ccwg-bbr-06 section 5.5.11 for the undo.
#include <gtest/gtest.h>

#include "bbr/ecn_response.h"
#include "bbr/spurious_loss.h"
#include "path/path_model.h"

namespace farwheel {
namespace {

const BbrParams kParams;

RateSample round_of(std::int64_t delivered, std::int64_t marked) {
  RateSample sample;
  sample.has_delivery = true;
  sample.round_start = true;
  sample.reports_marks = true;
  sample.newly_delivered = sample.delivered = DataSize::from_bytes(delivered);
  sample.newly_marked = sample.marked = DataSize::from_bytes(marked);
  return sample;
}

TEST(EcnResponse, SmoothsTheMarkedShareOverRounds) {
  EcnResponse ecn;
  EXPECT_DOUBLE_EQ(ecn.alpha(), 1);
  ecn.on_report(kParams, round_of(10000, 0));
  EXPECT_DOUBLE_EQ(ecn.alpha(), 15.0 / 16);
  EXPECT_DOUBLE_EQ(ecn.cut(kParams), 0);  // nothing was marked
  ecn.on_report(kParams, round_of(10000, 5000));
  EXPECT_DOUBLE_EQ(ecn.alpha(), 15.0 / 16 + (0.5 - 15.0 / 16) / 16);
  EXPECT_NEAR(ecn.cut(kParams), 0.333 * ecn.alpha(), 1e-9);
  for (int i = 0; i < 200; ++i) ecn.on_report(kParams, round_of(10000, 1000));
  EXPECT_NEAR(ecn.alpha(), 0.1, 1e-3);
}

TEST(EcnResponse, NeedsATransportThatCounts) {
  EcnResponse ecn;
  RateSample sample = round_of(10000, 10000);
  sample.reports_marks = false;
  ecn.on_report(kParams, sample);
  EXPECT_DOUBLE_EQ(ecn.alpha(), 1);
  EXPECT_DOUBLE_EQ(ecn.cut(kParams), 0);
}

TEST(EcnResponse, TwoRoundsOfHeavyMarksFillThePipe) {
  EcnResponse ecn;
  ecn.on_report(kParams, round_of(10000, 5000));
  EXPECT_FALSE(ecn.fills_the_pipe(kParams));
  ecn.on_report(kParams, round_of(10000, 4000));
  ecn.on_report(kParams, round_of(10000, 6000));
  EXPECT_FALSE(ecn.fills_the_pipe(kParams));
  ecn.on_report(kParams, round_of(10000, 6000));
  EXPECT_TRUE(ecn.fills_the_pipe(kParams));
}

TEST(EcnResponse, AFlightMarkedBeyondTheThresholdIsTooHigh) {
  EXPECT_TRUE(EcnResponse::too_high(kParams, round_of(10000, 5001)));
  EXPECT_FALSE(EcnResponse::too_high(kParams, round_of(10000, 5000)));
  BbrParams off;
  off.ecn_factor = 0;
  EXPECT_FALSE(EcnResponse::too_high(off, round_of(10000, 10000)));
}

TEST(EcnResponse, MarksLowerTheVolumeAndLeaveTheRate) {
  InflightBounds bounds;
  const RateSample sample = round_of(30000, 3000);
  ASSERT_TRUE(bounds.on_report(sample, DataSize::from_bytes(30000)));
  bounds.adapt_lower(kParams, {0, 0.1}, DataRate::from_mbps(5), DataSize::from_bytes(50000));
  EXPECT_EQ(bounds.inflight_lo().bytes(), 45000);
  EXPECT_TRUE(bounds.bw_lo().is_infinite());
}

// Whichever of loss and marks asks for less.
TEST(EcnResponse, TheLowerOfLossAndMarksCounts) {
  for (double cut : {0.1, 0.5}) {
    InflightBounds bounds;
    RateSample sample = round_of(30000, 3000);
    sample.newly_lost = DataSize::from_bytes(1000);
    bounds.on_report(sample, DataSize::from_bytes(30000));
    bounds.adapt_lower(kParams, {0, cut}, DataRate::from_mbps(5), DataSize::from_bytes(50000));
    EXPECT_EQ(bounds.inflight_lo().bytes(), cut > 0.3 ? 25000 : 35000) << cut;
    EXPECT_EQ(bounds.bw_lo(), DataRate::from_mbps(3.5));
  }
}

struct Marks : testing::Test {
  const RateSample& report(PacketNumber number, std::int64_t marks) {
    const Timestamp sent = Timestamp::from_millis(10 * number);
    path.on_packet_sent({number, DataSize::from_bytes(1000), 0, sent}, DataSize::from_bytes(1000));
    FeedbackReport feedback;
    feedback.received_at = sent + TimeDelta::from_millis(5);
    feedback.ecn_ce_count = marks;
    PacketResult result{{number, DataSize::from_bytes(1000), 0, sent}};
    result.fate = PacketResult::Fate::kDelivered;
    result.received_at = sent + TimeDelta::from_millis(2);
    result.rtt = TimeDelta::from_millis(5);
    feedback.packets.push_back(result);
    return path.on_report(feedback.received_at, feedback, DataSize::zero(),
                          {TimeDelta::from_seconds(5), TimeDelta::from_seconds(10)});
  }
  PathModel path;
};

TEST_F(Marks, AreNoMoreThanWhatWasDelivered) {
  EXPECT_EQ(report(0, 1).newly_marked.bytes(), 1000);
  EXPECT_EQ(report(1, 1000000).newly_marked.bytes(), 1000);
  EXPECT_EQ(report(2, -5).newly_marked.bytes(), 0);
  EXPECT_TRUE(report(3, 0).reports_marks);
}

RateSample losses(std::int64_t lost, std::int64_t rescued) {
  RateSample sample;
  sample.newly_lost = DataSize::from_bytes(lost);
  sample.newly_rescued = DataSize::from_bytes(rescued);
  return sample;
}

TEST(SpuriousLoss, GivesBackWhatStoodBeforeOnceAllHaveArrived) {
  SpuriousLoss spurious;
  InflightBounds bounds;
  bounds.set_inflight_hi(DataSize::from_bytes(50000));
  EXPECT_FALSE(spurious.on_report(losses(2000, 0), 10, BbrState::kProbeBwUp, bounds));
  bounds.set_inflight_hi(DataSize::from_bytes(20000));
  EXPECT_FALSE(spurious.on_report(losses(0, 1000), 10, BbrState::kProbeBwDown, bounds));
  const auto saved = spurious.on_report(losses(0, 1000), 11, BbrState::kProbeBwDown, bounds);
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->state, BbrState::kProbeBwUp);
  EXPECT_EQ(saved->bounds.inflight_hi().bytes(), 50000);
  bounds.undo_to(saved->bounds);
  EXPECT_EQ(bounds.inflight_hi().bytes(), 50000);
}

TEST(SpuriousLoss, WhatStaysLostIsLost) {
  SpuriousLoss spurious;
  const InflightBounds bounds;
  EXPECT_FALSE(spurious.on_report(losses(2000, 0), 10, BbrState::kStartup, bounds));
  EXPECT_FALSE(spurious.on_report(losses(0, 1000), 11, BbrState::kDrain, bounds));
  EXPECT_FALSE(spurious.on_report(losses(0, 1000), 20, BbrState::kDrain, bounds));
}

}  // namespace
}  // namespace farwheel
