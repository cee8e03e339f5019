// Reproducible random numbers from a seed given by the caller (splitmix64).
#pragma once

#include <cstdint>

namespace farwheel {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // In [0, 1).
  double uniform() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1.0p-53;
  }

 private:
  std::uint64_t state_;
};

}  // namespace farwheel
