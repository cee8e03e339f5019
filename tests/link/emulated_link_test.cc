// The emulated link as tun_link drives it. The model inside has its own tests (test-media-lab);
// these are about real time, and what only real packets suffer.
#include "emulated_link.h"

#include <gtest/gtest.h>

#include <vector>

#include "ip_packet.h"
#include "test_packets.h"

namespace farwheel::link {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kStart = 123'456'789'000;

EmulationConfig link_of(double mbps, double rtt_ms) {
  EmulationConfig config;
  config.link.phases = {{mbps, 60}};
  config.link.rtt_ms = {rtt_ms};
  config.link.duration_s = 60;
  return config;
}

struct Count {
  int there = 0;
  int back = 0;
  int lost = 0;
};

Count take_all(EmulatedLink& link, std::int64_t now) {
  Count count;
  while (const auto passed = link.take(now)) {
    if (passed->is_lost) {
      ++count.lost;
    } else {
      ++(passed->way == Way::kThere ? count.there : count.back);
    }
  }
  return count;
}

TEST(EmulatedLink, SerialisesThenDelays) {
  // 1248 bytes of IP are 1250 at the bottleneck: 1 ms at 10 Mbit/s.
  EmulatedLink link(link_of(10, 100), kStart);
  link.enter(Way::kThere, kStart, make_packet({.bytes = 1248, .mark = 1}));
  link.enter(Way::kThere, kStart, make_packet({.bytes = 1248, .mark = 2}));
  ASSERT_TRUE(link.next_due());
  EXPECT_EQ(*link.next_due(), kStart + 51 * kMs);
  EXPECT_FALSE(link.take(kStart + 51 * kMs - 1));
  const auto first = link.take(kStart + 51 * kMs);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->packet.back(), 1);
  EXPECT_EQ(first->entered_ns, kStart);
  EXPECT_EQ(first->due_ns, kStart + 51 * kMs);
  EXPECT_FALSE(link.take(kStart + 52 * kMs - 1));
  EXPECT_EQ(link.take(kStart + 52 * kMs)->packet.back(), 2);
  EXPECT_FALSE(link.next_due());
}

TEST(EmulatedLink, DeliversExactlyTheRateAndDropsTheRest) {
  EmulatedLink link(link_of(3, 0), kStart);
  std::int64_t bytes = 0;
  int lost = 0;
  for (std::int64_t t = 0; t < 10'000 * kMs; t += kMs) {
    link.enter(Way::kThere, kStart + t, make_packet({.bytes = 1248}));
    while (const auto passed = link.take(kStart + t)) {
      if (passed->is_lost) ++lost;
      if (!passed->is_lost) bytes += 1250;
    }
  }
  EXPECT_NEAR(static_cast<double>(bytes) * 8 / 10, 3e6, 2e4);
  EXPECT_EQ(lost, link.counters().dropped_by_queue);
  EXPECT_GT(lost, 6000);
  EXPECT_LE(link.queued_bytes(), 3'000'000 / 8 * 3 / 10);
}

TEST(EmulatedLink, CarriesNothingButIpVersion4) {
  EmulatedLink link(link_of(10, 0), kStart);
  Packet other = make_packet({});
  other[0] = 0x60;
  link.enter(Way::kThere, kStart, other);
  link.enter(Way::kBack, kStart, {});
  EXPECT_FALSE(link.next_due());
  EXPECT_EQ(link.counters().sent, 0);
}

TEST(EmulatedLink, TheWayBackHasNoQueue) {
  EmulatedLink link(link_of(1, 50), kStart);
  for (int i = 0; i < 100; ++i) link.enter(Way::kBack, kStart, make_packet({}));
  EXPECT_EQ(take_all(link, kStart + 25 * kMs - 1).back, 0);
  EXPECT_EQ(take_all(link, kStart + 25 * kMs).back, 100);
}

