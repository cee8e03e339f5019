#include "radar/radar_scene.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace farwheel {
namespace {

constexpr double kLane = 3.5;
constexpr double kFarthest = 250;
constexpr double kBehind = -40;

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

}  // namespace

std::uint64_t SceneRandom::next() {
  return mix(state_ += 0x9e3779b97f4a7c15u);
}

double SceneRandom::uniform() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

double SceneRandom::normal(double mean, double sigma) {
  // The sum of twelve: close enough to normal for noise, and no libm whose last bit may differ.
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform();
  return mean + sigma * sum;
}

RadarScene::RadarScene(std::uint64_t seed) : seed_(seed), random_(mix(seed)) {
  const int count = 3 + static_cast<int>(random_.uniform() * 4);
  for (int i = 0; i < count; ++i) {
    // Lanes: left, own, right, and the oncoming one beyond the middle rail.
    const int lane = i % 4;
    const bool lorry = random_.uniform() < 0.3;
    Vehicle vehicle;
    vehicle.x = random_.uniform(15, 0.8 * kFarthest);
    vehicle.y = lane == 3 ? 3.5 * kLane : (1 - lane) * kLane;
    vehicle.speed = lane == 3   ? -random_.uniform(20, 30)
                    : lane == 0 ? random_.uniform(26, 33)
                    : lane == 1 ? random_.uniform(22, 28)
                                : random_.uniform(19, 25);
    vehicle.length = lorry ? 14 : 4.5;
    vehicle.width = lorry ? 2.5 : 1.8;
    vehicle.rcs = lorry ? 22 : 12;
    vehicle.gap = 35 + 12 * i;
    vehicles_.push_back(vehicle);
  }
}

std::vector<RadarDetection> RadarScene::look(double ego_speed) {
  ego_speed_ = ego_speed;
  seen_.clear();
  add_infrastructure();
  add_vehicles();
  add_clutter();
  return std::move(seen_);
}

void RadarScene::advance(double seconds, double ego_speed) {
  seconds_ += seconds;
  travelled_ += ego_speed * seconds;
  const double span = kFarthest - kBehind;
  for (Vehicle& vehicle : vehicles_) {
    if (vehicle.y == 0) vehicle.speed = ego_speed + 0.05 * (vehicle.gap - vehicle.x);
    vehicle.x += (vehicle.speed - ego_speed) * seconds;
    while (vehicle.x > kFarthest) vehicle.x -= span;
    while (vehicle.x < kBehind) vehicle.x += span;
  }
}

// How far left the road has turned x metres ahead.
double RadarScene::bend(double x) const {
  return std::sin(seconds_ * 0.08) * x * x / 2 / 1500;
}

void RadarScene::add_infrastructure() {
  // A post has its own face that does not change from sweep to sweep.
  const auto own = [&](std::int64_t index, std::uint64_t kind) {
    SceneRandom face(mix(seed_ ^ mix(static_cast<std::uint64_t>(index) * 4 + kind)));
    return face;
  };
  const auto first = [&](double spacing) {
    return static_cast<std::int64_t>(std::ceil((travelled_ + 2) / spacing));
  };
  constexpr double kPost = 3;
  for (std::int64_t i = first(kPost); static_cast<double>(i) * kPost < travelled_ + 150; ++i) {
    const double x = static_cast<double>(i) * kPost - travelled_;
    for (const double y : {2.3 * kLane, -2.0 * kLane}) {
      SceneRandom face = own(i, y > 0 ? 0 : 1);
      see({x, y, face.uniform(-0.4, 0.3), 0, face.normal(-4, 4)});
    }
  }
  constexpr double kTree = 13;
  for (std::int64_t i = first(kTree); static_cast<double>(i) * kTree < travelled_ + kFarthest;
       ++i) {
    SceneRandom face = own(i, 2);
    const double x = static_cast<double>(i) * kTree - travelled_ + face.uniform(-4, 4);
    const double y = face.uniform() < 0.5 ? face.uniform(18, 32) : face.uniform(-26, -11);
    for (int part = 0; part < 3; ++part) {
      see({x, y, face.uniform(-0.5, 4), 0, face.normal(2, 4)});
    }
  }
  constexpr double kGantry = 380;
  for (std::int64_t i = first(kGantry); static_cast<double>(i) * kGantry < travelled_ + kFarthest;
       ++i) {
    const double x = static_cast<double>(i) * kGantry - travelled_;
    for (double y = -2 * kLane; y <= 2.3 * kLane; y += 2.5) see({x, y, 5.2, 0, 14});
  }
}

void RadarScene::add_vehicles() {
  for (const Vehicle& vehicle : vehicles_) {
    if (vehicle.x < 1) continue;
    // Nearer ones resolve into more points: the edge that faces us, then the side.
    const int points = std::clamp(static_cast<int>(220 / (vehicle.x + 10)), 2, 9);
    for (int i = 0; i < points; ++i) {
      const bool on_side = i % 3 == 2;
      const double inner = vehicle.y > 0 ? -1 : 1;
      Target target;
      target.x = vehicle.x + (on_side ? random_.uniform(0.3, vehicle.length) : 0);
      target.y = vehicle.y + vehicle.width / 2 * (on_side ? inner : random_.uniform(-1, 1));
      target.z = random_.uniform(-0.3, 0.9);
      // Wheels turn: their Doppler spreads about the body's.
      target.speed_x = vehicle.speed * (on_side ? random_.uniform(0.8, 1.2) : 1);
      target.rcs = random_.normal(vehicle.rcs - (on_side ? 8 : 0), 3);
      see(target);
    }
  }
}

void RadarScene::add_clutter() {
  const int count = 8 + static_cast<int>(random_.uniform() * 12);
  for (int i = 0; i < count; ++i) {
    const double x = random_.uniform(2, 120);
    see({x, random_.uniform(-1, 1) * (8 + 0.4 * x), random_.uniform(-1, 3),
         random_.uniform() < 0.2 ? random_.normal(0, 8) : 0, random_.normal(-16, 5)});
  }
}

void RadarScene::see(const Target& target) {
  const double y = target.y + bend(target.x);
  const double range = std::sqrt(target.x * target.x + y * y);
  const double half_view = (range < 70 ? 60.0 : 20.0) * std::numbers::pi / 180;
  if (target.x <= 0.5 || range > kFarthest || std::fabs(std::atan2(y, target.x)) > half_view)
    return;
  // The echo falls with the fourth power of range: 20 dBsm reach all the way, -10 dBsm 60 m or so.
  const double margin = target.rcs + 32 - 40 * std::log10(range / 30 + 1e-9);
  if (random_.uniform() > std::clamp(margin / 30, 0.02, 0.97)) return;
  const double noisy_range = range + random_.normal(0, 0.08);
  const double azimuth = std::atan2(y, target.x) + random_.normal(0, 0.004);
  const double cosine = std::cos(azimuth);
  const double sine = std::sin(azimuth);
  const double radial = (target.speed_x - ego_speed_) * cosine + random_.normal(0, 0.06);
  RadarDetection detection;
  detection.x = static_cast<float>(noisy_range * cosine);
  detection.y = static_cast<float>(noisy_range * sine);
  detection.z = static_cast<float>(target.z + random_.normal(0, 0.15) * (1 + range / 80));
  detection.vx = static_cast<float>(radial * cosine);
  detection.vy = static_cast<float>(radial * sine);
  detection.rcs = static_cast<float>(target.rcs + random_.normal(0, 1));
  seen_.push_back(detection);
}

}  // namespace farwheel
