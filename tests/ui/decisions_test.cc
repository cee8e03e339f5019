// The console's judgements: each at, just before and just after its limit.
#include "models/decisions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace farwheel::station {
namespace {

constexpr Nanoseconds kShown = 100 * kSecond;

PictureFacts seen(std::optional<double> age_ms = 80) {
  return {.camera_present = true,
          .link = LinkState::kConnected,
          .shown_at = kShown,
          .age_when_shown_ms = age_ms};
}

TEST(PictureFreshness, NothingShownIsNoPicture) {
  PictureFacts facts = seen();
  facts.shown_at.reset();
  EXPECT_EQ(picture_freshness(facts, kShown), Freshness::None);
  EXPECT_FALSE(is_veiled(Freshness::None));
}

TEST(PictureFreshness, VeiledInTimeForTheLimitOf250Ms) {
  EXPECT_EQ(picture_freshness(seen(), kShown + 199 * kMillisecond), Freshness::Live);
  const Freshness later = picture_freshness(seen(), kShown + 200 * kMillisecond);
  EXPECT_EQ(later, Freshness::Frozen);
  EXPECT_TRUE(is_veiled(later));
  // What is left for a tick and a refresh of the screen.
  EXPECT_LE(kFrozenAfter + 50 * kMillisecond, 250 * kMillisecond);
}

TEST(PictureFreshness, FrozenWithoutLinkOrCameraIsGone) {
  const Nanoseconds later = kShown + kSecond;
  for (const LinkState link :
       {LinkState::kLost, LinkState::kWaiting, LinkState::kConnecting, LinkState::kUnknown}) {
    PictureFacts facts = seen();
    facts.link = link;
    EXPECT_EQ(picture_freshness(facts, later), Freshness::Gone);
  }
  PictureFacts facts = seen();
  facts.camera_present = false;
  EXPECT_EQ(picture_freshness(facts, later), Freshness::Gone);
  EXPECT_TRUE(is_veiled(Freshness::Gone));
}

TEST(PictureFreshness, MovingButOldIsNotLive) {
  EXPECT_EQ(picture_freshness(seen(300), kShown), Freshness::Live);
  EXPECT_EQ(picture_freshness(seen(301), kShown), Freshness::Late);
  EXPECT_FALSE(is_veiled(Freshness::Late));
  EXPECT_EQ(picture_freshness(seen(501), kShown), Freshness::Old);
  EXPECT_TRUE(is_veiled(Freshness::Old));
}

TEST(PictureFreshness, UnknownCaptureTimeGoesByArrival) {
  EXPECT_EQ(picture_freshness(seen(std::nullopt), kShown), Freshness::Live);
  EXPECT_EQ(picture_freshness(seen(std::nullopt), kShown + kSecond), Freshness::Frozen);
}

TEST(LevelOf, ThePapersLimitsOnDelay) {
  EXPECT_EQ(level_of(std::nullopt, kDelayLimits), Level::Unknown);
  EXPECT_EQ(level_of(std::nan(""), kDelayLimits), Level::Unknown);
  EXPECT_EQ(level_of(170.0, kDelayLimits), Level::Normal);
  EXPECT_EQ(level_of(170.1, kDelayLimits), Level::Caution);
  EXPECT_EQ(level_of(300.1, kDelayLimits), Level::Critical);
}

TEST(StationStateOf, TheWorstFactDecides) {
  const StationFacts good{.status_known = true,
                          .link = LinkState::kConnected,
                          .picture = Freshness::Live,
                          .delay = Level::Normal,
                          .loss = Level::Normal};
  EXPECT_EQ(station_state(good), StationState::Live);

  StationFacts facts = good;
  facts.failed = true;
  EXPECT_EQ(station_state(facts), StationState::Fault);
  facts = good;
  facts.status_known = false;
  EXPECT_EQ(station_state(facts), StationState::NoStatus);
  facts = good;
  facts.link = LinkState::kStale;
  EXPECT_EQ(station_state(facts), StationState::Silent);
  facts = good;
  facts.link = LinkState::kLost;
  EXPECT_EQ(station_state(facts), StationState::Lost);
  facts = good;
  facts.picture = Freshness::None;
  EXPECT_EQ(station_state(facts), StationState::NoPicture);
  facts.picture = Freshness::Frozen;
  EXPECT_EQ(station_state(facts), StationState::Frozen);
  facts.picture = Freshness::Late;
  EXPECT_EQ(station_state(facts), StationState::Late);
  facts = good;
  facts.delay = Level::Critical;
  EXPECT_EQ(station_state(facts), StationState::Late);
  facts.delay = Level::Caution;
  EXPECT_EQ(station_state(facts), StationState::Degraded);
  facts = good;
  facts.loss = Level::Critical;
  EXPECT_EQ(station_state(facts), StationState::Degraded);
  // Unknown figures alone are no fault: a link without a clock exchange still drives.
  facts = good;
  facts.delay = Level::Unknown;
  facts.loss = Level::Unknown;
  EXPECT_EQ(station_state(facts), StationState::Live);
}

TEST(StationStateOf, OnlyLiveLooksNormal) {
  for (const StationState state :
       {StationState::NoStatus, StationState::Waiting, StationState::Connecting,
        StationState::NoPicture, StationState::Degraded, StationState::Late, StationState::Frozen,
        StationState::Silent, StationState::Lost}) {
    EXPECT_NE(level_of(state), Level::Normal);
  }
  EXPECT_EQ(level_of(StationState::Live), Level::Normal);
}

TEST(DopplerOf, GoesByTheRadialPartAlone) {
  EXPECT_EQ(doppler_of(10, 0, -3, 0), Doppler::Approaching);
  EXPECT_EQ(doppler_of(10, 0, 3, 0), Doppler::Receding);
  EXPECT_EQ(doppler_of(10, 0, 0.4, 0), Doppler::Still);
  // Crossing straight ahead: fast, but neither closer nor farther.
  EXPECT_EQ(doppler_of(10, 0, 0, 15), Doppler::Still);
  // Behind the sensor, moving forward comes closer.
  EXPECT_EQ(doppler_of(-10, 0, 3, 0), Doppler::Approaching);
  EXPECT_EQ(doppler_of(10, 0, std::nan(""), 0), Doppler::Unknown);
  EXPECT_EQ(doppler_of(0, 0, 1, 1), Doppler::Unknown);
}

}  // namespace
}  // namespace farwheel::station
