#include "headless_screen.h"

namespace farwheel::station {

HeadlessScreen::HeadlessScreen(CameraListModel* cameras, QObject* parent)
    : QObject(parent), cameras_(cameras) {
  connect(cameras, &CameraListModel::countChanged, this, &HeadlessScreen::follow_new_cameras);
  follow_new_cameras();
}

void HeadlessScreen::follow_new_cameras() {
  for (; followed_ < cameras_->cameras().size(); ++followed_) {
    CameraModel* camera = cameras_->cameras()[followed_];
    FrameMailbox* frames = camera->frames().get();
    // The mailbox is alive while it emits, and the camera's model while the backend runs.
    connect(
        frames, &FrameMailbox::arrived, camera, [camera, frames] { take(camera, frames); },
        Qt::DirectConnection);
    take(camera, frames);
  }
}

void HeadlessScreen::take(CameraModel* camera, FrameMailbox* frames) {
  const std::optional<VideoFrame> frame = frames->take();
  if (!frame) return;
  const ShownFrame shown{
      .shown_at = monotonic_now(), .received_at = frame->received_at, .capture = frame->capture};
  QMetaObject::invokeMethod(
      camera, [camera, shown] { camera->frameShown(shown); }, Qt::QueuedConnection);
}

}  // namespace farwheel::station
