#include "items/radar_item.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace farwheel::station {
namespace {

constexpr std::array kRingsM{10.0, 25.0, 50.0, 100.0, 150.0, 200.0};
constexpr double kRear = 26;  // px behind the sensor, for the vehicle's outline
constexpr double kAhead = 8;  // px beyond the farthest ring
constexpr double kVehicleWidthM = 1.9;
constexpr double kVehicleLengthM = 4.6;
constexpr double kLeastVehicleWidth = 9;  // px: at 200 m to scale it would vanish
constexpr double kSymbolRadius = 3.4;
constexpr double kDotRadius = 1.9;
constexpr double kLabelAngle = std::numbers::pi / 4;  // right of straight ahead
constexpr std::array kRaysDegrees{-60.0, -30.0, 30.0, 60.0};

}  // namespace

void draw_doppler(QPainter* painter, Doppler doppler, const QPointF& centre, double radius) {
  const double x = centre.x();
  const double y = centre.y();
  const double half = radius * 0.95;
  switch (doppler) {
    case Doppler::Approaching:
      painter->drawPolygon(QPolygonF(
          {QPointF(x - half, y - radius), QPointF(x + half, y - radius), QPointF(x, y + radius)}));
      break;
    case Doppler::Receding:
      painter->drawPolygon(QPolygonF(
          {QPointF(x - half, y + radius), QPointF(x + half, y + radius), QPointF(x, y - radius)}));
      break;
    case Doppler::Still:
      painter->drawEllipse(centre, radius * kDotRadius / kSymbolRadius,
                           radius * kDotRadius / kSymbolRadius);
      break;
    case Doppler::Unknown: {
      const QBrush brush = painter->brush();
      painter->setPen(QPen(brush.color(), 1));
      painter->setBrush(Qt::NoBrush);
      painter->drawEllipse(centre, radius * 0.62, radius * 0.62);
      painter->setPen(Qt::NoPen);
      painter->setBrush(brush);
      break;
    }
  }
}

RadarItem::RadarItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
  setAntialiasing(true);
  setClip(true);
  connect(this, &RadarItem::lookChanged, this, [this] { update(); });
}

void RadarItem::setRadar(RadarModel* radar) {
  if (radar == radar_) return;
  if (radar_) disconnect(radar_, nullptr, this, nullptr);
  radar_ = radar;
  if (radar) {
    connect(radar, &RadarModel::sweepChanged, this, [this] { update(); });
    connect(radar, &RadarModel::rangeChanged, this, [this] { update(); });
  }
  update();
  emit radarChanged();
}

double RadarItem::pixels_per_metre() const {
  const double range = radar_ ? radar_->rangeM() : 50;
  return std::max(height() - kRear - kAhead, 1.0) / range;
}

QPointF RadarItem::place(double x, double y) const {
  return {width() / 2 - y * pixels_per_metre(), height() - kRear - x * pixels_per_metre()};
}

void RadarItem::paint(QPainter* painter) {
  draw_rings(painter);
  draw_vehicle(painter);
  if (!radar_) return;
  // What moves lies over what stands, and what comes closer over everything.
  draw_points(painter, Doppler::Unknown);
  draw_points(painter, Doppler::Still);
  draw_points(painter, Doppler::Receding);
  draw_points(painter, Doppler::Approaching);
}

void RadarItem::draw_rings(QPainter* painter) const {
  const QPointF centre = place(0, 0);
  const double range = radar_ ? radar_->rangeM() : 50;
  const QFontMetricsF metrics(font_);
  painter->setFont(font_);
  painter->setBrush(Qt::NoBrush);
  painter->setPen(QPen(grid_color_, 1));
  for (const double degrees : kRaysDegrees) {
    const double angle = degrees * std::numbers::pi / 180;
    const double inner = kRingsM.front() * pixels_per_metre();
    const double outer = 2 * range * pixels_per_metre();
    const QPointF direction(std::sin(angle), -std::cos(angle));
    painter->drawLine(centre + inner * direction, centre + outer * direction);
  }
  painter->drawLine(centre, QPointF(centre.x(), 0));
  // Numbers stand aside of the lane ahead, where most of what matters is.
  const QPointF aside(std::sin(kLabelAngle), -std::cos(kLabelAngle));
  double last_labelled = 0;
  for (const double ring : kRingsM) {
    if (ring > range) break;
    const double radius = ring * pixels_per_metre();
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(grid_color_, 1));
    painter->drawEllipse(centre, radius, radius);
    if (radius - last_labelled < 2 * metrics.height()) continue;
    last_labelled = radius;
    const QString text = ring == range ? tr("%1 m").arg(ring) : QString::number(ring);
    const QSizeF size(metrics.horizontalAdvance(text) + 6, metrics.capHeight() + 6);
    const QPointF middle = centre + radius * aside;
    QRectF box(middle - QPointF(size.width() / 2, size.height() / 2), size);
    box.moveRight(std::min(box.right(), width()));
    painter->fillRect(box, background_color_);
    painter->setPen(text_color_);
    painter->drawText(QPointF(box.x() + 3, box.y() + metrics.capHeight() + 3), text);
  }
}

void RadarItem::draw_vehicle(QPainter* painter) const {
  const double vehicle_width = std::max(kVehicleWidthM * pixels_per_metre(), kLeastVehicleWidth);
  const double length = std::min(vehicle_width * kVehicleLengthM / kVehicleWidthM, kRear - 3);
  const QPointF front = place(0, 0);
  QPainterPath outline;
  outline.addRoundedRect(
      QRectF(front.x() - vehicle_width / 2, front.y() + 2, vehicle_width, length), 3, 3);
  painter->setPen(QPen(vehicle_color_, 1.25));
  painter->setBrush(background_color_);
  painter->drawPath(outline);
  painter->drawLine(QPointF(front.x() - vehicle_width / 2 + 2, front.y() + 2 + length * 0.3),
                    QPointF(front.x() + vehicle_width / 2 - 2, front.y() + 2 + length * 0.3));
}

void RadarItem::draw_points(QPainter* painter, Doppler doppler) const {
  painter->setPen(Qt::NoPen);
  switch (doppler) {
    case Doppler::Approaching:
      painter->setBrush(approaching_color_);
      break;
    case Doppler::Receding:
      painter->setBrush(receding_color_);
      break;
    case Doppler::Still:
    case Doppler::Unknown:
      painter->setBrush(still_color_);
      break;
  }
  for (const RadarModel::Point& point : radar_->points()) {
    if (point.doppler == doppler) {
      draw_doppler(painter, doppler, place(point.x, point.y), kSymbolRadius);
    }
  }
}

DopplerSymbolItem::DopplerSymbolItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
  setAntialiasing(true);
  connect(this, &DopplerSymbolItem::lookChanged, this, [this] { update(); });
}

void DopplerSymbolItem::paint(QPainter* painter) {
  painter->setPen(Qt::NoPen);
  painter->setBrush(color_);
  draw_doppler(painter, doppler_, QPointF(width() / 2, height() / 2),
               std::min(width(), height()) / 2 - 0.5);
}

}  // namespace farwheel::station
