#include "port_binding.h"

namespace farwheel::link {

std::uint16_t PortBinding::outward(std::uint16_t inside) {
  inside_.insert(inside);
  return moved(inside);
}

std::optional<std::uint16_t> PortBinding::inward(std::uint16_t outside) const {
  if (rebindings_ == 0) return outside;
  const std::uint16_t inside = moved(outside);
  if (!inside_.contains(inside)) return std::nullopt;
  return inside;
}

}  // namespace farwheel::link
