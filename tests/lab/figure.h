// A figure as it stands in the JSON: enough digits to compare, few enough to read.
#pragma once

#include <cmath>

namespace farwheel::lab {

inline double figure(double value, int digits = 4) {
  const double scale = std::pow(10, digits);
  return std::round(value * scale) / scale;
}

}  // namespace farwheel::lab
