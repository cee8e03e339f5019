// A radar sweep as it travels between elements (caps application/x-farwheel-radar, version=1):
// a header and then `count` detections, packed, little-endian. Public, header only: whoever reads
// an appsink behind farwheelsrc includes this and nothing else.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace farwheel {

// x forward, y left, z up, in metres from the sensor; speeds relative to the vehicle in m/s (ego
// motion compensated where the source says so); rcs in dBsm. NaN: the sensor doesn't tell.
struct RadarDetection {
  float x = 0;
  float y = 0;
  float z = 0;
  float vx = std::numeric_limits<float>::quiet_NaN();
  float vy = std::numeric_limits<float>::quiet_NaN();
  float rcs = std::numeric_limits<float>::quiet_NaN();
};

struct RadarSweep {
  std::uint32_t sensor = 0;
  std::uint32_t number = 0;
  // Capture time, ns since 1970 by the vehicle's wall clock; 0: unknown.
  std::uint64_t captured_unix_ns = 0;
  std::vector<RadarDetection> detections;
};

inline constexpr char kRadarSweepCaps[] = "application/x-farwheel-radar, version=(int)1";
inline constexpr std::uint32_t kRadarSweepMagic = 0x53525746;  // "FWRS"
inline constexpr std::size_t kRadarSweepHeaderSize = 24;
inline constexpr std::size_t kRadarSweepDetectionSize = 24;
// More is taken for a corrupt count: no automotive radar comes near.
inline constexpr std::uint32_t kRadarSweepMaxDetections = 65536;

static_assert(std::endian::native == std::endian::little, "sweeps are copied, not swapped");
static_assert(sizeof(RadarDetection) == kRadarSweepDetectionSize);

inline std::vector<std::uint8_t> write_radar_sweep(const RadarSweep& sweep) {
  const auto count = static_cast<std::uint32_t>(sweep.detections.size());
  std::vector<std::uint8_t> bytes(kRadarSweepHeaderSize + count * kRadarSweepDetectionSize);
  std::memcpy(bytes.data(), &kRadarSweepMagic, 4);
  std::memcpy(bytes.data() + 4, &sweep.sensor, 4);
  std::memcpy(bytes.data() + 8, &sweep.number, 4);
  std::memcpy(bytes.data() + 12, &count, 4);
  std::memcpy(bytes.data() + 16, &sweep.captured_unix_ns, 8);
  if (count > 0) {
    std::memcpy(bytes.data() + kRadarSweepHeaderSize, sweep.detections.data(),
                count * kRadarSweepDetectionSize);
  }
  return bytes;
}

// Empty for anything that is not exactly one sweep.
inline std::optional<RadarSweep> read_radar_sweep(std::span<const std::uint8_t> bytes) {
  std::uint32_t magic = 0;
  std::uint32_t count = 0;
  if (bytes.size() < kRadarSweepHeaderSize) return std::nullopt;
  std::memcpy(&magic, bytes.data(), 4);
  std::memcpy(&count, bytes.data() + 12, 4);
  if (magic != kRadarSweepMagic || count > kRadarSweepMaxDetections) return std::nullopt;
  if (bytes.size() != kRadarSweepHeaderSize + count * kRadarSweepDetectionSize) return std::nullopt;
  RadarSweep sweep;
  std::memcpy(&sweep.sensor, bytes.data() + 4, 4);
  std::memcpy(&sweep.number, bytes.data() + 8, 4);
  std::memcpy(&sweep.captured_unix_ns, bytes.data() + 16, 8);
  sweep.detections.resize(count);
  if (count > 0) {
    std::memcpy(sweep.detections.data(), bytes.data() + kRadarSweepHeaderSize,
                count * kRadarSweepDetectionSize);
  }
  return sweep;
}

}  // namespace farwheel
