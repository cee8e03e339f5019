#include "models/decisions.h"

#include <cmath>

namespace farwheel::station {

Freshness picture_freshness(const PictureFacts& facts, Nanoseconds now) {
  if (!facts.shown_at) return Freshness::None;
  const bool frozen = now - *facts.shown_at >= kFrozenAfter;
  // One lost status message must not veil a picture that moves: frames decide while they come.
  if (frozen) {
    const bool link_up = facts.link == LinkState::kConnected || facts.link == LinkState::kStale;
    return facts.camera_present && link_up ? Freshness::Frozen : Freshness::Gone;
  }
  if (!facts.age_when_shown_ms || *facts.age_when_shown_ms <= kCriticalDelayMs) {
    return Freshness::Live;
  }
  return *facts.age_when_shown_ms > kOldPictureMs ? Freshness::Old : Freshness::Late;
}

bool is_veiled(Freshness freshness) {
  return freshness == Freshness::Old || freshness == Freshness::Frozen ||
         freshness == Freshness::Gone;
}

Level level_of(std::optional<double> value, Limits limits) {
  if (!value || std::isnan(*value)) return Level::Unknown;
  if (*value > limits.critical) return Level::Critical;
  return *value > limits.caution ? Level::Caution : Level::Normal;
}

StationState station_state(const StationFacts& facts) {
  if (facts.failed) return StationState::Fault;
  if (!facts.status_known) return StationState::NoStatus;
  switch (facts.link) {
    case LinkState::kUnknown:
      return StationState::NoStatus;
    case LinkState::kWaiting:
      return StationState::Waiting;
    case LinkState::kConnecting:
      return StationState::Connecting;
    case LinkState::kLost:
      return StationState::Lost;
    case LinkState::kStale:
      return StationState::Silent;
    case LinkState::kConnected:
      break;
  }
  switch (facts.picture) {
    case Freshness::None:
      return StationState::NoPicture;
    case Freshness::Frozen:
    case Freshness::Gone:
      return StationState::Frozen;
    case Freshness::Old:
    case Freshness::Late:
      return StationState::Late;
    case Freshness::Live:
      break;
  }
  if (facts.delay == Level::Critical) return StationState::Late;
  const bool degraded = facts.delay == Level::Caution || facts.loss >= Level::Caution;
  return degraded ? StationState::Degraded : StationState::Live;
}

Level level_of(StationState state) {
  switch (state) {
    case StationState::Live:
      return Level::Normal;
    case StationState::Connecting:
    case StationState::NoPicture:
      return Level::Advisory;
    case StationState::Degraded:
      return Level::Caution;
    case StationState::Fault:
    case StationState::Late:
    case StationState::Frozen:
    case StationState::Silent:
    case StationState::Lost:
      return Level::Critical;
    case StationState::NoStatus:
    case StationState::Waiting:
      break;
  }
  return Level::Unknown;
}

Doppler doppler_of(double x, double y, double vx, double vy) {
  const double range = std::hypot(x, y);
  const double radial = (vx * x + vy * y) / range;
  if (!std::isfinite(radial)) return Doppler::Unknown;
  if (std::abs(radial) < kStillSpeed) return Doppler::Still;
  return radial < 0 ? Doppler::Approaching : Doppler::Receding;
}

}  // namespace farwheel::station
