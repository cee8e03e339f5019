#include "road_scene.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace farwheel {
namespace {

constexpr double kCameraHeightM = 1.4;
constexpr double kSpeedMps = 22;
constexpr double kRoadHalfWidthM = 5.6;
constexpr double kLaneLineM = 1.8;  // lane lines left and right of our lane's centre
constexpr double kLineHalfWidthM = 0.09;
constexpr double kDashPeriodM = 12;  // 4 m of paint, 8 m of gap
constexpr double kDashM = 4;
constexpr double kPostEveryM = 25;
constexpr double kFarthestM = 225;
constexpr int kGrainSize = 256;

double wrap(double value, double period) {
  return value - std::floor(value / period) * period;
}

std::size_t at(int x, int y, int stride) {
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(stride) +
         static_cast<std::size_t>(x);
}

}  // namespace

RoadScene::RoadScene(int width, int height)
    : width_(width),
      height_(height),
      horizon_(height * 9 / 20 & ~1),
      focal_px_(0.8 * width),
      grain_(kGrainSize * kGrainSize) {
  std::uint32_t state = 1;
  for (std::uint8_t& value : grain_) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<std::uint8_t>(state >> 28);
  }
}

std::size_t RoadScene::frame_size() const {
  return at(0, height_, width_) * 3 / 2;
}

double RoadScene::road_centre(double ahead_m, double seconds) const {
  const double bend = 0.0009 * std::sin(seconds * 0.35) + 0.0005 * std::sin(seconds * 0.13 + 1);
  return width_ / 2.0 + bend * ahead_m * focal_px_ * 0.35;
}

void RoadScene::fill(const Planes& planes, int x0, int y0, int x1, int y1, Colour colour) const {
  x0 = std::clamp(x0, 0, width_);
  x1 = std::clamp(x1, 0, width_);
  y0 = std::clamp(y0, 0, height_);
  y1 = std::clamp(y1, 0, height_);
  if (x0 >= x1 || y0 >= y1) return;
  for (int y = y0; y < y1; ++y) {
    std::memset(planes.y + at(x0, y, width_), colour.y, static_cast<std::size_t>(x1 - x0));
  }
  const int chroma = width_ / 2;
  for (int y = y0 / 2; y < (y1 + 1) / 2; ++y) {
    const auto length = static_cast<std::size_t>((x1 + 1) / 2 - x0 / 2);
    std::memset(planes.u + at(x0 / 2, y, chroma), colour.u, length);
    std::memset(planes.v + at(x0 / 2, y, chroma), colour.v, length);
  }
}

void RoadScene::draw_sky(const Planes& planes, double seconds) const {
  for (int y = 0; y < horizon_; y += 2) {
    const int shade = 150 + 70 * y / horizon_;
    fill(planes, 0, y, width_, y + 2,
         {static_cast<std::uint8_t>(shade), static_cast<std::uint8_t>(142 - 12 * y / horizon_),
          120});
  }
  // Hills, which drift as the road bends.
  const double drift = 90 * std::sin(seconds * 0.35 / 2);
  for (int x = 0; x < width_; x += 2) {
    const double place = (x + drift) / width_ * 6.283;
    const double rise = 0.05 + 0.03 * std::sin(place * 1.7) + 0.015 * std::sin(place * 5.3 + 1);
    fill(planes, x, horizon_ - static_cast<int>(rise * height_), x + 2, horizon_, {92, 122, 118});
  }
}

