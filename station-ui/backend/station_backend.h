// Where the console's pictures, sweeps and figures come from: the real pipeline or a made-up scene.
// Lives in the GUI thread; its signals are emitted from the backend's own threads, so receivers in
// the GUI thread get them queued. start() and stop() return at once and wait for nothing.
#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "backend/frame_mailbox.h"
#include "backend/station_stats.h"
#include "radar/radar_sweep.h"

namespace farwheel::station {

struct ReceivedSweep {
  RadarSweep sweep;
  Nanoseconds received_at = 0;
  std::optional<CaptureTime> capture;
};

class StationBackend : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  virtual void start() = 0;
  // Ends with `stopped`, after which no other signal follows.
  virtual void stop() = 0;

 signals:
  // A camera delivers from now on. The same name comes back with the same mailbox.
  void cameraAdded(const QString& name, std::shared_ptr<farwheel::station::FrameMailbox> frames);
  void cameraRemoved(const QString& name);
  void sweepReceived(std::shared_ptr<const farwheel::station::ReceivedSweep> sweep);
  void statsRead(std::shared_ptr<const farwheel::station::StationStats> stats);
  // The backend cannot go on. `what` says what was wrong, where, and what to do.
  void failed(const QString& what);
  void stopped();
};

}  // namespace farwheel::station
