#include "radar/radar_klv.h"

#include <algorithm>
#include <cmath>

namespace farwheel {
namespace {

constexpr std::int16_t kUnknown = -32768;
constexpr std::uint8_t kFlagIncomplete = 0x01;

class Writer {
 public:
  explicit Writer(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  void put(std::uint64_t value, int size) {
    for (int shift = (size - 1) * 8; shift >= 0; shift -= 8) {
      bytes_.push_back(static_cast<std::uint8_t>(value >> shift));
    }
  }
  void put(std::int16_t value) { put(static_cast<std::uint16_t>(value), 2); }

  // BER: one byte below 128, else the number of bytes and then the bytes.
  void put_length(std::size_t length) {
    if (length < 0x80) return put(length, 1);
    const int size = length <= 0xff ? 1 : length <= 0xffff ? 2 : length <= 0xffffff ? 3 : 4;
    put(0x80u | static_cast<unsigned>(size), 1);
    put(length, size);
  }

 private:
  std::vector<std::uint8_t>& bytes_;
};

std::uint64_t get(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | bytes[at + i];
  return value;
}

// What does not fit is unknown: a wrong place or speed is worse than none.
std::int16_t to_steps(float value, double step) {
  const double steps = std::round(static_cast<double>(value) / step);
  if (!(std::fabs(steps) <= 32767)) return kUnknown;
  return static_cast<std::int16_t>(steps);
}

float from_steps(std::uint64_t bits, double step) {
  const auto steps = static_cast<std::int16_t>(static_cast<std::uint16_t>(bits));
  if (steps == kUnknown) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(steps * step);
}

bool has_place(const RadarDetection& detection) {
  return to_steps(detection.x, kRadarKlvPositionStep) != kUnknown &&
         to_steps(detection.y, kRadarKlvPositionStep) != kUnknown;
}

void read_sweep(std::span<const std::uint8_t> value, std::size_t at, RadarKlvContents& contents) {
  const auto fail = [&](RadarKlvFault fault) {
    if (contents.fault != RadarKlvFault::kNone) return;
    contents.fault = fault;
    contents.fault_byte = at;
  };
  if (value.empty()) return fail(RadarKlvFault::kShortHeader);
  if (value[0] != kRadarKlvVersion) {
    ++contents.unknown_versions;
    return;
  }
  if (value.size() < kRadarKlvHeaderSize) return fail(RadarKlvFault::kShortHeader);
  const auto count = static_cast<std::size_t>(get(value, 2, 2));
  if (value.size() != kRadarKlvHeaderSize + count * kRadarKlvDetectionSize) {
    return fail(RadarKlvFault::kCountMismatch);
  }
  RadarSweep sweep;
  if ((value[1] & kFlagIncomplete) != 0) ++contents.incomplete_sweeps;
  sweep.sensor = static_cast<std::uint32_t>(get(value, 4, 4));
  sweep.number = static_cast<std::uint32_t>(get(value, 8, 4));
  sweep.captured_unix_ns = get(value, 12, 8);
  sweep.detections.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = kRadarKlvHeaderSize + i * kRadarKlvDetectionSize;
    RadarDetection detection;
    detection.x = from_steps(get(value, from, 2), kRadarKlvPositionStep);
    detection.y = from_steps(get(value, from + 2, 2), kRadarKlvPositionStep);
    detection.z = from_steps(get(value, from + 4, 2), kRadarKlvPositionStep);
    detection.vx = from_steps(get(value, from + 6, 2), kRadarKlvSpeedStep);
    detection.vy = from_steps(get(value, from + 8, 2), kRadarKlvSpeedStep);
    detection.rcs = from_steps(get(value, from + 10, 2), kRadarKlvRcsStep);
    if (std::isnan(detection.x) || std::isnan(detection.y)) {
      ++contents.dropped_detections;
      continue;
    }
    sweep.detections.push_back(detection);
  }
  contents.sweeps.push_back(std::move(sweep));
}

}  // namespace

RadarKlvUnit write_radar_klv(const RadarSweep& sweep) {
  const auto placed = static_cast<std::size_t>(
      std::count_if(sweep.detections.begin(), sweep.detections.end(), has_place));
  const std::size_t count = std::min(placed, kRadarKlvMaxDetections);
  RadarKlvUnit unit;
  unit.left_out = sweep.detections.size() - count;
  const std::size_t length = kRadarKlvHeaderSize + count * kRadarKlvDetectionSize;
  unit.bytes.reserve(kRadarKlvLabel.size() + 5 + length);
  unit.bytes.assign(kRadarKlvLabel.begin(), kRadarKlvLabel.end());
  Writer writer(unit.bytes);
  writer.put_length(length);
  writer.put(kRadarKlvVersion, 1);
  writer.put(unit.left_out > 0 ? kFlagIncomplete : 0, 1);
  writer.put(count, 2);
  writer.put(sweep.sensor, 4);
  writer.put(sweep.number, 4);
  writer.put(sweep.captured_unix_ns, 8);
  std::size_t written = 0;
  for (const RadarDetection& detection : sweep.detections) {
    if (written == count) break;
    if (!has_place(detection)) continue;
    writer.put(to_steps(detection.x, kRadarKlvPositionStep));
    writer.put(to_steps(detection.y, kRadarKlvPositionStep));
    writer.put(to_steps(detection.z, kRadarKlvPositionStep));
    writer.put(to_steps(detection.vx, kRadarKlvSpeedStep));
    writer.put(to_steps(detection.vy, kRadarKlvSpeedStep));
    writer.put(to_steps(detection.rcs, kRadarKlvRcsStep));
    ++written;
  }
  return unit;
}

RadarKlvContents read_radar_klv(std::span<const std::uint8_t> unit) {
  RadarKlvContents contents;
  const auto stop = [&](RadarKlvFault fault, std::size_t at) {
    if (contents.fault == RadarKlvFault::kNone) {
      contents.fault = fault;
      contents.fault_byte = at;
    }
    return contents;
  };
  std::size_t at = 0;
  while (at < unit.size()) {
    if (unit.size() - at < kRadarKlvLabel.size()) return stop(RadarKlvFault::kTruncatedLabel, at);
    const auto label = unit.subspan(at, kRadarKlvLabel.size());
    at += label.size();
    if (at == unit.size()) return stop(RadarKlvFault::kBadLength, at);
    std::uint64_t length = unit[at];
    const std::size_t length_at = at++;
    if (length >= 0x80) {
      const auto size = static_cast<std::size_t>(length & 0x7f);
      if (size == 0 || size > 8 || unit.size() - at < size) {
        return stop(RadarKlvFault::kBadLength, length_at);
      }
      length = get(unit, at, size);
      at += size;
    }
    if (length > unit.size() - at) return stop(RadarKlvFault::kTruncatedValue, length_at);
    const auto value = unit.subspan(at, static_cast<std::size_t>(length));
    if (std::equal(label.begin(), label.end(), kRadarKlvLabel.begin())) {
      read_sweep(value, at, contents);
    } else {
      ++contents.foreign_items;
    }
    at += value.size();
  }
  return contents;
}

std::string describe(RadarKlvFault fault) {
  switch (fault) {
    case RadarKlvFault::kNone:
      return "no fault";
    case RadarKlvFault::kTruncatedLabel:
      return "less than the 16 bytes of a label";
    case RadarKlvFault::kBadLength:
      return "no BER length that can be read";
    case RadarKlvFault::kTruncatedValue:
      return "the length says more than there is";
    case RadarKlvFault::kShortHeader:
      return "a sweep that is shorter than its header";
    case RadarKlvFault::kCountMismatch:
      return "a sweep whose count of detections does not agree with its length";
  }
  return "unknown fault";
}

}  // namespace farwheel
