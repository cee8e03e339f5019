// A radar sweep from above, in metres: the sensor at the bottom, forward is up, left is left.
// Doppler by shape and colour: a triangle that points at the sensor approaches, one that points
// away recedes, a dot stands still, a ring is unknown.
#pragma once

#include <QColor>
#include <QFont>
#include <QPointer>
#include <QQuickPaintedItem>

#include "models/radar_model.h"

namespace farwheel::station {

class RadarItem : public QQuickPaintedItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(farwheel::station::RadarModel* radar READ radar WRITE setRadar NOTIFY radarChanged)
  Q_PROPERTY(QColor gridColor MEMBER grid_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor textColor MEMBER text_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor vehicleColor MEMBER vehicle_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor stillColor MEMBER still_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor approachingColor MEMBER approaching_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor recedingColor MEMBER receding_color_ NOTIFY lookChanged)
  Q_PROPERTY(QColor backgroundColor MEMBER background_color_ NOTIFY lookChanged)
  Q_PROPERTY(QFont font MEMBER font_ NOTIFY lookChanged)

 public:
  explicit RadarItem(QQuickItem* parent = nullptr);

  RadarModel* radar() const { return radar_; }
  void setRadar(RadarModel* radar);
  void paint(QPainter* painter) override;

  // Where a place in metres (x forward, y left) lies in the item. For tests as well.
  QPointF place(double x, double y) const;

 signals:
  void radarChanged();
  void lookChanged();

 private:
  double pixels_per_metre() const;
  void draw_rings(QPainter* painter) const;
  void draw_vehicle(QPainter* painter) const;
  void draw_points(QPainter* painter, Doppler doppler) const;

  QPointer<RadarModel> radar_;
  QColor grid_color_;
  QColor text_color_;
  QColor vehicle_color_;
  QColor still_color_;
  QColor approaching_color_;
  QColor receding_color_;
  QColor background_color_;
  QFont font_;
};

// One symbol of the plot, for the plot itself and its legend.
void draw_doppler(QPainter* painter, Doppler doppler, const QPointF& centre, double radius);

// The symbol alone, for a legend.
class DopplerSymbolItem : public QQuickPaintedItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(farwheel::station::Doppler doppler MEMBER doppler_ NOTIFY lookChanged)
  Q_PROPERTY(QColor color MEMBER color_ NOTIFY lookChanged)

 public:
  explicit DopplerSymbolItem(QQuickItem* parent = nullptr);
  void paint(QPainter* painter) override;

 signals:
  void lookChanged();

 private:
  Doppler doppler_ = Doppler::Unknown;
  QColor color_;
};

}  // namespace farwheel::station
