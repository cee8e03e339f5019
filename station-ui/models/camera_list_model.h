// The cameras in the order of their names' first appearance; one of them has the main place.
// A camera stays listed when its feed ends, so that its last picture is seen as lost, not missing.
#pragma once

#include <QtQml/qqmlregistration.h>

#include <QAbstractListModel>
#include <vector>

#include "models/camera_model.h"

namespace farwheel::station {

class CameraListModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("made by StationModel")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  // Null before the first camera.
  Q_PROPERTY(farwheel::station::CameraModel* main READ main NOTIFY mainChanged)

 public:
  enum Role { CameraRole = Qt::UserRole + 1 };
  // More are ignored: a hostile vehicle may not fill the screen.
  static constexpr int kMaxCameras = 9;

  using QAbstractListModel::QAbstractListModel;

  void add(const QString& name, std::shared_ptr<FrameMailbox> frames);
  void remove(const QString& name);
  void tick(LinkState link, Nanoseconds now);
  // Brings the camera with this number (from 1) to the main place; others are ignored.
  Q_INVOKABLE void show(int number);

  int count() const { return static_cast<int>(cameras_.size()); }
  CameraModel* main() const;
  const std::vector<CameraModel*>& cameras() const { return cameras_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 signals:
  void countChanged();
  void mainChanged();
  // Any camera's frame came on screen.
  void frameShown(const farwheel::station::ShownFrame& frame);

 private:
  CameraModel* find(const QString& name) const;

  std::vector<CameraModel*> cameras_;  // children of this
};

}  // namespace farwheel::station
