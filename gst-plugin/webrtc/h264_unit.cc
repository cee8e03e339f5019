#include "webrtc/h264_unit.h"

#include <cstddef>

namespace farwheel {
namespace {
constexpr int kIdrSlice = 5;
constexpr int kSei = 6;
constexpr std::uint8_t kRecoveryPoint = 6;
}  // namespace

bool can_start_decoding(std::span<const std::uint8_t> unit) {
  for (std::size_t i = 0; i + 3 < unit.size(); ++i) {
    if (unit[i] != 0 || unit[i + 1] != 0 || unit[i + 2] != 1) continue;
    const int type = unit[i + 3] & 0x1f;
    if (type == kIdrSlice) return true;
    if (type == kSei && i + 4 < unit.size() && unit[i + 4] == kRecoveryPoint) return true;
    i += 3;
  }
  return false;
}

}  // namespace farwheel
