// The shape of a level, so that it is told apart without colour: a ring for unknown, a disc for
// normal, a diamond for advisory, a triangle for caution, a square with a bar for critical.
#pragma once

#include <QColor>
#include <QQuickPaintedItem>

#include "models/decisions.h"

namespace farwheel::station {

class LevelShapeItem : public QQuickPaintedItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(farwheel::station::Level level MEMBER level_ NOTIFY lookChanged)
  Q_PROPERTY(QColor color MEMBER color_ NOTIFY lookChanged)
  // Of the bar or dot inside the shape.
  Q_PROPERTY(QColor innerColor MEMBER inner_color_ NOTIFY lookChanged)

 public:
  explicit LevelShapeItem(QQuickItem* parent = nullptr);

  void paint(QPainter* painter) override;

 signals:
  void lookChanged();

 private:
  Level level_ = Level::Unknown;
  QColor color_;
  QColor inner_color_;
};

}  // namespace farwheel::station
