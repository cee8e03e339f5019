// A radar sweep as one KLV item (SMPTE ST 336), as RFC 6597 carries it over RTP. Bit by bit, with
// the bounds of the rounding, in docs/radar-klv.md. Pure functions, without GStreamer.
//
// Invariant: what write_radar_klv() makes of finite values in range, read_radar_klv() gives back
// within half a step of each field; NaN comes back as NaN.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "radar/radar_sweep.h"

namespace farwheel {

// In the experimental class of ST 336 dictionaries (byte 9 is 0x0f): nobody's registered label.
inline constexpr std::array<std::uint8_t, 16> kRadarKlvLabel = {
    0x06, 0x0e, 0x2b, 0x34, 0x01, 0x01, 0x01, 0x01, 0x0f, 'F', 'W', 'R', 'A', 'D', 'A', 'R'};
inline constexpr std::uint8_t kRadarKlvVersion = 1;
inline constexpr std::size_t kRadarKlvHeaderSize = 20;
inline constexpr std::size_t kRadarKlvDetectionSize = 12;
inline constexpr std::size_t kRadarKlvMaxDetections = 65535;

// One step of each field; the range is ±32767 steps.
inline constexpr double kRadarKlvPositionStep = 0.02;  // m
inline constexpr double kRadarKlvSpeedStep = 0.01;     // m/s
inline constexpr double kRadarKlvRcsStep = 0.01;       // dB

struct RadarKlvUnit {
  std::vector<std::uint8_t> bytes;
  // Detections left out: x or y is unknown or out of range, or there were more than
  // kRadarKlvMaxDetections. The unit then bears the flag "incomplete".
  std::size_t left_out = 0;
};

RadarKlvUnit write_radar_klv(const RadarSweep& sweep);

enum class RadarKlvFault {
  kNone,
  kTruncatedLabel,  // fewer than 16 bytes where an item starts
  kBadLength,       // indefinite, longer than 8 bytes, or cut
  kTruncatedValue,  // the length says more than there is
  kShortHeader,     // a sweep shorter than its header
  kCountMismatch,   // the count does not agree with the item's length
};

struct RadarKlvContents {
  std::vector<RadarSweep> sweeps;
  std::size_t foreign_items = 0;       // other labels, stepped over
  std::size_t unknown_versions = 0;    // sweeps of another version, stepped over
  std::size_t dropped_detections = 0;  // x or y unknown
  std::size_t incomplete_sweeps = 0;   // the sender left detections out
  // The first fault and the byte it was seen at. After kShortHeader and kCountMismatch the items
  // behind are still read; after the others nothing can be.
  RadarKlvFault fault = RadarKlvFault::kNone;
  std::size_t fault_byte = 0;
};

// Reads every item of a KLV unit.
RadarKlvContents read_radar_klv(std::span<const std::uint8_t> unit);

std::string describe(RadarKlvFault fault);

}  // namespace farwheel
