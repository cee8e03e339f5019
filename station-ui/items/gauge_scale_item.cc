#include "items/gauge_scale_item.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

namespace farwheel::station {
namespace {

constexpr double kTop = 5;      // room for the pointer above the track
constexpr double kTrack = 6;    // thickness of the track
constexpr double kPointer = 4;  // half width of the pointer
constexpr double kInset = 1;
constexpr int kZoneAlpha = 90;
constexpr int kBandAlpha = 150;

}  // namespace

GaugeScaleItem::GaugeScaleItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
  setAntialiasing(true);
  connect(this, &GaugeScaleItem::lookChanged, this, [this] { update(); });
}

double GaugeScaleItem::x_of(double value) const {
  return kInset + std::clamp(value / to_, 0.0, 1.0) * (width() - 2 * kInset);
}

void GaugeScaleItem::paint(QPainter* painter) {
  if (!(to_ > 0) || width() < 8) return;
  const double caution = std::isfinite(caution_from_) ? caution_from_ : to_;
  const double critical = std::isfinite(critical_from_) ? critical_from_ : to_;
  QColor caution_zone = caution_color_;
  QColor critical_zone = critical_color_;
  caution_zone.setAlpha(kZoneAlpha);
  critical_zone.setAlpha(kZoneAlpha);
  draw_zone(painter, 0, caution, track_color_);
  draw_zone(painter, caution, critical, caution_zone);
  draw_zone(painter, critical, to_, critical_zone);
  draw_marks(painter);
  draw_value(painter);
}

void GaugeScaleItem::draw_zone(QPainter* painter, double from, double to,
                               const QColor& color) const {
  if (from >= to) return;
  // A hair between zones keeps them apart where colours cannot be told.
  const double gap = from > 0 ? 1.5 : 0;
  painter->fillRect(QRectF(x_of(from) + gap, kTop, x_of(to) - x_of(from) - gap, kTrack), color);
}

void GaugeScaleItem::draw_marks(QPainter* painter) const {
  const QFontMetricsF metrics(font_);
  painter->setFont(font_);
  painter->setPen(text_color_);
  const double baseline = kTop + kTrack + 5 + metrics.capHeight();
  for (const double mark : marks_) {
    const double x = x_of(mark);
    painter->fillRect(QRectF(std::round(x) - 0.5, kTop + kTrack, 1, 3), text_color_);
    const QString text = QString::number(mark, 'g', 4);
    const double text_width = metrics.horizontalAdvance(text);
    const double left = std::clamp(x - text_width / 2, 0.0, width() - text_width);
    painter->drawText(QPointF(left, baseline), text);
  }
}

void GaugeScaleItem::draw_value(QPainter* painter) const {
  painter->setPen(Qt::NoPen);
  if (std::isfinite(target_)) {
    const double x = x_of(target_);
    painter->fillRect(QRectF(x - 1, kTop - 3, 2, kTrack + 6), target_color_);
  }
  if (!std::isfinite(value_)) return;
  const double x = x_of(value_);
  painter->fillRect(QRectF(kInset, kTop, x - kInset, kTrack), value_color_);
  if (std::isfinite(band_) && band_ > 0) {
    QColor band = value_color_;
    band.setAlpha(kBandAlpha);
    const double low = x_of(value_ - band_);
    const double high = x_of(value_ + band_);
    painter->fillRect(QRectF(x, kTop, high - x, kTrack), band);
    painter->fillRect(QRectF(low, kTop - 2, high - low, 1), value_color_);
  }
  painter->setBrush(value_color_);
  painter->drawPolygon(
      QPolygonF({QPointF(x - kPointer, 0), QPointF(x + kPointer, 0), QPointF(x, kTop)}));
}

}  // namespace farwheel::station