TEST(EmulatedLink, BeginsWithTheFirstRtpPacket) {
  EmulationConfig config = link_of(1, 20);
  config.link.silences = {{1, 1}};
  config.begin = EmulationConfig::Begin::kFirstRtp;
  EmulatedLink link(config, kStart);
  // What sets the session up passes without a queue, whatever its time.
  const std::int64_t late = kStart + 1500 * kMs;
  for (int i = 0; i < 50; ++i) link.enter(Way::kThere, late, make_packet({.first = 22}));
  link.enter(Way::kBack, late, make_packet({.first = 22}));
  const Count early = take_all(link, late + 10 * kMs);
  EXPECT_EQ(early.there, 50);
  EXPECT_EQ(early.back, 1);
  EXPECT_FALSE(link.began_ns());
  link.enter(Way::kBack, late, make_packet({}));  // RTP, but the wrong way
  EXPECT_FALSE(link.began_ns());
  const std::int64_t begin = kStart + 5000 * kMs;
  link.enter(Way::kThere, begin, make_packet({}));
  ASSERT_EQ(link.began_ns(), begin);
  take_all(link, begin + 900 * kMs);
  link.enter(Way::kThere, begin + 1500 * kMs, make_packet({}));
  link.enter(Way::kBack, begin + 1500 * kMs, make_packet({}));
  const Count silent = take_all(link, begin + 1900 * kMs);
  EXPECT_EQ(silent.there + silent.back, 0);
  EXPECT_EQ(silent.lost, 1);  // there; the way back tells nobody
}

TEST(EmulatedLink, LosesAndDoublesTheSharesAskedFor) {
  EmulationConfig config = link_of(10000, 0);
  config.link.loss = 0.1;
  config.duplication = 0.2;
  EmulatedLink link(config, kStart);
  Count sum;
  int again = 0;
  for (int i = 0; i < 10'000; ++i) {
    link.enter(Way::kThere, kStart + i * kMs, make_packet({}));
    while (const auto passed = link.take(kStart + i * kMs)) {
      ++(passed->is_lost ? sum.lost : passed->is_again ? again : sum.there);
    }
  }
  while (const auto passed = link.take(kStart + 20'000 * kMs))
    ++(passed->is_again ? again : sum.there);
  EXPECT_NEAR(sum.lost, 1000, 120);
  EXPECT_EQ(sum.there + sum.lost, 10'000);
  EXPECT_NEAR(again, 0.2 * sum.there, 150);
}

TEST(EmulatedLink, SwallowsWhatIsLargerThanThePath) {
  EmulationConfig config = link_of(100, 0);
  config.mtu = {{1180, 1}, {1000, 2}};
  EmulatedLink link(config, kStart);
  const auto passes = [&](double s, std::size_t bytes, Way way) {
    const auto now = kStart + static_cast<std::int64_t>(s * 1e9);
    link.enter(way, now, make_packet({.bytes = bytes}));
    const Count count = take_all(link, now + kMs);
    return count.there + count.back;
  };
  EXPECT_EQ(passes(0.5, 1230, Way::kThere), 1);
  EXPECT_EQ(passes(1.1, 1181, Way::kThere), 0);
  EXPECT_EQ(passes(1.2, 1181, Way::kBack), 0);
  EXPECT_EQ(passes(1.3, 1180, Way::kThere), 1);
  EXPECT_EQ(passes(2.1, 1180, Way::kThere), 0);
  EXPECT_EQ(passes(2.2, 1000, Way::kThere), 1);
}

TEST(EmulatedLink, RebindsPortsBothWays) {
  EmulationConfig config = link_of(100, 0);
  config.rebind_at_s = {1};
  EmulatedLink link(config, kStart);
  const auto source_at = [&](std::int64_t now) {
    link.enter(Way::kThere, now, make_packet({.source = 5000}));
    return view_udp(link.take(now + kMs)->packet)->source_port;
  };
  EXPECT_EQ(source_at(kStart), 5000);
  const std::int64_t after = kStart + 1100 * kMs;
  const std::uint16_t moved = source_at(after);
  EXPECT_NE(moved, 5000);
  link.enter(Way::kBack, after + 2 * kMs, make_packet({.destination = moved}));
  const auto answer = link.take(after + 2 * kMs);
  ASSERT_TRUE(answer);
  EXPECT_EQ(view_udp(answer->packet)->destination_port, 5000);
  link.enter(Way::kBack, after + 3 * kMs, make_packet({.destination = 5000}));
  EXPECT_TRUE(link.take(after + 3 * kMs)->is_lost);
}

}  // namespace
}  // namespace farwheel::link
