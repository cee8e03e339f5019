// A figure on an analogue band: scale with numbers, zones above the limits, the value as a bar with
// a pointer, its error band, and a mark for a second figure. Without a value only the scale is
// drawn.
#pragma once

#include <QtQml/qqmlregistration.h>

#include <QColor>
#include <QFont>
#include <QList>
#include <QQuickPaintedItem>
#include <limits>

namespace farwheel::station {

class GaugeScaleItem : public QQuickPaintedItem {
  Q_OBJECT
  QML_ELEMENT
  // Not a number: unknown.
  Q_PROPERTY(double value MEMBER value_ NOTIFY lookChanged)
  Q_PROPERTY(double band MEMBER band_ NOTIFY lookChanged)
  Q_PROPERTY(double target MEMBER target_ NOTIFY lookChanged)
  Q_PROPERTY(double to MEMBER to_ NOTIFY lookChanged)
  Q_PROPERTY(QList<double> marks MEMBER marks_ NOTIFY lookChanged)
  Q_PROPERTY(double cautionFrom MEMBER caution_from_ NOTIFY lookChanged)
  Q_PROPERTY(double criticalFrom MEMBER critical_from_ NOTIFY lookChanged)
  Q_PROPERTY(QColor valueColor MEMBER value_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor trackColor MEMBER track_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor textColor MEMBER text_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor targetColor MEMBER target_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor cautionColor MEMBER caution_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor criticalColor MEMBER critical_color_ NOTIFY lookChanged)
  Q_PROPERTY(QFont font MEMBER font_ NOTIFY lookChanged)

 public:
  explicit GaugeScaleItem(QQuickItem* parent = nullptr);

  void paint(QPainter* painter) override;

 signals:
  void lookChanged();

 private:
  double x_of(double value) const;
  void draw_zone(QPainter* painter, double from, double to, const QColor& color) const;
  void draw_marks(QPainter* painter) const;
  void draw_value(QPainter* painter) const;

  double value_ = std::numeric_limits<double>::quiet_NaN();
  double band_ = std::numeric_limits<double>::quiet_NaN();
  double target_ = std::numeric_limits<double>::quiet_NaN();
  double to_ = 1;
  QList<double> marks_;
  double caution_from_ = std::numeric_limits<double>::quiet_NaN();
  double critical_from_ = std::numeric_limits<double>::quiet_NaN();
  QColor value_color_;
  QColor track_color_;
  QColor text_color_;
  QColor target_color_;
  QColor caution_color_;
  QColor critical_color_;
  QFont font_;
};

}  // namespace farwheel::station
