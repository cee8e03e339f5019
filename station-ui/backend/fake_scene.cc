#include "backend/fake_scene.h"

#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace farwheel::station {
namespace {

constexpr int kWidth = 960;
constexpr int kHeight = 540;
constexpr double kHorizon = 236;
constexpr double kVanishingX = 500;
constexpr double kCameraHeight = 1.4;  // m
constexpr double kFocal = 620;         // px
constexpr double kLane = 3.6;          // m
constexpr double kEgoSpeed = 22;       // m/s
constexpr Nanoseconds kStopsAfter = 2 * kSecond;

struct OtherCar {
  double lane;      // m to the left
  double ahead;     // m at the start
  double relative;  // m/s, positive: pulls away
  QRgb paint;
};

constexpr std::array kCars{
    OtherCar{0.0, 34, 1.2, qRgb(150, 34, 38)},
    OtherCar{-kLane, 58, 3.5, qRgb(196, 200, 206)},
    OtherCar{kLane, 90, -41.0, qRgb(52, 74, 110)},
    OtherCar{kLane, 150, -44.0, qRgb(196, 190, 172)},
};

double seconds_of(Nanoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kSecond);
}

// Between 0 and 1, the same for the same input everywhere.
double noise(std::uint32_t seed) {
  seed ^= seed >> 16;
  seed *= 0x7feb352dU;
  seed ^= seed >> 15;
  seed *= 0x846ca68bU;
  seed ^= seed >> 16;
  return static_cast<double>(seed) / 4294967295.0;
}

double wave(double seconds, double period, double phase) {
  return std::sin(2 * 3.14159265358979 * seconds / period + phase);
}

QPointF project(double left, double ahead) {
  return {kVanishingX - left * kFocal / ahead, kHorizon + kCameraHeight * kFocal / ahead};
}

double place_of(const OtherCar& car, double seconds) {
  // Cars come again: 8 to 170 m ahead.
  const double span = 162;
  const double raw = std::fmod(car.ahead - 8 + car.relative * seconds, span);
  return 8 + (raw < 0 ? raw + span : raw);
}

QImage paint_road() {
  QImage image(kWidth, kHeight, QImage::Format_RGB32);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  QLinearGradient sky(0, 40, 0, kHorizon);
  sky.setColorAt(0, QColor(FakeScene::kSky));
  sky.setColorAt(0.7, QColor(112, 124, 142));
  sky.setColorAt(1, QColor(196, 172, 148));
  painter.fillRect(QRectF(0, 0, kWidth, kHorizon + 1), sky);
  QPainterPath hills(QPointF(0, kHorizon - 26));
  for (int x = 0; x <= kWidth; x += 8) {
    hills.lineTo(x, kHorizon - 20 - 11 * wave(x, 410, 0.5) - 7 * wave(x, 170, 1.9));
  }
  hills.lineTo(kWidth, kHorizon + 2);
  hills.lineTo(0, kHorizon + 2);
  painter.fillPath(hills, QColor(58, 68, 76));
  QLinearGradient ground(0, kHorizon, 0, kHorizon + 70);
  ground.setColorAt(0, QColor(84, 92, 78));
  ground.setColorAt(1, QColor(FakeScene::kGround));
  painter.fillRect(QRectF(0, kHorizon, kWidth, kHeight - kHorizon), ground);
  const double left = 1.5 * kLane + 0.6;
  const double right = -1.5 * kLane - 0.6;
  QLinearGradient asphalt(0, kHorizon, 0, kHeight);
  asphalt.setColorAt(0, QColor(98, 98, 98));
  asphalt.setColorAt(1, QColor(56, 57, 59));
  painter.setPen(Qt::NoPen);
  painter.setBrush(asphalt);
  painter.drawPolygon(QPolygonF(
      {project(left, 400), project(right, 400), project(right, 2.4), project(left, 2.4)}));
  painter.setBrush(QColor(206, 206, 200));
  for (const double edge : {1.5 * kLane, -1.5 * kLane}) {
    painter.drawPolygon(QPolygonF({project(edge + 0.08, 300), project(edge - 0.08, 300),
                                   project(edge - 0.08, 2.4), project(edge + 0.08, 2.4)}));
  }
  return image;
}

QImage paint_yard() {
  QImage image(kWidth, kHeight, QImage::Format_RGB32);
  image.fill(qRgb(70, 74, 80));
  QPainter painter(&image);
  painter.fillRect(0, 0, kWidth, 250, QColor(104, 112, 122));
  painter.fillRect(0, 250, kWidth, 290, QColor(60, 62, 65));
  for (int i = 0; i < 6; ++i) {
    painter.fillRect(40 + i * 160, 120 + 12 * (i % 2), 130, 130 - 12 * (i % 2),
                     QColor(78 + 9 * i, 84 + 5 * i, 94));
  }
  return image;
}

