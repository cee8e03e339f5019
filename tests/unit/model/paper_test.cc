#include <gtest/gtest.h>

#include "adaptive/paper_gains.h"
#include "adaptive/paper_threshold.h"

namespace farwheel {
namespace {

// Algorithm 1 over a table computed by hand from the formula (MinRtt, queue = MaxRtt - MinRtt).
TEST(PaperGains, FollowAlgorithmOne) {
  struct Row {
    int min_rtt;
    int queue;
    double gain;
  };
  const Row rows[] = {{10, 20, 1.1},    {10, 50, 1.30},  {10, 100, 1.40}, {10, 200, 1.45},
                      {10, 400, 1.475}, {20, 50, 1.1},   {20, 100, 1.3},  {20, 200, 1.4},
                      {20, 400, 1.45},  {40, 100, 1.1},  {40, 200, 1.3},  {40, 400, 1.4},
                      {60, 200, 1.2},   {60, 400, 1.35}, {100, 200, 1.1}, {100, 400, 1.25}};
  for (const Row& row : rows) {
    const PaperGains gains = paper_gains(BbrParams{}, TimeDelta::from_millis(row.min_rtt),
                                         TimeDelta::from_millis(row.min_rtt + row.queue));
    EXPECT_NEAR(gains.up, row.gain, 1e-9) << row.min_rtt << " ms, queue " << row.queue;
    EXPECT_NEAR(gains.down, 2 - row.gain, 1e-9);
  }
}

// The paper says nothing of MaxRtt == MinRtt; the limit of the formula is the least gain.
TEST(PaperGains, AreLeastWithoutAQueueOrAnRtt) {
  const TimeDelta rtt = TimeDelta::from_millis(50);
  EXPECT_DOUBLE_EQ(paper_gains(BbrParams{}, rtt, rtt).up, 1.1);
  EXPECT_DOUBLE_EQ(paper_gains(BbrParams{}, rtt, TimeDelta::from_millis(40)).up, 1.1);
  EXPECT_DOUBLE_EQ(paper_gains(BbrParams{}, std::nullopt, std::nullopt).up, 1.1);
  EXPECT_DOUBLE_EQ(paper_gains(BbrParams{}, rtt, rtt).down, 0.9);
}

struct Threshold : testing::Test {
  Threshold() : model(DataSize::from_bytes(1000), 1) {
    model.path.rtt().on_rtt(Timestamp::from_seconds(1), TimeDelta::from_millis(50),
                            TimeDelta::from_seconds(5), TimeDelta::from_seconds(10));
    model.max_bw.update(DataRate::from_mbps(8));  // BDP 50 000 bytes
    model.cwnd = DataSize::from_bytes(100000);
    sample.has_delivery = true;
  }
  BbrModel model;
  PaperThreshold paper;
  RateSample sample;
};

TEST_F(Threshold, IsTheGainsShareOfMinRttWithAFloor) {
  EXPECT_NEAR(PaperThreshold::threshold(model, 1.3, TimeDelta::zero()).ms(), 15, 1e-6);
  EXPECT_NEAR(PaperThreshold::threshold(model, 1.1, TimeDelta::from_millis(8)).ms(), 8, 1e-6);
}

// Algorithm 2, phase 2: inflight_target *= 0.7; inflight_hi = max(inflight_at_send,
// inflight_target).
TEST_F(Threshold, LowersInflightHiToTheTargetOrWhatWasInFlight) {
  sample.tx_in_flight = DataSize::from_bytes(20000);
  EXPECT_TRUE(paper.lower_inflight_hi(model, sample, DataSize::zero(), PaperCut::kEachRound));
  EXPECT_EQ(model.bounds.inflight_hi().bytes(), 35000);

  PaperThreshold other;
  sample.tx_in_flight = DataSize::from_bytes(60000);
  other.lower_inflight_hi(model, sample, DataSize::zero(), PaperCut::kEachRound);
  EXPECT_EQ(model.bounds.inflight_hi().bytes(), 60000);
}

TEST_F(Threshold, FiresOnceARound) {
  sample.tx_in_flight = DataSize::from_bytes(40000);
  EXPECT_TRUE(paper.lower_inflight_hi(model, sample, DataSize::zero(), PaperCut::kEachRound));
  model.bounds.set_inflight_hi(DataSize::from_bytes(90000));
  EXPECT_FALSE(paper.lower_inflight_hi(model, sample, DataSize::zero(), PaperCut::kEachRound));
  EXPECT_EQ(model.bounds.inflight_hi().bytes(), 90000);
}

TEST_F(Threshold, KeepsTheLeastWindow) {
  model.max_bw.reset(DataRate::from_kbps(100));
  sample.tx_in_flight = DataSize::from_bytes(1000);
  paper.lower_inflight_hi(model, sample, DataSize::zero(), PaperCut::kEachRound);
  EXPECT_EQ(model.bounds.inflight_hi(), model.min_cwnd());
}

}  // namespace
}  // namespace farwheel
