#include "models/radar_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/wording.h"

namespace farwheel::station {
namespace {

constexpr std::array kRangesM{50.0, 100.0, 150.0, 200.0};
// The farthest few detections may fall off the plot: most of them are ghosts.
constexpr double kShownShare = 0.95;
constexpr std::size_t kMaxSensors = 8;

}  // namespace

void RadarModel::show(const ReceivedSweep& received) {
  const std::uint32_t sensor = received.sweep.sensor;
  if (!sweeps_.contains(sensor) && sweeps_.size() >= kMaxSensors) return;
  sweeps_[sensor] = received;
  newest_ = received.received_at;
  ++shown_count_;
  // Another sensor that fell silent leaves the plot, rather than stand there as if it were seen.
  std::erase_if(sweeps_, [&received](const auto& entry) {
    return received.received_at - entry.second.received_at >= kStaleAfter;
  });
  rebuild();
  fit_range(received.received_at);
  emit sweepChanged();
}

void RadarModel::rebuild() {
  points_.clear();
  for (const auto& [sensor, received] : sweeps_) {
    for (const RadarDetection& detection : received.sweep.detections) {
      if (!std::isfinite(detection.x) || !std::isfinite(detection.y)) continue;
      points_.push_back(
          {.x = detection.x,
           .y = detection.y,
           .rcs = detection.rcs,
           .doppler = doppler_of(detection.x, detection.y, detection.vx, detection.vy)});
    }
  }
}

void RadarModel::tick(Nanoseconds now) {
  Freshness freshness = Freshness::None;
  std::optional<Nanoseconds> age;
  if (newest_) {
    age = now - *newest_;
    freshness = *age >= kStaleAfter ? Freshness::Frozen : Freshness::Live;
  }
  if (freshness != freshness_) {
    freshness_ = freshness;
    emit freshnessChanged();
  }
  QString text = age_text(age);
  if (text != age_text_) {
    age_text_ = std::move(text);
    emit ageTextChanged();
  }
}

QString RadarModel::freshnessText() const {
  switch (freshness_) {
    case Freshness::None:
      return tr("NO RADAR");
    case Freshness::Live:
      return QString();
    case Freshness::Late:
    case Freshness::Old:
    case Freshness::Frozen:
    case Freshness::Gone:
      break;
  }
  return tr("RADAR STOPPED");
}

int RadarModel::count_of(Doppler doppler) const {
  return static_cast<int>(
      std::count_if(points_.begin(), points_.end(),
                    [doppler](const Point& point) { return point.doppler == doppler; }));
}

void RadarModel::fit_range(Nanoseconds now) {
  if (points_.empty()) return;
  std::vector<double> distances;
  distances.reserve(points_.size());
  for (const Point& point : points_) distances.push_back(std::hypot(point.x, point.y));
  const auto last =
      static_cast<std::size_t>(kShownShare * static_cast<double>(distances.size() - 1));
  std::nth_element(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(last),
                   distances.end());
  const double farthest = distances[last];
  const auto* fitting = std::find_if(kRangesM.begin(), kRangesM.end(),
                                     [farthest](double range) { return range >= farthest; });
  const double needed = fitting == kRangesM.end() ? kRangesM.back() : *fitting;
  if (needed >= range_m_) range_needed_at_ = now;
  // Grows at once; shrinks only after a while, so that the scale does not flap.
  if (needed == range_m_ || (needed < range_m_ && now - range_needed_at_ < kRangeHold)) return;
  range_m_ = needed;
  emit rangeChanged();
}

}  // namespace farwheel::station
