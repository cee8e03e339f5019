#include "items/level_shape_item.h"

#include <QPainter>
#include <QPolygonF>
#include <algorithm>

namespace farwheel::station {

LevelShapeItem::LevelShapeItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
  setAntialiasing(true);
  connect(this, &LevelShapeItem::lookChanged, this, [this] { update(); });
}

void LevelShapeItem::paint(QPainter* painter) {
  const double side = std::min(width(), height());
  painter->translate(width() / 2, height() / 2);
  painter->scale(side / 2, side / 2);
  painter->setPen(Qt::NoPen);
  painter->setBrush(color_);
  switch (level_) {
    case Level::Unknown:
      painter->setBrush(Qt::NoBrush);
      painter->setPen(QPen(color_, 0.26));
      painter->drawEllipse(QPointF(0, 0), 0.72, 0.72);
      break;
    case Level::Normal:
      painter->drawEllipse(QPointF(0, 0), 0.78, 0.78);
      break;
    case Level::Advisory:
      painter->drawPolygon(
          QPolygonF({QPointF(0, -1), QPointF(1, 0), QPointF(0, 1), QPointF(-1, 0)}));
      break;
    case Level::Caution:
      painter->drawPolygon(QPolygonF({QPointF(0, -0.95), QPointF(1, 0.85), QPointF(-1, 0.85)}));
      painter->fillRect(QRectF(-0.12, -0.3, 0.24, 0.6), inner_color_);
      painter->fillRect(QRectF(-0.12, 0.45, 0.24, 0.22), inner_color_);
      break;
    case Level::Critical:
      painter->drawRect(QRectF(-0.88, -0.88, 1.76, 1.76));
      painter->fillRect(QRectF(-0.5, -0.16, 1.0, 0.32), inner_color_);
      break;
  }
}

}  // namespace farwheel::station
