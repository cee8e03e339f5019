#include "link_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace farwheel::link {
namespace {

constexpr std::int64_t kMs = 1'000'000;

LinkModel::Packet packet(std::size_t bytes, std::uint8_t mark = 0) {
  return LinkModel::Packet(bytes, mark);
}

TEST(Schedule, ReadsPhases) {
  std::string error;
  const auto schedule = parse_schedule("3:20,8:15,0.5", error);
  ASSERT_TRUE(schedule) << error;
  ASSERT_EQ(schedule->size(), 3u);
  EXPECT_DOUBLE_EQ((*schedule)[1].mbps, 8);
  EXPECT_DOUBLE_EQ((*schedule)[1].seconds, 15);
  EXPECT_DOUBLE_EQ((*schedule)[2].mbps, 0.5);
}

TEST(Schedule, NamesWhatIsWrong) {
  for (const char* text : {"", "3:20,", "x:1", "3:0,4:1", "-3:1", "3:2:1", "nan:1", "3,4:1"}) {
    std::string error;
    EXPECT_FALSE(parse_schedule(text, error)) << text;
    EXPECT_NE(error.find("RATE:SECONDS"), std::string::npos) << text;
  }
}

TEST(LinkModel, SerialisesThenDelays) {
  // 1250 bytes at 10 Mbit/s: 1 ms each.
  LinkModel link({.schedule = {{10, 0}}, .delay_ms = 50});
  link.enqueue(0, packet(1250, 1));
  link.enqueue(0, packet(1250, 2));
  EXPECT_FALSE(link.take(51 * kMs - 1));
  ASSERT_TRUE(link.next_due());
  EXPECT_EQ(*link.next_due(), 51 * kMs);
  EXPECT_EQ(link.take(51 * kMs)->front(), 1);
  EXPECT_FALSE(link.take(52 * kMs - 1));
  EXPECT_EQ(link.take(52 * kMs)->front(), 2);
  EXPECT_FALSE(link.next_due());
}

TEST(LinkModel, DeliversExactlyTheRate) {
  LinkModel link({.schedule = {{3, 0}}, .buffer_ms = 300});
  std::uint64_t bytes = 0;
  for (std::int64_t t = 0; t < 10'000 * kMs; t += kMs) {
    link.enqueue(t, packet(1250));  // 10 Mbit/s are offered
    while (const auto out = link.take(t)) bytes += out->size();
  }
  EXPECT_NEAR(static_cast<double>(bytes) * 8 / 10, 3e6, 2e4);
  EXPECT_LE(link.queued_bytes(), 3'000'000 / 8 * 3 / 10u);
  EXPECT_GT(link.counters().dropped_by_queue, 1000u);
}

TEST(LinkModel, CountsWhatAPacketCostsBeyondItsBytes) {
  LinkModel link({.schedule = {{10, 0}}, .overhead_bytes = 14});
  link.enqueue(0, packet(1236));
  EXPECT_FALSE(link.take(1 * kMs - 1));
  EXPECT_EQ(link.take(1 * kMs)->size(), 1236u);
}

TEST(LinkModel, RateChangesUnderThePacketBeingSent) {
  // 1 ms at 1 Mbit/s sends 1000 of its 10000 bits; the other 9000 take 0.9 ms at 10 Mbit/s.
  LinkModel link({.schedule = {{1, 0.001}, {10, 0}}});
  link.enqueue(0, packet(1250));
  EXPECT_FALSE(link.take(1'900'000 - 1));
  EXPECT_TRUE(link.take(1'900'000));
}

TEST(LinkModel, OutageHoldsPacketsBack) {
  LinkModel link({.schedule = {{0, 1}, {10, 0}}});
  link.enqueue(0, packet(1250));
  EXPECT_FALSE(link.take(1000 * kMs));
  EXPECT_TRUE(link.take(1001 * kMs));
  LinkModel dead({.schedule = {{0, 0}}});
  dead.enqueue(0, packet(1250));
  EXPECT_FALSE(dead.next_due());
}

TEST(LinkModel, LosesTheShareAskedFor) {
  LinkModel link({.schedule = {}, .loss = 0.1, .seed = 7});
  int arrived = 0;
  for (std::int64_t t = 0; t < 10'000; ++t) {
    link.enqueue(t, packet(100));
    while (link.take(t)) ++arrived;
  }
  EXPECT_NEAR(arrived, 9000, 120);
  EXPECT_EQ(link.counters().lost, 10'000u - static_cast<unsigned>(arrived));
}

TEST(LinkModel, WithoutScheduleNothingWaits) {
  LinkModel link({.schedule = {}, .delay_ms = 5});
  EXPECT_TRUE(std::isinf(link.rate_mbps(0)));
  for (int i = 0; i < 1000; ++i) link.enqueue(0, packet(1500));
  int arrived = 0;
  while (link.take(5 * kMs)) ++arrived;
  EXPECT_EQ(arrived, 1000);
}

}  // namespace
}  // namespace farwheel::link
