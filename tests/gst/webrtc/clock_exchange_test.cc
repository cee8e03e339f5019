// The exchange in virtual time: two clocks, a path with its own delays each way.
#include "webrtc/clock_exchange.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

namespace farwheel {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStart = 100 * kSecond;

struct World {
  std::int64_t offset = 5 * kSecond;  // station minus vehicle at station time 0
  double skew_ppm = 0;                // station's clock runs faster by so much
  std::int64_t vehicle(std::int64_t station) const {
    return station - offset -
           static_cast<std::int64_t>(std::llround(static_cast<double>(station) * skew_ppm * 1e-6));
  }
  std::int64_t true_offset(std::int64_t station) const { return station - vehicle(station); }
};

struct Delays {
  std::int64_t there = 10 * kMs;
  std::int64_t back = 10 * kMs;
};

std::int64_t exchange(ClockExchange& clock, const World& world, std::int64_t t1,
                      const Delays& delays) {
  const std::uint64_t id = clock.start(t1);
  const std::int64_t arrived = t1 + delays.there;
  const std::int64_t left = arrived + kMs / 10;
  const std::int64_t t4 = left + delays.back;
  EXPECT_TRUE(clock.finish(id, {t1, world.vehicle(arrived), world.vehicle(left), t4}));
  return t4;
}

TEST(ClockExchange, KnowsNothingBeforeTheFirstAnswer) {
  ClockExchange clock;
  EXPECT_FALSE(clock.estimate(0));
  EXPECT_FALSE(clock.latest_rtt_ns());
  clock.start(0);
  EXPECT_FALSE(clock.estimate(kSecond));
}

TEST(ClockExchange, SymmetricPathGivesTheOffset) {
  ClockExchange clock;
  const World world;
  const std::int64_t now = exchange(clock, world, kStart, {});
  const auto estimate = clock.estimate(now);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(static_cast<double>(estimate->offset_ns), 5e9, 10.0);
  EXPECT_GE(estimate->error_ns, 10 * kMs);
  EXPECT_LE(estimate->error_ns, 10 * kMs + 10'000);
  EXPECT_EQ(clock.latest_rtt_ns(), 20 * kMs);
}

TEST(ClockExchange, BandHoldsHoweverAsymmetricThePath) {
  for (const std::int64_t there : {0 * kMs, 1 * kMs, 40 * kMs, 200 * kMs}) {
    for (const std::int64_t back : {0 * kMs, 3 * kMs, 150 * kMs}) {
      ClockExchange clock;
      const World world;
      const std::int64_t now = exchange(clock, world, kStart, {there, back});
      const auto estimate = clock.estimate(now);
      ASSERT_TRUE(estimate);
      EXPECT_LE(std::abs(estimate->offset_ns - world.true_offset(now)), estimate->error_ns)
          << there << " " << back;
    }
  }
}

TEST(ClockExchange, QuickExchangeOutweighsSlowOnes) {
  ClockExchange clock;
  const World world;
  std::int64_t now = exchange(clock, world, kStart, {1 * kMs, 1 * kMs});
  for (int i = 0; i < 20; ++i) {
    now = exchange(clock, world, now + 250 * kMs, {1 * kMs, 120 * kMs});
  }
  const auto estimate = clock.estimate(now);
  ASSERT_TRUE(estimate);
  EXPECT_LT(estimate->error_ns, 3 * kMs);
  EXPECT_LE(std::abs(estimate->offset_ns - world.true_offset(now)), estimate->error_ns);
  EXPECT_EQ(clock.min_rtt_ns(), 2 * kMs);
  EXPECT_EQ(clock.latest_rtt_ns(), 121 * kMs);
}

TEST(ClockExchange, FitsSkewAndStaysInsideItsBand) {
  for (const double ppm : {-80.0, 0.0, 35.0, 90.0}) {
    ClockExchange clock;
    World world;
    world.skew_ppm = ppm;
    std::mt19937 random(7);
    std::exponential_distribution<double> queue(1.0 / 4e6);
    std::int64_t now = kStart;
    for (int i = 0; i < 400; ++i) {
      const Delays delays{15 * kMs + static_cast<std::int64_t>(queue(random)),
                          15 * kMs + static_cast<std::int64_t>(queue(random))};
      now = exchange(clock, world, now + 250 * kMs, delays);
      const auto estimate = clock.estimate(now);
      ASSERT_TRUE(estimate);
      ASSERT_LE(std::abs(estimate->offset_ns - world.true_offset(now)), estimate->error_ns)
          << ppm << " ppm, exchange " << i;
    }
    ASSERT_TRUE(clock.skew_ppm()) << ppm;
    EXPECT_NEAR(*clock.skew_ppm(), ppm, 20.0);
  }
}

TEST(ClockExchange, BandGrowsWhenAnswersStop) {
  ClockExchange clock;
  const World world;
  const std::int64_t now = exchange(clock, world, kStart, {});
  const auto fresh = clock.estimate(now);
  const auto later = clock.estimate(now + 10 * kSecond);
  ASSERT_TRUE(fresh && later);
  EXPECT_GE(later->error_ns - fresh->error_ns, kMs);
}

TEST(ClockExchange, RejectsWhatAnswersNothingOrCannotBe) {
  ClockExchange clock;
  const std::uint64_t id = clock.start(1000);
  EXPECT_FALSE(clock.finish(id + 1, {1000, 5, 6, 2000})) << "unknown id";
  EXPECT_FALSE(clock.finish(id, {999, 5, 6, 2000})) << "another t1";
  EXPECT_FALSE(clock.finish(id, {1000, 6, 5, 2000})) << "left before it came";
  EXPECT_FALSE(clock.finish(id, {1000, 0, 5000, 2000})) << "stayed longer than it was away";
  EXPECT_FALSE(clock.finish(id, {1000, -5, 6, 2000})) << "negative";
  EXPECT_FALSE(clock.finish(id, {1000, INT64_MAX, INT64_MAX, 2000})) << "no clock's reading";
  EXPECT_EQ(clock.rejected(), 6u);
  EXPECT_FALSE(clock.estimate(2000));
  EXPECT_TRUE(clock.finish(id, {1000, 5, 6, 2000}));
  EXPECT_FALSE(clock.finish(id, {1000, 5, 6, 2000})) << "answered twice";
}

TEST(ClockExchange, ForgetsPingsThatNobodyAnswers) {
  ClockExchange clock;
  const std::uint64_t first = clock.start(0);
  for (int i = 1; i <= 64; ++i) clock.start(i);
  EXPECT_FALSE(clock.finish(first, {0, 5, 6, 2000}));
}

}  // namespace
}  // namespace farwheel
