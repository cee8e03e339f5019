#include "items/video_item.h"

#include <QQuickWindow>
#include <QSGImageNode>
#include <cmath>
#include <utility>

namespace farwheel::station {

QRectF letterbox(const QSizeF& picture, const QRectF& room) {
  if (picture.isEmpty() || room.isEmpty()) return {};
  const QSizeF size = picture.scaled(room.size(), Qt::KeepAspectRatio);
  // Whole pixels: a picture scaled by a fraction of one is soft for nothing.
  const QSizeF whole(std::round(size.width()), std::round(size.height()));
  return {QPointF(std::floor(room.x() + (room.width() - whole.width()) / 2),
                  std::floor(room.y() + (room.height() - whole.height()) / 2)),
          whole};
}

VideoItem::VideoItem(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
}

void VideoItem::setCamera(CameraModel* camera) {
  if (camera == camera_) return;
  disconnect(arrival_);
  camera_ = camera;
  if (camera) {
    arrival_ = connect(camera->frames().get(), &FrameMailbox::arrived, this, &QQuickItem::update,
                       Qt::QueuedConnection);
    update();
  }
  emit cameraChanged();
}

QSGNode* VideoItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  auto* node = static_cast<QSGImageNode*>(old);
  std::optional<VideoFrame> arrived;
  if (camera_) arrived = camera_->frames()->take();
  const bool is_new = arrived.has_value();
  if (is_new) frame_ = std::move(arrived);
  if (!frame_) return node;
  if (is_new || !node) {
    QSGTexture* texture =
        window()->createTextureFromImage(frame_->image, QQuickWindow::TextureIsOpaque);
    if (!texture) return node;
    if (!node) {
      node = window()->createImageNode();
      node->setOwnsTexture(true);
      node->setFiltering(QSGTexture::Linear);
    }
    node->setTexture(texture);
    node->markDirty(QSGNode::DirtyMaterial);
  }
  swap_pending_ = swap_pending_ || is_new;
  const QRectF rect = letterbox(frame_->display_size, boundingRect());
  node->setRect(rect);
  if (rect != picture_rect_) {
    QMetaObject::invokeMethod(
        this,
        [this, rect] {
          picture_rect_ = rect;
          emit pictureRectChanged();
        },
        Qt::QueuedConnection);
  }
  return node;
}

void VideoItem::itemChange(ItemChange change, const ItemChangeData& data) {
  if (change == ItemSceneChange) follow_window(data.window);
  QQuickItem::itemChange(change, data);
}

void VideoItem::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  if (now.size() != before.size()) update();
}

void VideoItem::follow_window(QQuickWindow* window) {
  disconnect(swap_);
  if (!window) return;
  // Direct: the moment of the swap is the render thread's, not that of a queued call.
  swap_ = connect(window, &QQuickWindow::frameSwapped, this, &VideoItem::report_swap,
                  Qt::DirectConnection);
}

void VideoItem::report_swap() {
  if (!swap_pending_ || !frame_) return;
  swap_pending_ = false;
  const ShownFrame shown{
      .shown_at = monotonic_now(), .received_at = frame_->received_at, .capture = frame_->capture};
  QMetaObject::invokeMethod(
      this,
      [this, shown] {
        if (camera_) camera_->frameShown(shown);
      },
      Qt::QueuedConnection);
}

}  // namespace farwheel::station
