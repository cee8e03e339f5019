#include "feedback/silence_watch.h"

#include <gtest/gtest.h>

namespace farwheel {
namespace {

using Phase = SilenceWatch::Phase;
constexpr TimeDelta kRtt = TimeDelta::from_millis(50);

Timestamp ms(std::int64_t value) {
  return Timestamp::from_millis(value);
}
SilenceWatch::InFlight since(std::int64_t sent) {
  return {ms(sent), kRtt};
}
SilenceWatch::InFlight nothing() {
  return {std::nullopt, kRtt};
}

SilenceWatch heard_at(std::int64_t at) {
  SilenceWatch watch;
  (void)watch.on_feedback(ms(at), since(at - 50));
  return watch;
}

TEST(SilenceWatch, NothingInFlightIsNoSilence) {
  SilenceWatch watch = heard_at(100);
  EXPECT_FALSE(watch.update(ms(100000), nothing()));
  EXPECT_EQ(watch.phase(), Phase::kHeard);
}

TEST(SilenceWatch, FeedbackIsDueAnRttAfterTheOldestPacket) {
  SilenceWatch watch = heard_at(100);
  EXPECT_FALSE(watch.update(ms(1150), since(1000)));
  EXPECT_TRUE(watch.update(ms(1151), since(1000)));
  EXPECT_EQ(watch.phase(), Phase::kHolding);
  EXPECT_FALSE(watch.update(ms(1152), since(1000)));
}

TEST(SilenceWatch, StaysSilentWhenAllInFlightHasAgedOut) {
  SilenceWatch watch = heard_at(100);
  (void)watch.update(ms(300), since(100));
  EXPECT_EQ(watch.phase(), Phase::kHolding);
  (void)watch.update(ms(450), nothing());
  EXPECT_EQ(watch.phase(), Phase::kHolding);
  (void)watch.update(ms(501), nothing());
  EXPECT_EQ(watch.phase(), Phase::kFloor);
  (void)watch.update(ms(5251), nothing());
  EXPECT_EQ(watch.phase(), Phase::kBlind);
  const auto lasted = watch.on_feedback(ms(6150), nothing());
  ASSERT_TRUE(lasted);
  EXPECT_EQ(*lasted, TimeDelta::from_seconds(6));
  EXPECT_EQ(watch.phase(), Phase::kHeard);
}

TEST(SilenceWatch, WithoutAnyFeedbackItDoesNotWaitAtAll) {
  SilenceWatch watch;
  const SilenceWatch::InFlight flying{ms(0), std::nullopt};
  EXPECT_FALSE(watch.update(ms(350), flying));
  EXPECT_TRUE(watch.update(ms(351), flying));
  EXPECT_EQ(watch.phase(), Phase::kBlind);
  EXPECT_FALSE(watch.ever_heard());
}

TEST(SilenceWatch, AReceiverThatReportsSeldomIsNotTakenForSilent) {
  SilenceWatch watch = heard_at(0);
  int silences = 0;
  // A report every 150 ms, packets all the time.
  for (std::int64_t now = 0; now < 6000; now += 10) {
    if (watch.update(ms(now), since(now - 200)) && now > 3000) ++silences;
    if (now % 150 == 0) (void)watch.on_feedback(ms(now), since(now - 200));
  }
  EXPECT_EQ(silences, 0);
}

TEST(SilenceWatch, AnOutageTeachesNothingOfTheUsualWait) {
  SilenceWatch watch = heard_at(100);
  for (std::int64_t start = 1000; start < 50000; start += 10000) {
    (void)watch.update(ms(start + 200), since(start));
    EXPECT_TRUE(watch.on_feedback(ms(start + 4000), since(start)));
  }
  EXPECT_TRUE(watch.update(ms(60151), since(60000)));
}

TEST(SilenceWatch, AnotherPathStartsAfresh) {
  SilenceWatch watch = heard_at(100);
  (void)watch.update(ms(1000), since(100));
  watch.reset(ms(1000));
  EXPECT_EQ(watch.phase(), Phase::kHeard);
  EXPECT_FALSE(watch.update(ms(1090), since(900)));
}

}  // namespace
}  // namespace farwheel
