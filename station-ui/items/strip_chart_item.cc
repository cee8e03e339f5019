#include "items/strip_chart_item.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <vector>

namespace farwheel::station {
namespace {

constexpr double kLineWidth = 1.5;
constexpr double kDotRadius = 2.5;
constexpr double kHeadroom = 3;  // px above the highest value and below zero
constexpr double kAxisGap = 4;   // px between the plot and the seconds
constexpr int kGridSeconds = 10;
constexpr int kLabelSeconds = 20;
constexpr int kWindowSeconds = static_cast<int>(TimeSeries::kWindow / kSecond);
constexpr int kBandAlpha = 70;
constexpr int kFillAlpha = 26;
constexpr int kLimitAlpha = 120;

QColor faded(QColor color, int alpha) {
  color.setAlpha(alpha);
  return color;
}

}  // namespace

// Samples without a gap between them.
struct StripChartItem::Stretch {
  QPolygonF line;
  QPolygonF upper;
  QPolygonF lower;
};

StripChartItem::StripChartItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
  setAntialiasing(true);
  connect(this, &StripChartItem::lookChanged, this, [this] { update(); });
}

void StripChartItem::setSeries(TimeSeries* series) {
  if (series == series_) return;
  if (series_) disconnect(series_, nullptr, this, nullptr);
  series_ = series;
  if (series) connect(series, &TimeSeries::changed, this, [this] { update(); });
  update();
  emit seriesChanged();
}

QPointF StripChartItem::place(Nanoseconds at, double value) const {
  const double age = static_cast<double>(series_->newest() - at);
  const double x =
      (width() - kDotRadius - 1) * (1 - age / static_cast<double>(TimeSeries::kWindow));
  const double share = std::clamp(value / to_, 0.0, 1.0);
  return {x, floor() - kHeadroom - share * (floor() - 2 * kHeadroom)};
}

double StripChartItem::floor() const {
  return height() - std::ceil(QFontMetricsF(font_).capHeight()) - kAxisGap;
}

std::vector<StripChartItem::Stretch> StripChartItem::stretches_of(const TimeSeries& series) const {
  std::vector<Stretch> stretches;
  bool open = false;
  for (const TimeSeries::Sample& sample : series.samples()) {
    if (!std::isfinite(sample.value)) {
      open = false;
      continue;
    }
    if (!open) stretches.emplace_back();
    open = true;
    Stretch& stretch = stretches.back();
    stretch.line << place(sample.at, sample.value);
    if (sample.band > 0) {
      stretch.upper << place(sample.at, sample.value + sample.band);
      stretch.lower << place(sample.at, sample.value - sample.band);
    }
  }
  return stretches;
}

void StripChartItem::paint(QPainter* painter) {
  if (!series_ || width() < 8 || height() < 8 || !(to_ > 0)) return;
  draw_grid(painter);
  draw_target(painter);
  draw_series(painter);
}

void StripChartItem::draw_grid(QPainter* painter) const {
  painter->setRenderHint(QPainter::Antialiasing, false);
  painter->setPen(QPen(grid_color_, 1));
  const double bottom = std::round(floor());
  const QFontMetricsF metrics(font_);
  painter->setFont(font_);
  for (int seconds = 0; seconds <= kWindowSeconds; seconds += kGridSeconds) {
    const double x = std::round(place(series_->newest() - seconds * kSecond, 0).x());
    painter->setPen(QPen(grid_color_, 1));
    painter->drawLine(QPointF(x, bottom - 4), QPointF(x, bottom));
    if (seconds % kLabelSeconds != 0) continue;
    const QString text = seconds == 0 ? tr("now") : tr("%1 s").arg(seconds);
    const double text_width = metrics.horizontalAdvance(text);
    painter->setPen(text_color_);
    painter->drawText(QPointF(std::clamp(x - text_width / 2, 0.0, width() - text_width),
                              bottom + kAxisGap - 1 + metrics.capHeight()),
                      text);
  }
  painter->setPen(QPen(grid_color_, 1));
  painter->drawLine(QPointF(0, bottom), QPointF(width(), bottom));
  draw_limit(painter, caution_from_, caution_color_);
  draw_limit(painter, critical_from_, critical_color_);
  painter->setRenderHint(QPainter::Antialiasing, true);
}

void StripChartItem::draw_limit(QPainter* painter, double from, const QColor& color) const {
  if (!std::isfinite(from) || from > to_) return;
  const double y = std::round(place(series_->newest(), from).y());
  const QFontMetricsF metrics(font_);
  const QString text = QString::number(from, 'f', 0);
  QPen pen(faded(color, kLimitAlpha), 1);
  pen.setDashPattern({3, 3});
  painter->setPen(pen);
  painter->drawLine(QPointF(metrics.horizontalAdvance(text) + 4, y), QPointF(width(), y));
  painter->setPen(text_color_);
  painter->setFont(font_);
  painter->drawText(QPointF(0, y + metrics.capHeight() / 2), text);
}

void StripChartItem::draw_target(QPainter* painter) const {
  if (!target_series_) return;
  QPen pen(target_color_, 1.25);
  pen.setDashPattern({3, 2.4});
  painter->setPen(pen);
  painter->setBrush(Qt::NoBrush);
  for (const Stretch& stretch : stretches_of(*target_series_)) painter->drawPolyline(stretch.line);
}

void StripChartItem::draw_series(QPainter* painter) const {
  const std::vector<Stretch> stretches = stretches_of(*series_);
  if (stretches.empty()) return;
  // The same line three times, each clipped to the zone between two limits.
  struct Zone {
    double from;
    double to;
    QColor color;
  };
  const double caution = std::isfinite(caution_from_) ? caution_from_ : to_;
  const double critical = std::isfinite(critical_from_) ? critical_from_ : to_;
  const Zone zones[] = {{0, caution, line_color_},
                        {caution, critical, caution_color_},
                        {critical, to_, critical_color_}};
  const double floor_y = place(0, 0).y();
  for (const Zone& zone : zones) {
    if (zone.from >= zone.to) continue;
    const double top = zone.to >= to_ ? 0 : place(0, zone.to).y();
    const double bottom = zone.from <= 0 ? floor() : place(0, zone.from).y();
    painter->save();
    painter->setClipRect(QRectF(0, top, width(), bottom - top));
    for (const Stretch& stretch : stretches) {
      QPolygonF area = stretch.line;
      area << QPointF(stretch.line.last().x(), floor_y)
           << QPointF(stretch.line.first().x(), floor_y);
      painter->setPen(Qt::NoPen);
      painter->setBrush(faded(zone.color, kFillAlpha));
      painter->drawPolygon(area);
      if (!stretch.upper.isEmpty()) {
        QPolygonF band = stretch.upper;
        for (auto point = stretch.lower.crbegin(); point != stretch.lower.crend(); ++point) {
          band << *point;
        }
        painter->setBrush(faded(zone.color, kBandAlpha));
        painter->drawPolygon(band);
      }
      painter->setBrush(Qt::NoBrush);
      painter->setPen(QPen(zone.color, kLineWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
      painter->drawPolyline(stretch.line);
    }
    painter->restore();
  }
  const TimeSeries::Sample& newest = series_->samples().back();
  if (!std::isfinite(newest.value)) return;
  const QColor dot = newest.value > critical  ? critical_color_
                     : newest.value > caution ? caution_color_
                                              : line_color_;
  painter->setPen(Qt::NoPen);
  painter->setBrush(dot);
  painter->drawEllipse(place(newest.at, newest.value), kDotRadius, kDotRadius);
}

}  // namespace farwheel::station
