#include "models/gauge_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace farwheel::station {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeastScale = 1;

}  // namespace

double nice_ceiling(double value) {
  if (!(value > 0)) return kLeastScale;
  const double decade = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (value <= step * decade) return step * decade;
  }
  return 10 * decade;
}

GaugeModel::GaugeModel(ReadoutSpec spec, GaugeScale scale, Second second, QObject* parent)
    : ReadoutModel(spec, parent),
      scale_(std::move(scale)),
      second_(second),
      target_(std::move(spec)) {
  connect(&target_, &ReadoutModel::changed, this, &GaugeModel::targetChanged);
  if (scale_.grows) fit_scale();
}

void GaugeModel::sample(Nanoseconds now, std::optional<double> value, std::optional<double> band) {
  const Level level =
      scale_.limits ? level_of(value, *scale_.limits) : (value ? Level::Normal : Level::Unknown);
  show({.value = value, .band = band, .level = level});
  series_.append({.at = now, .value = value.value_or(kNaN), .band = band.value_or(0)});
  if (scale_.grows) fit_scale();
}

void GaugeModel::sampleTarget(Nanoseconds now, std::optional<double> target) {
  target_.show({.value = target, .level = target ? Level::Normal : Level::Unknown});
  target_series_.append({.at = now, .value = target.value_or(kNaN)});
  if (scale_.grows) fit_scale();
}

double GaugeModel::cautionFrom() const {
  return scale_.limits ? scale_.limits->caution : kNaN;
}

double GaugeModel::criticalFrom() const {
  return scale_.limits ? scale_.limits->critical : kNaN;
}

void GaugeModel::fit_scale() {
  const double largest = std::fmax(series_.largest(), target_series_.largest());
  const double to = std::max(nice_ceiling(largest * 1.05), kLeastScale);
  if (to == scale_.to && !scale_.marks.isEmpty()) return;
  scale_.to = to;
  scale_.marks = {0, to / 2, to};
  emit scaleChanged();
}

}  // namespace farwheel::station
