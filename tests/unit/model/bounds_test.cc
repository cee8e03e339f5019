#include <gtest/gtest.h>

#include "bbr/full_pipe.h"
#include "bbr/inflight_bounds.h"

namespace farwheel {
namespace {

const BbrParams kParams;

RateSample delivery(std::int64_t bytes, double mbps) {
  RateSample sample;
  sample.has_delivery = true;
  sample.newly_delivered = DataSize::from_bytes(bytes);
  sample.delivered = DataSize::from_bytes(bytes);
  sample.delivery_rate = DataRate::from_mbps(mbps);
  return sample;
}

// Draft section 4.5.6.2: bw_lo = max(bw_latest, 0.7 bw_lo), inflight_lo likewise, once a round.
TEST(InflightBounds, LossLowersTheShortTermBoundsToWhatWasDelivered) {
  InflightBounds bounds;
  RateSample sample = delivery(30000, 3);
  sample.newly_lost = DataSize::from_bytes(1000);
  ASSERT_TRUE(bounds.on_report(sample, DataSize::from_bytes(30000)));
  bounds.adapt_lower(kParams, {0, 0}, DataRate::from_mbps(5), DataSize::from_bytes(50000));
  EXPECT_EQ(bounds.bw_lo(), DataRate::from_mbps(3.5));
  EXPECT_EQ(bounds.inflight_lo().bytes(), 35000);
  bounds.advance(sample);
  EXPECT_FALSE(bounds.loss_in_round());
  bounds.reset_lower();
  EXPECT_TRUE(bounds.bw_lo().is_infinite());
}

TEST(InflightBounds, NeedMoreThanTheLeastShareOfLoss) {
  InflightBounds bounds;
  RateSample sample = delivery(99000, 3);
  sample.newly_lost = DataSize::from_bytes(1000);
  bounds.on_report(sample, DataSize::from_bytes(99000));
  bounds.adapt_lower(kParams, {0.02, 0}, DataRate::from_mbps(5), DataSize::from_bytes(50000));
  EXPECT_TRUE(bounds.bw_lo().is_infinite());
}

// Draft section 4.5.6.1: the loss that passes 2 % of what was in flight, and where it did.
TEST(InflightBounds, FindTheInflightAtWhichLossPassedTwoPercent) {
  EXPECT_FALSE(
      InflightBounds::too_high(kParams, DataSize::from_bytes(2000), DataSize::from_bytes(100000)));
  EXPECT_TRUE(
      InflightBounds::too_high(kParams, DataSize::from_bytes(2001), DataSize::from_bytes(100000)));
  LostPacket packet;
  packet.size = DataSize::from_bytes(1000);
  packet.tx_in_flight = DataSize::from_bytes(101000);
  packet.lost = DataSize::from_bytes(2000);
  // (0.02 x 100000 - 1000) / 0.98 of the packet still fitted.
  EXPECT_NEAR(static_cast<double>(InflightBounds::inflight_at_loss(kParams, packet).bytes()),
              100000 + 1000 / 0.98, 2);
}

TEST(InflightBounds, LeaveHeadroomOfFifteenPercentAndFourPackets) {  // draft section 2.8
  const DataSize mss = DataSize::from_bytes(1000);
  InflightBounds bounds;
  EXPECT_TRUE(bounds.inflight_with_headroom(kParams, mss).is_infinite());
  bounds.set_inflight_hi(DataSize::from_bytes(100000));
  EXPECT_EQ(bounds.inflight_with_headroom(kParams, mss).bytes(), 85000);
  bounds.set_inflight_hi(DataSize::from_bytes(4100));
  EXPECT_EQ(bounds.inflight_with_headroom(kParams, mss).bytes(), 4000);
}

RateSample round(double app_limited_share = 0) {
  RateSample sample = delivery(100000, 1);
  sample.round_start = true;
  sample.is_app_limited = app_limited_share > 0;
  return sample;
}

TEST(FullPipe, ThreeRoundsUnderAQuarterOfGrowthFillIt) {  // draft section 4.3.1.2
  FullPipe pipe;
  for (double mbps : {1.0, 2.0, 4.0, 4.9, 4.95}) {
    pipe.on_report(kParams, round(), DataRate::from_mbps(mbps));
    EXPECT_FALSE(pipe.filled()) << mbps;
  }
  pipe.on_report(kParams, round(), DataRate::from_mbps(4.99));
  EXPECT_TRUE(pipe.filled());
}

TEST(FullPipe, AppLimitedRoundsSayNothing) {
  FullPipe pipe;
  for (int i = 0; i < 10; ++i) pipe.on_report(kParams, round(1), DataRate::from_mbps(1));
  EXPECT_FALSE(pipe.filled());
}

TEST(FullPipe, HeavyLossInThreeRangesFillsIt) {  // draft section 4.3.1.3
  FullPipe pipe;
  RateSample sample = round();
  sample.newly_lost = DataSize::from_bytes(3000);
  sample.loss_ranges = 2;
  pipe.on_report(kParams, sample, DataRate::from_mbps(1));
  EXPECT_FALSE(pipe.filled());
  sample.loss_ranges = 3;
  pipe.on_report(kParams, sample, DataRate::from_mbps(2));
  EXPECT_TRUE(pipe.filled());
  EXPECT_TRUE(pipe.filled_by_congestion());
}

TEST(BbrParams, SetNamedValuesOrNothingAndNameTheFault) {
  BbrParams params;
  EXPECT_EQ(params.set("probe_up_gain=1.5,beta=0.8"), "");
  EXPECT_DOUBLE_EQ(params.probe_up_gain, 1.5);
  EXPECT_DOUBLE_EQ(params.beta, 0.8);
  EXPECT_NE(params.set("beta=0.5,no_such=1").find("no_such"), std::string::npos);
  EXPECT_DOUBLE_EQ(params.beta, 0.8);
  EXPECT_NE(params.set("beta=x"), "");
  EXPECT_NE(params.set("beta"), "");
  EXPECT_NE(params.set("beta=nan"), "");
  EXPECT_NE(params.set("min_cwnd_packets=1"), "");
  EXPECT_EQ(params.set(""), "");
  BbrParams copy;
  EXPECT_EQ(copy.set(params.to_string()), "");
  EXPECT_EQ(copy.to_string(), params.to_string());
}

}  // namespace
}  // namespace farwheel
