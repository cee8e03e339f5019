#include "webrtc/session_clock.h"

#include <gtest/gtest.h>

#include "webrtc/capture_times.h"

namespace farwheel {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kWrap = std::int64_t{64'000'000} << 24;

TEST(OneWayDelay, MapsFeedbackTimesToTheStationsClock) {
  // Sent at 100 s by the vehicle's clock, ours is 7 s ahead; the pipeline started at 90 s; 30 ms.
  const std::int64_t sent = 100'000 * kMs;
  const std::int64_t base = 90'000 * kMs;
  const std::int64_t offset = 7'000 * kMs;
  const std::int64_t arrived_running = sent + offset + 30 * kMs - base;
  const TimeWithError delay = one_way_delay(arrived_running - sent, base, {offset, 2 * kMs});
  EXPECT_EQ(delay.ns, 30 * kMs);
  EXPECT_EQ(delay.error_ns, 2 * kMs + 250'000);
}

TEST(OneWayDelay, SurvivesTheWrapOfFeedbackTimes) {
  const std::int64_t sent = 3 * kWrap + 5 * kMs;
  for (const std::int64_t wraps : {-2, -1, 0, 1, 3}) {
    const std::int64_t raw = 12 * kMs - sent + wraps * kWrap;
    EXPECT_EQ(one_way_delay(raw, 0, {-sent + sent, 0}).ns,
              one_way_delay(raw + kWrap, 0, {0, 0}).ns);
    EXPECT_EQ(one_way_delay(raw, sent, {0, 0}).ns, 12 * kMs) << wraps;
  }
}

TEST(OneWayDelay, NegativeStaysNegative) {
  EXPECT_EQ(one_way_delay(-3 * kMs, 0, {0, 4 * kMs}).ns, -3 * kMs);
}

TEST(OneWayDelay, NoOverflowOnHostileValues) {
  const TimeWithError delay = one_way_delay(INT64_MIN, INT64_MAX, {INT64_MIN + 1, 0});
  EXPECT_LE(std::abs(delay.ns), kWrap);
}

TEST(SessionClock, WallClockNeedsBothExchangeAndPair) {
  SessionClock clock;
  EXPECT_FALSE(clock.from_vehicle_wall(1'000'000'000, 0));
  const PingMessage ping = clock.ping(1'000 * kMs);
  // The vehicle's monotonic clock is 400 s behind ours, its wall clock says 1.7e18 at t3.
  PongMessage pong{ping.id, ping.t1, 601'010 * kMs, 601'010 * kMs, 1'700'000'000'000 * kMs};
  pong.t2 = pong.t3 = ping.t1 - 400 * kMs + 10 * kMs;
  clock.on_pong(pong, 1'020 * kMs);
  const auto time =
      clock.from_vehicle_wall(static_cast<std::uint64_t>(pong.real_ns) - 50'000'000, 1'020 * kMs);
  ASSERT_TRUE(time);
  EXPECT_NEAR(static_cast<double>(time->ns), static_cast<double>(1'010 * kMs - 50 * kMs), 1e3);
  EXPECT_NEAR(static_cast<double>(time->error_ns), 10e6, 1e4);
}

TEST(CaptureTimes, FindsTheNearestWithinTolerance) {
  CaptureTimes times;
  EXPECT_FALSE(times.find(0, 1000));
  times.remember(1000, 7);
  times.remember(2000, 8);
  EXPECT_EQ(times.find(1400, 500), 7u);
  EXPECT_EQ(times.find(1600, 500), 8u);
  EXPECT_FALSE(times.find(3000, 500));
  EXPECT_EQ(times.find(2000, 0), 8u);
}

TEST(CaptureTimes, KeepsTheNewest) {
  CaptureTimes times;
  for (std::uint64_t i = 0; i < 100; ++i) times.remember(i * 1000, i);
  EXPECT_FALSE(times.find(35'000, 0));
  EXPECT_EQ(times.find(36'000, 0), 36u);
  EXPECT_EQ(times.find(99'000, 0), 99u);
}

TEST(Ntp, GoesThereAndBack) {
  for (const std::uint64_t ns : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{999'999'999},
                                 std::uint64_t{1'700'000'000'123'456'789}}) {
    EXPECT_EQ(unix_ns_from_ntp(ntp_from_unix_ns(ns)), ns);
  }
  EXPECT_EQ(ntp_from_unix_ns(0) >> 32, 2'208'988'800u);
  EXPECT_EQ(ntp_from_unix_ns(500'000'000) & 0xffffffffu, 0x80000000u);
  EXPECT_FALSE(unix_ns_from_ntp(0));
}

}  // namespace
}  // namespace farwheel
