// Shows one camera's newest frame, letterboxed. Works with every scene graph backend, the software
// one included (a QSGImageNode, no shader). The last frame stays; whether it may still be believed
// is the camera model's judgement, and the veil over it is QML's.
#pragma once

#include <QPointer>
#include <QQuickItem>
#include <optional>

#include "models/camera_model.h"

namespace farwheel::station {

class VideoItem : public QQuickItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(
      farwheel::station::CameraModel* camera READ camera WRITE setCamera NOTIFY cameraChanged)
  // Where the picture lies inside the item.
  Q_PROPERTY(QRectF pictureRect READ pictureRect NOTIFY pictureRectChanged)

 public:
  explicit VideoItem(QQuickItem* parent = nullptr);

  CameraModel* camera() const { return camera_; }
  void setCamera(CameraModel* camera);
  const QRectF& pictureRect() const { return picture_rect_; }

 signals:
  void cameraChanged();
  void pictureRectChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData* data) override;
  void itemChange(ItemChange change, const ItemChangeData& data) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  void follow_window(QQuickWindow* window);
  void report_swap();

  QPointer<CameraModel> camera_;
  QMetaObject::Connection arrival_;
  QMetaObject::Connection swap_;
  QRectF picture_rect_;
  // Render thread only, or with the GUI thread blocked.
  std::optional<VideoFrame> frame_;
  bool swap_pending_ = false;
};

// The largest rectangle of `picture`'s shape inside `room`, centred; empty when either is.
QRectF letterbox(const QSizeF& picture, const QRectF& room);

}  // namespace farwheel::station
