// The NAT of a mobile network that forgets: until the first rebinding UDP ports pass as they are;
// after each, what comes from inside has other source ports outside, and what is still sent to the
// former ones goes nowhere. Addresses stay. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

namespace farwheel::link {

class PortBinding {
 public:
  void rebind() { ++rebindings_; }

  // The port outside of a packet from `inside`.
  std::uint16_t outward(std::uint16_t inside);
  // The port inside of a packet to `outside`; empty: nobody has that one (any more).
  std::optional<std::uint16_t> inward(std::uint16_t outside) const;

 private:
  // Reversible, and never the same after a rebinding; stays above the well-known ports.
  std::uint16_t moved(std::uint16_t port) const {
    return static_cast<std::uint16_t>(port ^ (rebindings_ & 0x3ff));
  }

  unsigned rebindings_ = 0;
  std::set<std::uint16_t> inside_;
};

}  // namespace farwheel::link
