#include "models/station_model.h"

#include <utility>

namespace farwheel::station {

void StationModel::follow(StationBackend* backend) {
  connect(backend, &StationBackend::cameraAdded, this,
          [this](const QString& name, std::shared_ptr<FrameMailbox> frames) {
            cameras_.add(name, std::move(frames));
          });
  connect(backend, &StationBackend::cameraRemoved, this,
          [this](const QString& name) { cameras_.remove(name); });
  connect(backend, &StationBackend::sweepReceived, this,
          [this](const std::shared_ptr<const ReceivedSweep>& sweep) { radar_.show(*sweep); });
  connect(backend, &StationBackend::statsRead, this, &StationModel::receiveStats);
  connect(backend, &StationBackend::failed, &connection_, &ConnectionModel::setFailure);
}

void StationModel::receiveStats(std::shared_ptr<const StationStats> stats) {
  stats_ = std::move(stats);
}

void StationModel::tick(Nanoseconds now) {
  // Figures whose status stopped coming are as good as no link.
  const bool known = stats_ && now - stats_->read_at < kSourceTooOld;
  cameras_.tick(known ? stats_->link : LinkState::kUnknown, now);
  radar_.tick(now);
  link_.tick(stats_.get(), now);
  const CameraModel* main = cameras_.main();
  connection_.tick({.stats = stats_.get(),
                    .failed = !connection_.failureText().isEmpty(),
                    .picture = main ? main->freshness() : Freshness::None,
                    .delay = link_.delay()->level(),
                    .loss = link_.loss()->level()},
                   now);
}

void StationModel::setTimeOfDay(const QString& text) {
  if (text == time_of_day_) return;
  time_of_day_ = text;
  emit timeOfDayChanged();
}

}  // namespace farwheel::station
