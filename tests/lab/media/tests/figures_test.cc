// Encoder, figures and oracle on cases whose answer is known.
#include "media/figures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "media/camera_model.h"
#include "media/oracle.h"

namespace farwheel::lab::media {
namespace {

Timestamp ms_at(double ms) {
  return Timestamp::from_seconds(ms / 1e3);
}

double mean_bytes(CameraModel& camera, int frames) {
  double sum = 0;
  for (int i = 0; i < frames; ++i) sum += static_cast<double>(camera.capture().bytes);
  return sum / frames;
}

TEST(CameraModel, KeepsItsRateAndMakesAKeyFrameOfThreeTimesTheMean) {
  CameraModel camera(CameraConfig{}, 1);
  camera.set_target(ms_at(0), DataRate::from_mbps(3));
  EXPECT_TRUE(camera.capture().is_key);
  EXPECT_NEAR(mean_bytes(camera, 5000), 12500, 125);
  double keys = 0;
  for (int i = 0; i < 1000; ++i) {
    camera.ask_for_key_frame();
    const CameraModel::Frame frame = camera.capture();
    ASSERT_TRUE(frame.is_key);
    keys += static_cast<double>(frame.bytes);
  }
  EXPECT_NEAR(keys / 1000, 37500, 750);
}

TEST(CameraModel, FallsInTwoFramesAndRisesWithinATimeConstant) {
  CameraConfig config;
  config.sizes = {1.0};  // no noise: what the rate is
  CameraModel camera(config, 1);
  camera.set_target(ms_at(0), DataRate::from_mbps(4.8));
  camera.capture();
  EXPECT_EQ(camera.capture().bytes, 20000);
  camera.set_target(ms_at(100), DataRate::from_mbps(2.4));
  EXPECT_EQ(camera.capture().bytes, 15000);
  EXPECT_EQ(camera.capture().bytes, 10000);
  camera.set_target(ms_at(200), DataRate::from_mbps(4.8));
  std::int64_t last = 10000;
  for (int i = 0; i < 9; ++i) {
    const std::int64_t now = camera.capture().bytes;
    EXPECT_GT(now, last);
    EXPECT_LT(now, 20000);
    last = now;
  }
  EXPECT_NEAR(static_cast<double>(last), 10000 + 10000 * (1 - std::exp(-1)), 50);
}

TEST(CameraModel, IsSetWithinItsBoundsAndNotForSmallChanges) {
  CameraConfig config;
  config.sizes = {1.0};
  CameraModel camera(config, 1);
  camera.set_target(ms_at(0), DataRate::from_mbps(0.001));
  camera.capture();
  EXPECT_EQ(camera.capture().bytes, 625);
  CameraModel steady(config, 1);
  steady.set_target(ms_at(0), DataRate::from_mbps(2.4));
  steady.capture();
  steady.set_target(ms_at(50), DataRate::from_mbps(2.36));
  EXPECT_EQ(steady.capture().bytes, 10000);
  steady.set_target(ms_at(250), DataRate::from_mbps(2.36));
  steady.capture();
  EXPECT_LT(steady.capture().bytes, 10000);
}

Unit unit(double captured_ms, double complete_ms, bool is_key) {
  Unit made;
  made.captured = ms_at(captured_ms);
  made.complete = complete_ms < 0 ? Timestamp::infinite_future() : ms_at(complete_ms);
  made.is_key = is_key;
  return made;
}

TEST(Figures, ADeltaFrameIsShownOnlyWithAllBeforeIt) {
  FeedLog feed;
  feed.units = {unit(0, 40, true), unit(33, -1, false), unit(66, 100, false), unit(100, 140, true)};
  judge(feed);
  EXPECT_EQ(feed.units[0].shown, ms_at(40));
  EXPECT_FALSE(feed.units[1].shown.is_finite());
  EXPECT_FALSE(feed.units[2].shown.is_finite());
  EXPECT_EQ(feed.units[3].shown, ms_at(140));
}

MediaConfig steady_config(double mbps, double seconds) {
  MediaConfig config;
  config.phases = {{mbps, seconds}};
  config.duration_s = seconds;
  config.cameras.emplace_back();
  return config;
}

TEST(Figures, CountWhatIsLateLostAndFrozen) {
  const MediaConfig config = steady_config(5, 1);
  std::vector<VehicleLog> vehicles(1);
  FeedLog& feed = vehicles[0].feeds.emplace_back();
  // Ten frames, 100 ms apart, 50 ms on the way, but the fourth to the sixth never come whole.
  for (int i = 0; i < 10; ++i) {
    const bool lost = i >= 3 && i <= 5;
    feed.units.push_back(unit(i * 100, lost ? -1 : i * 100 + 50, i == 0 || i == 6));
  }
  feed.units[8].complete = ms_at(800 + 200);
  const auto capacity = make_capacity(config);
  const RunFigures figures = measure(config, *capacity, vehicles);
  const FeedFigures& camera = figures.feeds.at(0);
  EXPECT_EQ(camera.captured, 10);
  EXPECT_EQ(camera.delivered, 7);
  EXPECT_DOUBLE_EQ(camera.over_300, 0.3);
  // The ninth is late, and the tenth waits for it, within the 170 ms.
  EXPECT_DOUBLE_EQ(camera.over_170, 0.4);
  // The picture of 200 ms is too old from 500 until the seventh is there at 650.
  EXPECT_NEAR(camera.frozen_s, 0.15, 1e-9);
  EXPECT_EQ(camera.freezes, 1);
}

TEST(Figures, RecoveryIsFoundWhereItIsHeld) {
  MediaConfig config = steady_config(5, 10);
  std::vector<VehicleLog> vehicles(1);
  vehicles[0].feeds.emplace_back();
  // Half of the rate for 2 s, then all of it.
  for (double t = 0; t < 10; t += t < 2 ? 0.003936 : 0.001968) {
    vehicles[0].arrivals.push_back({Timestamp::from_seconds(t), TimeDelta::zero(), 1200, 0});
  }
  const auto capacity = make_capacity(config);
  const RunFigures figures = measure(config, *capacity, vehicles);
  ASSERT_TRUE(figures.phases.at(0).recovery_90_s);
  EXPECT_NEAR(*figures.phases[0].recovery_90_s, 2.16, 0.02);
  EXPECT_NEAR(figures.phases[0].utilisation, 0.9756 * 0.9, 0.002);
}

TEST(Figures, JainIsOneForEqualsAndHalfForOneOfTwo) {
  EXPECT_DOUBLE_EQ(jain({2, 2}), 1);
  EXPECT_DOUBLE_EQ(jain({2, 0}), 0.5);
}

TEST(Oracle, LosesNothingOnALinkThatSuffices) {
  const MediaConfig config = steady_config(5, 30);
  const auto capacity = make_capacity(config);
  const Oracle oracle = ask_oracle(config, *capacity);
  EXPECT_EQ(oracle.over_300, 0);
  EXPECT_NEAR(static_cast<double>(oracle.delivered_bytes), 5e6 / 8 * 30 * 1200 / 1230, 2000);
  ASSERT_TRUE(oracle.radar_p99_ms);
  EXPECT_NEAR(*oracle.radar_p99_ms, 25 + 1.968, 0.01);
}

TEST(Oracle, CannotBringWhatTheLinkCannotCarry) {
  // Radar takes 128 of 200 kbit/s, the camera's minimum would need 167.
  const MediaConfig config = steady_config(0.2, 60);
  const auto capacity = make_capacity(config);
  const Oracle oracle = ask_oracle(config, *capacity);
  EXPECT_NEAR(oracle.over_300, 1 - (200 - 128) / 166.8, 0.03);
}

TEST(Oracle, KnowsNoLinkAsOutage) {
  MediaConfig config = steady_config(5, 10);
  config.silences = {{4, 1}};
  const auto capacity = make_capacity(config);
  const std::vector<Outage> outages = find_outages(*capacity, 10);
  ASSERT_EQ(outages.size(), 1u);
  EXPECT_NEAR((outages[0].to - outages[0].from).seconds(), 0.725, 0.002);
  EXPECT_FALSE(is_in_outage(outages, ms_at(3990)));
  EXPECT_TRUE(is_in_outage(outages, ms_at(4300)));
  EXPECT_FALSE(is_in_outage(outages, ms_at(4800)));
}

}  // namespace
}  // namespace farwheel::lab::media
