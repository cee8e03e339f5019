#include "models/readout_model.h"

#include <cmath>
#include <utility>

#include "models/wording.h"

namespace farwheel::station {

ReadoutModel::ReadoutModel(ReadoutSpec spec, QObject* parent)
    : QObject(parent), spec_(std::move(spec)), text_(dash()) {}

void ReadoutModel::show(const Figure& figure) {
  const bool was_valid = valid();
  const Level was_level = level();
  const double was_value = value();
  const double was_band = band();
  figure_ = figure;
  if (figure_.value && !std::isfinite(*figure_.value)) figure_.value.reset();
  if (!figure_.value) figure_ = {};
  const bool same_value = was_value == value() || (!was_valid && !valid());
  const bool same_band = was_band == band() || (std::isnan(was_band) && std::isnan(band()));
  if (same_value && same_band && was_level == level()) return;
  text_ = number_text(figure_.value, spec_.decimals);
  band_text_ = band_text(figure_.band);
  emit changed();
}

QString ReadoutModel::levelText() const {
  return level_word(level());
}

}  // namespace farwheel::station