void draw_dashes(QPainter* painter, double seconds) {
  painter->setBrush(QColor(206, 206, 200));
  const double offset = std::fmod(kEgoSpeed * seconds, 12.0);
  for (const double line : {0.5 * kLane, -0.5 * kLane}) {
    for (double start = 140; start > -12; start -= 12) {
      const double near = std::max(start - offset, 2.4);
      const double far = start - offset + 4;
      if (far <= near) continue;
      painter->drawPolygon(QPolygonF({project(line + 0.07, far), project(line - 0.07, far),
                                      project(line - 0.07, near), project(line + 0.07, near)}));
    }
  }
}

void draw_car(QPainter* painter, const OtherCar& car, double ahead) {
  const QPointF ground = project(car.lane, ahead);
  const double metre = kFocal / ahead;
  const bool oncoming = car.relative < -10;
  painter->setBrush(QColor(0, 0, 0, 90));
  painter->drawEllipse(ground, 1.05 * metre, 0.12 * metre);
  const QRectF body(ground.x() - 0.92 * metre, ground.y() - 0.95 * metre, 1.84 * metre,
                    0.85 * metre);
  painter->setBrush(QColor(car.paint));
  painter->drawRoundedRect(body, 0.14 * metre, 0.14 * metre);
  painter->setBrush(QColor(car.paint).darker(115));
  const double roof = ground.y() - 1.45 * metre;
  painter->drawPolygon(
      QPolygonF({QPointF(ground.x() - 0.62 * metre, roof), QPointF(ground.x() + 0.62 * metre, roof),
                 QPointF(ground.x() + 0.86 * metre, body.top() + 0.08 * metre),
                 QPointF(ground.x() - 0.86 * metre, body.top() + 0.08 * metre)}));
  painter->setBrush(QColor(26, 32, 40));
  painter->drawPolygon(QPolygonF({QPointF(ground.x() - 0.54 * metre, roof + 0.08 * metre),
                                  QPointF(ground.x() + 0.54 * metre, roof + 0.08 * metre),
                                  QPointF(ground.x() + 0.74 * metre, body.top()),
                                  QPointF(ground.x() - 0.74 * metre, body.top())}));
  painter->setBrush(oncoming ? QColor(255, 246, 214) : QColor(214, 44, 36));
  for (const double side : {-0.72, 0.72}) {
    painter->drawRoundedRect(QRectF(ground.x() + side * metre - 0.15 * metre,
                                    body.top() + 0.18 * metre, 0.3 * metre, 0.18 * metre),
                             0.06 * metre, 0.06 * metre);
  }
}

}  // namespace

std::optional<FakeCourse> fake_course(const std::string& name) {
  if (name == "live") return FakeCourse::kLive;
  if (name == "degraded") return FakeCourse::kDegraded;
  if (name == "frozen") return FakeCourse::kFrozen;
  if (name == "lost") return FakeCourse::kLost;
  if (name == "waiting") return FakeCourse::kWaiting;
  return std::nullopt;
}

FakeScene::FakeScene(FakeCourse course)
    : course_(course), road_(paint_road()), yard_(paint_yard()) {}

bool FakeScene::delivers(Nanoseconds since_start) const {
  switch (course_) {
    case FakeCourse::kLive:
    case FakeCourse::kDegraded:
      return true;
    case FakeCourse::kFrozen:
    case FakeCourse::kLost:
      return since_start < kStopsAfter;
    case FakeCourse::kWaiting:
      break;
  }
  return false;
}

QImage FakeScene::picture(int camera, Nanoseconds since_start) const {
  const double seconds = seconds_of(since_start);
  QImage image = camera == 0 ? road_ : yard_;
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  if (camera != 0) {
    painter.setBrush(QColor(186, 150, 60));
    painter.drawRoundedRect(QRectF(std::fmod(90 * seconds, kWidth + 200.0) - 160, 300, 150, 90), 8,
                            8);
    return image;
  }
  draw_dashes(&painter, seconds);
  std::array<std::pair<double, const OtherCar*>, kCars.size()> cars;
  for (std::size_t i = 0; i < kCars.size(); ++i) {
    cars[i] = {place_of(kCars[i], seconds), &kCars[i]};
  }
  std::sort(cars.begin(), cars.end(),
            [](const auto& one, const auto& other) { return one.first > other.first; });
  for (const auto& [ahead, car] : cars) draw_car(&painter, *car, ahead);
  return image;
}

