// The whole face of the console as models, fed by a backend. Owns them all; lives in the GUI
// thread. tick() is the only place where time passes: the program calls it 30 times a second, tests
// with any time they like.
#pragma once

#include <QtQml/qqmlregistration.h>

#include <QObject>
#include <memory>

#include "backend/station_backend.h"
#include "models/camera_list_model.h"
#include "models/connection_model.h"
#include "models/link_model.h"
#include "models/radar_model.h"

namespace farwheel::station {

class StationModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("made by the program")
  Q_PROPERTY(farwheel::station::ConnectionModel* connection READ connection CONSTANT)
  Q_PROPERTY(farwheel::station::LinkModel* link READ link CONSTANT)
  Q_PROPERTY(farwheel::station::CameraListModel* cameras READ cameras CONSTANT)
  Q_PROPERTY(farwheel::station::RadarModel* radar READ radar CONSTANT)
  // The wall clock of this machine, "12:31:07".
  Q_PROPERTY(QString timeOfDay READ timeOfDay NOTIFY timeOfDayChanged)

 public:
  using QObject::QObject;

  // Takes everything that the backend says from now on.
  void follow(StationBackend* backend);
  void receiveStats(std::shared_ptr<const StationStats> stats);
  void tick(Nanoseconds now);
  void setTimeOfDay(const QString& text);

  ConnectionModel* connection() { return &connection_; }
  LinkModel* link() { return &link_; }
  CameraListModel* cameras() { return &cameras_; }
  RadarModel* radar() { return &radar_; }
  const QString& timeOfDay() const { return time_of_day_; }
  // The newest stats; null before the first.
  const StationStats* stats() const { return stats_.get(); }

 signals:
  void timeOfDayChanged();

 private:
  std::shared_ptr<const StationStats> stats_;
  ConnectionModel connection_;
  LinkModel link_;
  CameraListModel cameras_;
  RadarModel radar_;
  QString time_of_day_;
};

}  // namespace farwheel::station
