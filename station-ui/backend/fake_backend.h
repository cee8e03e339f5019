// A backend that plays a made-up scene (FakeScene) from a thread of its own, paced as the real one
// would be: pictures at 30 Hz, sweeps at 13 Hz, figures at 10 Hz.
#pragma once

#include <array>
#include <memory>
#include <stop_token>
#include <thread>

#include "backend/fake_scene.h"
#include "backend/station_backend.h"

namespace farwheel::station {

class FakeBackend : public StationBackend {
  Q_OBJECT

 public:
  explicit FakeBackend(FakeCourse course, QObject* parent = nullptr);

  void start() override;
  void stop() override;

 private:
  void run(std::stop_token stop);

  FakeCourse course_;
  std::array<std::shared_ptr<FrameMailbox>, FakeScene::kCameras> frames_;
  std::jthread thread_;
};

}  // namespace farwheel::station
