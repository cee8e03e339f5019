// The figures of one run for --json: what was shown, and each figure's last known value, so that a
// vehicle that leaves before the console does not take its figures with it.
// GUI thread only.
#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "backend/station_backend.h"
#include "models/camera_model.h"

namespace farwheel::station {

class RunReport : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  void follow(StationBackend* backend);
  // A frame came on screen, or without a window would have.
  void frameShown(const ShownFrame& frame);
  void sweepShown() { ++sweeps_; }
  void takeStats(const StationStats& stats);

  QByteArray json() const;
  // Empty when written, else what went wrong and what to do.
  QString write(const std::string& path) const;

 private:
  std::uint64_t frames_ = 0;
  std::uint64_t sweeps_ = 0;
  std::optional<Nanoseconds> first_frame_unix_ns_;
  std::vector<double> picture_ages_ms_;
  std::vector<double> console_shares_ms_;  // from the pad of farwheelsrc to the swap
  std::optional<double> picture_band_ms_;
  StationStats last_;
  std::vector<std::shared_ptr<FrameMailbox>> mailboxes_;
};

}  // namespace farwheel::station
