// A made-up drive for tests and screenshots without a vehicle: pictures of a road, radar detections
// and figures, all functions of the time since the start, so that a run can be repeated exactly.
#pragma once

#include <QImage>
#include <QString>
#include <optional>

#include "backend/station_stats.h"
#include "radar/radar_sweep.h"

namespace farwheel::station {

enum class FakeCourse {
  kLive,      // a good link
  kDegraded,  // delay and loss above their limits
  kFrozen,    // live for two seconds, then nothing more arrives
  kLost,      // as frozen, and the connection is given up
  kWaiting    // nobody ever connects
};

// Empty for a name that is none of live, degraded, frozen, lost, waiting.
std::optional<FakeCourse> fake_course(const std::string& name);

class FakeScene {
 public:
  static constexpr int kCameras = 2;
  // What the scene paints in the corners of camera 0, for tests of colour.
  static constexpr QRgb kSky = qRgb(38, 52, 74);
  static constexpr QRgb kGround = qRgb(44, 54, 44);

  explicit FakeScene(FakeCourse course);

  // Whether pictures and sweeps come at this time.
  bool delivers(Nanoseconds since_start) const;
  QImage picture(int camera, Nanoseconds since_start) const;
  RadarSweep sweep(std::uint32_t number, Nanoseconds since_start) const;
  StationStats stats(Nanoseconds since_start) const;
  // How old a picture is when it is delivered.
  Nanoseconds picture_age(Nanoseconds since_start) const;

 private:
  FakeCourse course_;
  QImage road_;
  QImage yard_;
};

}  // namespace farwheel::station
