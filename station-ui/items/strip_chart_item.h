// The last minute of a figure as a line, newest at the right edge; unknown stretches are gaps.
// Painted with QPainter, since the software scene graph draws no geometry nodes. What lies above a
// limit is drawn in that limit's colour, and each limit is a labelled line.
#pragma once

#include <QColor>
#include <QFont>
#include <QPointer>
#include <QQuickPaintedItem>

#include "models/time_series.h"

namespace farwheel::station {

class StripChartItem : public QQuickPaintedItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(farwheel::station::TimeSeries* series READ series WRITE setSeries NOTIFY seriesChanged)
  // A second line on the same scale, dashed; may be null.
  Q_PROPERTY(farwheel::station::TimeSeries* targetSeries MEMBER target_series_ NOTIFY lookChanged)
  // The value at the upper edge; the lower edge is 0.
  Q_PROPERTY(double to MEMBER to_ NOTIFY lookChanged)
  Q_PROPERTY(double cautionFrom MEMBER caution_from_ NOTIFY lookChanged)
  Q_PROPERTY(double criticalFrom MEMBER critical_from_ NOTIFY lookChanged)
  Q_PROPERTY(QColor lineColor MEMBER line_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor gridColor MEMBER grid_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor textColor MEMBER text_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor targetColor MEMBER target_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor cautionColor MEMBER caution_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor criticalColor MEMBER critical_color_ NOTIFY lookChanged)
  Q_PROPERTY(QFont font MEMBER font_ NOTIFY lookChanged)

 public:
  explicit StripChartItem(QQuickItem* parent = nullptr);

  TimeSeries* series() const { return series_; }
  void setSeries(TimeSeries* series);
  void paint(QPainter* painter) override;

 signals:
  void seriesChanged();
  void lookChanged();

 private:
  struct Stretch;
  QPointF place(Nanoseconds at, double value) const;
  // Where the plot ends and the seconds below it begin.
  double floor() const;
  std::vector<Stretch> stretches_of(const TimeSeries& series) const;
  void draw_grid(QPainter* painter) const;
  void draw_limit(QPainter* painter, double from, const QColor& color) const;
  void draw_series(QPainter* painter) const;
  void draw_target(QPainter* painter) const;

  QPointer<TimeSeries> series_;
  QPointer<TimeSeries> target_series_;
  double to_ = 1;
  double caution_from_ = std::numeric_limits<double>::quiet_NaN();
  double critical_from_ = std::numeric_limits<double>::quiet_NaN();
  QColor line_color_;
  QColor grid_color_;
  QColor text_color_;
  QColor target_color_;
  QColor caution_color_;
  QColor critical_color_;
  QFont font_;
};

}  // namespace farwheel::station
