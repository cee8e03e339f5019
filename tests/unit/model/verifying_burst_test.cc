// The burst that asks whether a path carries more than an estimate says.
#include "fbe/verifying_burst.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

namespace farwheel {
namespace {

constexpr DataSize kPacket = DataSize::from_bytes(1250);
constexpr DataRate kEstimate = DataRate::from_mbps(20);  // a packet in 500 us

struct BurstRun {
  VerifyingBurst burst;
  TimeDelta took = TimeDelta::zero();
  int packets = 0;

  // Sends until the burst is over; `path` says when each packet arrived, or that it did not.
  explicit BurstRun(const std::function<PacketResult(PacketResult)>& path) {
    burst.arm(kEstimate);
    const Timestamp begin = Timestamp::from_micros(1'000'000);
    while (burst.pace_gain() != 1) {
      const double gain = burst.pace_gain();
      const SentPacket packet{packets, kPacket, 0, begin + took};
      burst.on_packet_sent(packet);
      took = took + (kPacket / kEstimate) * (1 / gain);
      ++packets;
      PacketResult result{packet};
      result.fate = PacketResult::Fate::kDelivered;
      burst.on_result(path(result));
    }
  }
};

// A link of a fixed rate that stamps in 250-us steps.
std::function<PacketResult(PacketResult)> link_of(double mbps) {
  auto free_at = std::make_shared<Timestamp>(Timestamp::infinite_past());
  return [=](PacketResult result) {
    *free_at = std::max(*free_at, result.packet.sent_at) + kPacket / DataRate::from_mbps(mbps);
    const std::int64_t us = (*free_at - Timestamp::from_micros(0)).ns() / 1000;
    result.received_at = Timestamp::from_micros(us / 250 * 250);
    return result;
  };
}

TEST(VerifyingBurst, LeavesTheMeanRateAsItWas) {
  const BurstRun run(link_of(20));
  EXPECT_NEAR(run.took.ms(), run.packets * (kPacket / kEstimate).ms(), 0.001);
}

TEST(VerifyingBurst, ALinkAtItsEstimateShowsNothing) {
  BurstRun run(link_of(20));
  EXPECT_FALSE(run.burst.take_shown());
  EXPECT_FALSE(run.burst.under_way());
}

TEST(VerifyingBurst, AFasterLinkShowsItsRate) {
  BurstRun run(link_of(30));
  const auto shown = run.burst.take_shown();
  ASSERT_TRUE(shown);
  EXPECT_NEAR(shown->mbps(), 30, 1.5);
  EXPECT_FALSE(run.burst.take_shown()) << "told once";
}

TEST(VerifyingBurst, ShowsNoMoreThanItSent) {
  BurstRun run(link_of(1000));
  const auto shown = run.burst.take_shown();
  ASSERT_TRUE(shown);
  EXPECT_LE(shown->mbps(), 40.01);
}

// A radio takes 500 us for a frame alone and 250 us for each of those that waited meanwhile.
TEST(VerifyingBurst, ARadioThatGathersFramesShowsItsLoadedRate) {
  const TimeDelta alone = TimeDelta::from_micros(500);
  auto free_at = std::make_shared<Timestamp>(Timestamp::infinite_past());
  BurstRun run([=](PacketResult result) {
    const bool waited = result.packet.sent_at < *free_at;
    *free_at = std::max(*free_at, result.packet.sent_at) + (waited ? alone * 0.5 : alone);
    result.received_at = *free_at;
    return result;
  });
  const auto shown = run.burst.take_shown();
  ASSERT_TRUE(shown);
  EXPECT_GT(shown->mbps(), 24);
}

TEST(VerifyingBurst, ALostPacketOrAWrongStampShowsNothing) {
  const auto fast = link_of(60);
  BurstRun lost([=](PacketResult result) {
    result = fast(result);
    if (result.packet.number == 3) result.fate = PacketResult::Fate::kLost;
    return result;
  });
  EXPECT_FALSE(lost.burst.take_shown());
  BurstRun stamped([=](PacketResult result) {
    result.received_at = Timestamp::from_micros(5'000'000 - result.packet.number * 10);
    return result;
  });
  EXPECT_FALSE(stamped.burst.take_shown());
}

}  // namespace
}  // namespace farwheel
