// The screen of a console without a window: takes each frame as soon as it is decoded, as a window
// would at its next refresh, and tells the camera's model. Frames are taken in the decoder's
// thread, models are told in theirs.
#pragma once

#include <QObject>

#include "models/camera_list_model.h"

namespace farwheel::station {

class HeadlessScreen : public QObject {
  Q_OBJECT

 public:
  // `cameras` must outlive this object.
  explicit HeadlessScreen(CameraListModel* cameras, QObject* parent = nullptr);

 private:
  void follow_new_cameras();
  static void take(CameraModel* camera, FrameMailbox* frames);

  CameraListModel* cameras_;
  std::size_t followed_ = 0;
};

}  // namespace farwheel::station