void RoadScene::draw_ground(const Planes& planes, double seconds) const {
  const double travelled = seconds * kSpeedMps;
  for (int y = horizon_; y < height_; ++y) {
    const double ahead = kCameraHeightM * focal_px_ / (y - horizon_ + 1);
    const double px_per_m = focal_px_ / ahead;
    const double centre = road_centre(ahead, seconds);
    const double along = travelled + ahead;
    const bool dash = wrap(along, kDashPeriodM) < kDashM;
    const auto band = [&](double from_m, double to_m, Colour colour) {
      // An odd row has its chroma from the row above, so both are drawn alike.
      fill(planes, static_cast<int>(std::lround(centre + from_m * px_per_m)), y,
           static_cast<int>(std::lround(centre + to_m * px_per_m)), y + 1, colour);
    };
    const bool stripe = wrap(along, 40) < 20;
    fill(planes, 0, y, width_, y + 1, {static_cast<std::uint8_t>(stripe ? 96 : 88), 112, 116});
    band(-kRoadHalfWidthM, kRoadHalfWidthM, {70, 128, 128});
    const double thin = std::max(kLineHalfWidthM, 0.7 / px_per_m);
    for (const double edge : {-kRoadHalfWidthM + 0.3, kRoadHalfWidthM - 0.3}) {
      band(edge - thin, edge + thin, {205, 128, 128});
    }
    if (dash) {
      for (const double line : {-kLaneLineM, kLaneLineM}) {
        band(line - thin, line + thin, {215, 128, 128});
      }
    }
    // Grain by place in the world, so that it flows towards us as asphalt and grass do.
    const int row = static_cast<int>(along * 6) & (kGrainSize - 1);
    const double step = 24 / px_per_m;
    double column = -centre * step + 1e6;
    std::uint8_t* line = planes.y + at(0, y, width_);
    for (int x = 0; x < width_; ++x, column += step) {
      line[x] = static_cast<std::uint8_t>(
          line[x] + grain_[at(static_cast<int>(column) & (kGrainSize - 1), row, kGrainSize)]);
    }
  }
}

void RoadScene::draw_posts(const Planes& planes, double seconds) const {
  const double travelled = seconds * kSpeedMps;
  for (double ahead = kFarthestM; ahead > 4; ahead -= kPostEveryM) {
    const double real = ahead - wrap(travelled, kPostEveryM);
    if (real < 3) continue;
    const double px_per_m = focal_px_ / real;
    const int foot = horizon_ + static_cast<int>(kCameraHeightM * px_per_m);
    const int tall = std::max(1, static_cast<int>(1.0 * px_per_m));
    const int wide = std::max(1, static_cast<int>(0.12 * px_per_m));
    for (const double side : {-kRoadHalfWidthM - 1, kRoadHalfWidthM + 1}) {
      const int x = static_cast<int>(road_centre(real, seconds) + side * px_per_m);
      fill(planes, x - wide, foot - tall, x + wide, foot, {225, 128, 128});
      fill(planes, x - wide, foot - tall * 4 / 5, x + wide, foot - tall * 3 / 5, {40, 128, 128});
    }
  }
}

void RoadScene::draw_car(const Planes& planes, double lateral_m, double ahead_m,
                         Colour body) const {
  const double px_per_m = focal_px_ / ahead_m;
  const auto px = [&](double metres) { return static_cast<int>(metres * px_per_m); };
  const int foot = horizon_ + px(kCameraHeightM);
  const int centre = width_ / 2 + px(lateral_m);
  fill(planes, centre - px(0.95), foot - px(0.12), centre + px(0.95), foot + px(0.06),
       {28, 128, 128});
  fill(planes, centre - px(0.9), foot - px(0.95), centre + px(0.9), foot - px(0.15), body);
  fill(planes, centre - px(0.7), foot - px(1.45), centre + px(0.7), foot - px(0.95), body);
  fill(planes, centre - px(0.6), foot - px(1.38), centre + px(0.6), foot - px(1.0), {50, 132, 124});
  for (const int side : {-1, 1}) {
    const int lamp = centre + side * px(0.75);
    fill(planes, lamp - px(0.12), foot - px(0.8), lamp + px(0.12), foot - px(0.62), {90, 100, 205});
    const int wheel = centre + side * px(0.7);
    fill(planes, wheel - px(0.14), foot - px(0.3), wheel + px(0.14), foot, {22, 128, 128});
  }
}

void RoadScene::draw(double seconds, std::span<std::uint8_t> frame) const {
  if (frame.size() < frame_size()) return;
  const std::size_t luma = at(0, height_, width_);
  const Planes planes{frame.data(), frame.data() + luma, frame.data() + luma + luma / 4};
  draw_sky(planes, seconds);
  draw_ground(planes, seconds);
  draw_posts(planes, seconds);
  const double slow = 38 + 14 * std::sin(seconds * 0.4);
  draw_car(planes, 0.2 + (road_centre(slow, seconds) - width_ / 2.0) / (focal_px_ / slow), slow,
           {120, 150, 110});
  // One that comes towards us on the left now and then.
  const double towards = 220 - wrap(seconds * 45, 260);
  if (towards > 4) {
    draw_car(planes, -3.7 + (road_centre(towards, seconds) - width_ / 2.0) / (focal_px_ / towards),
             towards, {150, 110, 140});
  }
}

}  // namespace farwheel
