// A percentile of values in rising order, by the nearest rank.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace farwheel::lab::media {

// Empty where there are no values.
inline std::optional<double> percentile(std::span<const double> sorted, double share) {
  if (sorted.empty()) return std::nullopt;
  const double rank = share * static_cast<double>(sorted.size() - 1) + 0.5;
  return sorted[static_cast<std::size_t>(rank)];
}

}  // namespace farwheel::lab::media
