#include "webrtc/receive_counters.h"

#include <gtest/gtest.h>

namespace farwheel {
namespace {

constexpr std::int64_t kMs = 1'000'000;

ReceivedPacket packet(std::int64_t now, std::uint16_t sequence, std::uint32_t ssrc = 1) {
  return {now, ssrc, sequence, 1000};
}

TEST(ReceiveCounters, CountsRateOverTheLastSecond) {
  ReceiveCounters counters;
  for (int i = 0; i < 200; ++i) counters.on_packet(packet(i * 10 * kMs, std::uint16_t(i)));
  EXPECT_EQ(counters.packets(), 200u);
  EXPECT_EQ(counters.bytes(), 200'000u);
  EXPECT_EQ(counters.throughput_bps(2000 * kMs), 800'000u);
  EXPECT_EQ(counters.throughput_bps(4000 * kMs), 0u);
  EXPECT_EQ(counters.loss(2000 * kMs), 0.0);
  EXPECT_FALSE(counters.loss(9000 * kMs));
}

TEST(ReceiveCounters, CountsLossAcrossTheSequenceWrap) {
  ReceiveCounters counters;
  std::uint16_t sequence = 65500;
  for (int i = 0; i < 100; ++i, ++sequence) {
    if (i % 10 != 5) counters.on_packet(packet(i * kMs, sequence));
  }
  EXPECT_EQ(counters.lost(), 10u);
  ASSERT_TRUE(counters.loss(100 * kMs));
  EXPECT_NEAR(*counters.loss(100 * kMs), 0.1, 0.001);
}

TEST(ReceiveCounters, LateArrivalIsNoLongerLost) {
  ReceiveCounters counters;
  counters.on_packet(packet(0, 10));
  counters.on_packet(packet(1, 13));
  EXPECT_EQ(counters.lost(), 2u);
  counters.on_packet(packet(2, 11));
  counters.on_packet(packet(3, 12));
  EXPECT_EQ(counters.lost(), 0u);
  EXPECT_EQ(counters.loss(4), 0.0);
}

TEST(ReceiveCounters, EarlierThanTheFirstIsNoLoss) {
  ReceiveCounters counters;
  counters.on_packet(packet(0, 0));
  counters.on_packet(packet(1, 65535));
  EXPECT_EQ(counters.lost(), 0u);
  EXPECT_EQ(counters.packets(), 2u);
}

TEST(ReceiveCounters, RestartedStreamIsNoLossAndKeepsWhatWasLost) {
  ReceiveCounters counters;
  counters.on_packet(packet(0, 100));
  counters.on_packet(packet(1, 103));
  counters.on_packet(packet(2, 40000));
  counters.on_packet(packet(3, 40001));
  EXPECT_EQ(counters.lost(), 2u);
}

TEST(ReceiveCounters, StreamsAreApartAndBounded) {
  ReceiveCounters counters;
  for (std::uint32_t ssrc = 0; ssrc < 40; ++ssrc) {
    counters.on_packet(packet(0, std::uint16_t(ssrc * 7), ssrc));
    counters.on_packet(packet(1, std::uint16_t(ssrc * 7 + 1), ssrc));
  }
  EXPECT_EQ(counters.lost(), 0u);
  EXPECT_EQ(counters.packets(), 80u);
}

}  // namespace
}  // namespace farwheel
