#include "radar/radar_scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace farwheel {
namespace {

constexpr double kPeriod = 1.0 / 13;

std::vector<std::vector<RadarDetection>> drive(std::uint64_t seed, int sweeps, double speed) {
  RadarScene scene(seed);
  std::vector<std::vector<RadarDetection>> seen;
  for (int i = 0; i < sweeps; ++i) {
    seen.push_back(scene.look(speed));
    scene.advance(kPeriod, speed);
  }
  return seen;
}

TEST(RadarScene, IsTheSameForASeedAndAnotherForAnother) {
  const auto a = drive(1, 100, 25);
  const auto b = drive(1, 100, 25);
  const auto c = drive(2, 100, 25);
  bool differs = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].size(), b[i].size());
    ASSERT_EQ(0, std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(RadarDetection)));
    differs = differs || a[i].size() != c[i].size() || a[i][0].x != c[i][0].x;
  }
  EXPECT_TRUE(differs);
}

TEST(RadarScene, LooksLikeARadarsSweep) {
  std::size_t total = 0;
  double lowest = 100;
  double highest = -100;
  const auto seen = drive(3, 260, 25);
  for (const auto& sweep : seen) {
    EXPECT_GT(sweep.size(), 30u);
    EXPECT_LT(sweep.size(), 300u);
    total += sweep.size();
    for (const auto& d : sweep) {
      EXPECT_GT(d.x, 0);
      EXPECT_LT(std::hypot(d.x, d.y), 252);
      EXPECT_LT(std::fabs(std::atan2(d.y, d.x)), 1.1);
      // Along the line of sight.
      EXPECT_NEAR(d.vx * d.y, d.vy * d.x, 0.01 * std::fabs(d.vx * d.y) + 1e-3);
      lowest = std::min(lowest, static_cast<double>(d.rcs));
      highest = std::max(highest, static_cast<double>(d.rcs));
    }
  }
  const auto mean = static_cast<double>(total) / static_cast<double>(seen.size());
  EXPECT_GT(mean, 70);
  EXPECT_LT(mean, 160);
  EXPECT_GT(highest - lowest, 25) << "radar cross sections spread widely";
}

double radial(const RadarDetection& d) {
  return (d.vx * d.x + d.vy * d.y) / std::hypot(d.x, d.y);
}

TEST(RadarScene, MostEchoesStandStillOnTheGround) {
  constexpr double kSpeed = 25;
  std::size_t standing = 0;
  std::size_t moving = 0;
  for (const auto& sweep : drive(4, 130, kSpeed)) {
    for (const auto& d : sweep) {
      const double ground = radial(d) + kSpeed * d.x / std::hypot(d.x, d.y);
      ++(std::fabs(ground) < 0.5 ? standing : moving);
    }
  }
  EXPECT_GT(standing, 3 * moving);
  EXPECT_GT(moving, 130u * 3) << "vehicles";
}

TEST(RadarScene, AStandingVehicleSeesTheRoadAtRest) {
  std::size_t still = 0;
  std::size_t all = 0;
  for (const auto& sweep : drive(5, 20, 0)) {
    for (const auto& d : sweep) {
      ++all;
      if (std::fabs(radial(d)) < 0.5) ++still;
    }
  }
  EXPECT_GT(still * 4, all * 3);
}

TEST(RadarScene, PostsComeTowardsUsAtOurSpeed) {
  // The echoes that stand still move by speed times period: over a second, 20 m.
  RadarScene scene(6);
  const auto nearest_rail = [](const std::vector<RadarDetection>& sweep, double from) {
    double nearest = 1e9;
    for (const auto& d : sweep) {
      if (d.x > from && d.x < 40 && d.y < -6.3 && d.y > -7.7) {
        nearest = std::min(nearest, static_cast<double>(d.x));
      }
    }
    return nearest;
  };
  const double before = nearest_rail(scene.look(20), 20);
  scene.advance(0.5, 20);
  ASSERT_LT(before, 40);
  bool found = false;
  for (int look = 0; look < 5 && !found; ++look) {
    for (const auto& d : scene.look(20)) {
      found = found || std::hypot(d.x - (before - 10), d.y + 7) < 0.8;
    }
  }
  EXPECT_TRUE(found) << "nothing 10 m before " << before;
}

}  // namespace
}  // namespace farwheel
