// The console's judgements as enums: how fresh a picture is, how well the link does, how bad a
// figure is. QML only maps them to looks. Pure functions over facts and `now`; nothing here reads a
// clock.
#pragma once

#include <QtQml/qqmlregistration.h>

#include <QObject>
#include <optional>

#include "backend/monotonic_clock.h"
#include "backend/station_stats.h"

namespace farwheel::station {
Q_NAMESPACE
QML_NAMED_ELEMENT(Decision)
Q_CLASSINFO("RegisterEnumClassesUnscoped", "false")

// How bad something is. Each level has its own colour, shape and word.
enum class Level { Unknown, Normal, Advisory, Caution, Critical };
Q_ENUM_NS(Level)

enum class Freshness {
  None,    // no picture was ever shown
  Live,    // new and young enough to drive by
  Late,    // arriving, but older than 300 ms
  Old,     // arriving, but so old that it is veiled
  Frozen,  // no new picture for a while
  Gone     // the connection or the camera is gone; what is shown is history
};
Q_ENUM_NS(Freshness)

enum class StationState {
  Fault,  // the console itself cannot go on
  NoStatus,
  Waiting,
  Connecting,
  NoPicture,
  Live,
  Degraded,
  Late,
  Frozen,
  Silent,
  Lost
};
Q_ENUM_NS(StationState)

enum class Doppler { Unknown, Still, Approaching, Receding };
Q_ENUM_NS(Doppler)

// The veil must be on screen 250 ms after the last frame; a tick and a screen refresh come off
// that.
inline constexpr Nanoseconds kFrozenAfter = 200 * kMillisecond;
// The two limits that the Adaptive BBRv2 paper puts on remote driving's delay.
inline constexpr double kCautionDelayMs = 170;
inline constexpr double kCriticalDelayMs = 300;
// Above this nobody may take the picture for the road, though it still moves.
inline constexpr double kOldPictureMs = 500;
// A control loop over the network of 200 ms is the limit found for towing and parking speeds.
inline constexpr double kCautionRttMs = 200;
inline constexpr double kCriticalRttMs = 400;
inline constexpr double kCautionLoss = 0.02;
inline constexpr double kCriticalLoss = 0.10;
inline constexpr double kCautionQueueMs = 50;
inline constexpr double kCriticalQueueMs = 150;
// A gauge whose source is older shows a dash.
inline constexpr Nanoseconds kSourceTooOld = 1 * kSecond;
// Slower than this is called still: the resolution of automotive radar, plus imperfect ego motion.
inline constexpr double kStillSpeed = 0.5;  // m/s

struct PictureFacts {
  bool camera_present = false;
  LinkState link = LinkState::kUnknown;
  std::optional<Nanoseconds> shown_at;      // when the newest frame came on screen
  std::optional<double> age_when_shown_ms;  // its picture age then, if known
};

Freshness picture_freshness(const PictureFacts& facts, Nanoseconds now);
// True for everything that must not pass for the road as it is now.
bool is_veiled(Freshness freshness);

struct Limits {
  double caution;
  double critical;
};
inline constexpr Limits kDelayLimits{kCautionDelayMs, kCriticalDelayMs};
inline constexpr Limits kRttLimits{kCautionRttMs, kCriticalRttMs};
inline constexpr Limits kLossLimits{kCautionLoss, kCriticalLoss};
inline constexpr Limits kQueueLimits{kCautionQueueMs, kCriticalQueueMs};

Level level_of(std::optional<double> value, Limits limits);

struct StationFacts {
  bool failed = false;
  bool status_known = false;
  LinkState link = LinkState::kUnknown;
  Freshness picture = Freshness::None;
  Level delay = Level::Unknown;
  Level loss = Level::Unknown;
};

StationState station_state(const StationFacts& facts);
Level level_of(StationState state);

// Radial speed of a detection towards (negative) or away from the sensor.
Doppler doppler_of(double x, double y, double vx, double vy);

}  // namespace farwheel::station
