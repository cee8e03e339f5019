// How long a missing packet is waited for, over round trips.
#include "webrtc/repair_wait.h"

#include <gtest/gtest.h>

namespace farwheel {
namespace {

constexpr std::int64_t kMs = 1'000'000;

RepairWait settled(std::int64_t rtt_ms, unsigned least_ms = 20) {
  RepairWait wait(least_ms);
  for (int i = 0; i < 50; ++i) (void)wait.on_round_trip(rtt_ms * kMs);
  return wait;
}

TEST(RepairWait, HasRoomForTwoRetransmissions) {
  for (const std::int64_t rtt : {5, 20, 50, 60, 100, 150}) {
    EXPECT_GE(settled(rtt).wait_ms(), 2 * rtt + 35) << rtt;
    EXPECT_LE(settled(rtt).wait_ms(), 2 * rtt + 80) << rtt;
  }
}

TEST(RepairWait, HasRoomForOneOnALongPath) {
  for (const std::int64_t rtt : {200, 250, 300, 350}) {
    EXPECT_GE(settled(rtt).wait_ms(), rtt + 35) << rtt;
  }
}

TEST(RepairWait, IsBounded) {
  for (std::int64_t rtt = 1; rtt < 2000; ++rtt) EXPECT_LE(settled(rtt).wait_ms(), 400u) << rtt;
}

TEST(RepairWait, WaitsForOrderAloneWhereNoneCanComeInTime) {
  for (const std::int64_t rtt : {400, 900, 5000}) EXPECT_EQ(settled(rtt).wait_ms(), 20u) << rtt;
}

TEST(RepairWait, AsksAgainNoSoonerThanAnAnswerCanCome) {
  for (const std::int64_t rtt : {1, 50, 300}) EXPECT_GT(settled(rtt).retry_ms(), rtt) << rtt;
}

TEST(RepairWait, TheUsersLeastStands) {
  EXPECT_EQ(settled(900, 80).wait_ms(), 80u);
  EXPECT_EQ(settled(50, 500).wait_ms(), 500u);
}

TEST(RepairWait, FollowsAPathThatChangesAndDrains) {
  RepairWait wait = settled(50);
  const unsigned before = wait.wait_ms();
  for (int i = 0; i < 20; ++i) (void)wait.on_round_trip(20 * kMs);
  EXPECT_LT(wait.wait_ms(), before);
  for (int i = 0; i < 20; ++i) (void)wait.on_round_trip(50 * kMs);
  EXPECT_NEAR(wait.wait_ms(), before, 10);
}

TEST(RepairWait, SmallChangesAreNotTold) {
  RepairWait wait = settled(50);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(wait.on_round_trip((48 + i % 5) * kMs));
}

TEST(RepairWait, WaitsForNothingThatASilenceSwallowed) {
  RepairWait wait = settled(50);
  const unsigned usual = wait.wait_ms();
  EXPECT_FALSE(wait.on_tick(1000 * kMs, 0));
  EXPECT_FALSE(wait.on_tick(2000 * kMs, 1900 * kMs));
  EXPECT_TRUE(wait.on_tick(2030 * kMs, 1900 * kMs));
  EXPECT_EQ(wait.wait_ms(), 20u);
  // Back: what comes at once still finds it so.
  EXPECT_FALSE(wait.on_tick(2300 * kMs, 2290 * kMs));
  EXPECT_FALSE(wait.on_tick(2500 * kMs, 2490 * kMs));
  EXPECT_TRUE(wait.on_tick(2600 * kMs, 2590 * kMs));
  EXPECT_EQ(wait.wait_ms(), usual);
}

TEST(RepairWait, NonsenseChangesNothing) {
  RepairWait wait = settled(50);
  const unsigned before = wait.wait_ms();
  EXPECT_FALSE(wait.on_round_trip(0));
  EXPECT_FALSE(wait.on_round_trip(-5 * kMs));
  EXPECT_EQ(wait.wait_ms(), before);
}

}  // namespace
}  // namespace farwheel
