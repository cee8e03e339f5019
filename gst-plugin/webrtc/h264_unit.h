// What an H.264 access unit in byte-stream form says of itself, seen from its NAL unit types alone.
// Pure; bounds-checked, so that a hostile unit is at worst "not a key frame".
#pragma once

#include <cstdint>
#include <span>

namespace farwheel {

// True where decoding may begin: the unit holds a slice of an IDR picture (NAL unit type 5), or
// opens with a recovery point SEI (ITU-T H.264 D.1.8) as encoders with intra refresh write it. SPS
// and PPS alone are none, whatever flags a depayloader gives them: a decoder started there paints
// the pictures it never had in green.
bool can_start_decoding(std::span<const std::uint8_t> unit);

}  // namespace farwheel