RadarSweep FakeScene::sweep(std::uint32_t number, Nanoseconds since_start) const {
  const double seconds = seconds_of(since_start);
  RadarSweep sweep{.sensor = 0, .number = number};
  const auto add = [&sweep](double x, double y, double vx) {
    sweep.detections.push_back({.x = static_cast<float>(x),
                                .y = static_cast<float>(y),
                                .vx = static_cast<float>(vx),
                                .vy = 0,
                                .rcs = 5});
  };
  std::uint32_t seed = number * 97;
  const auto next = [&seed] { return noise(seed++); };
  for (const OtherCar& car : kCars) {
    for (int i = 0; i < 5; ++i) {
      const double behind_bumper = 2.5 * next();
      const double off_centre = 1.6 * (next() - 0.5);
      add(place_of(car, seconds) + behind_bumper, car.lane + off_centre, car.relative);
    }
  }
  // Posts and bushes beside the road; the radar reports them with the vehicle's motion taken out.
  for (std::uint32_t post = 0; post < 44; ++post) {
    const double spacing = std::fmod(4.0 * post - kEgoSpeed * seconds, 88.0);
    const double ahead = spacing < 0 ? spacing + 88 : spacing;
    const double side = post % 2 == 0 ? 7.0 : -7.0;
    const double jitter = 0.3 * next();
    add(ahead + jitter, side + 6 * (noise(post * 31) - 0.3) * (side > 0 ? 1 : -1),
        0.1 * (next() - 0.5));
  }
  return sweep;
}

Nanoseconds FakeScene::picture_age(Nanoseconds since_start) const {
  const double base = course_ == FakeCourse::kDegraded ? 352 : 78;
  return static_cast<Nanoseconds>((base + 6 * wave(seconds_of(since_start), 3.1, 0)) *
                                  static_cast<double>(kMillisecond));
}

StationStats FakeScene::stats(Nanoseconds since_start) const {
  const double seconds = seconds_of(since_start);
  const auto tick = static_cast<std::uint32_t>(since_start / (100 * kMillisecond));
  StationStats stats;
  stats.listening = "http://127.0.0.1:8080/whip/";
  stats.sessions_total = 0;
  if (course_ == FakeCourse::kWaiting) {
    stats.link = LinkState::kWaiting;
    return stats;
  }
  const double silent_ms =
      delivers(since_start) ? 20 : to_milliseconds(since_start - kStopsAfter) + 20;
  stats.link = LinkState::kConnected;
  if (silent_ms > 300) stats.link = LinkState::kStale;
  if (silent_ms > 1500 && course_ == FakeCourse::kLost) stats.link = LinkState::kLost;
  const bool degraded = course_ == FakeCourse::kDegraded;
  // A short burst of delay every 17 s, as a cell handover gives.
  const double since_burst = std::fmod(seconds + 6, 17.0);
  const double burst = since_burst < 1.4 ? 95 * std::exp(-since_burst * 2.2) : 0;
  const double jitter = 5 * noise(tick * 7) + 2.5 * wave(seconds, 7.3, 1);
  const double delay = (degraded ? 214 + 60 * wave(seconds, 11, 0) : 29) + burst + jitter;
  const double rate = (degraded ? 1.3e6 : 4.2e6) * (1 + 0.06 * wave(seconds, 9, 2) - burst / 400);
  stats.vehicle_id = "vehicle-7";
  stats.encrypted = true;
  stats.session_age_ms = to_milliseconds(since_start);
  stats.last_media_age_ms = silent_ms;
  stats.state_age_ms = silent_ms + 40;
  stats.sessions_total = 1;
  stats.throughput_bps = rate * (0.96 + 0.03 * noise(tick * 13));
  stats.rtt_ms = 2 * delay - 4 + 3 * noise(tick * 3);
  stats.owd_ms = delay;
  stats.owd_error_ms = degraded ? 9 : 3.2;
  stats.clock_error_ms = degraded ? 9 : 3.2;
  stats.loss = degraded ? 0.034 : 0;
  stats.controller = ControllerStats{
      .algorithm = "adaptive-bbr2",
      .startup = "fbe",
      .state = seconds < 1                   ? "startup"
               : std::fmod(seconds, 8.0) > 7 ? "probe_bw_up"
                                             : "probe_bw_cruise",
      .limited_by = degraded      ? "loss"
                    : seconds < 1 ? "startup"
                                  : "encoder",
      .target_bps = rate * 1.05,
      .queue_delay_ms = degraded ? 64 + 10 * wave(seconds, 5, 0) : 2.6 + burst / 4,
      .pacer_queue_ms = 1.2,
      .fbe_estimate_bps = 9.4e6,
      .fbe_confidence = 0.8,
  };
  return stats;
}

}  // namespace farwheel::station
