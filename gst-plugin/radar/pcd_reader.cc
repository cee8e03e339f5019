#include "radar/pcd_reader.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "radar/pcd_text.h"

namespace farwheel {
namespace {

using PointValues = std::array<double, kPcdColumnCount>;

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

// nuScenes devkit, RadarPointCloud: 0x00 valid, and the codes that say "valid, but …".
bool is_valid_state(double state) {
  return state == 0x00 || state == 0x04 || (state >= 0x08 && state <= 0x0c) ||
         (state >= 0x0f && state <= 0x11);
}

template <typename T>
double load(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

static_assert(std::endian::native == std::endian::little, "PCD binary data is copied, not swapped");

double load(const PcdColumn& column, const std::uint8_t* point) {
  const std::uint8_t* at = point + column.offset;
  switch (column.type) {
    case PcdType::kFloat:
      return column.size == 4 ? load<float>(at) : load<double>(at);
    case PcdType::kSigned:
      return column.size == 1   ? load<std::int8_t>(at)
             : column.size == 2 ? load<std::int16_t>(at)
             : column.size == 4 ? load<std::int32_t>(at)
                                : load<std::int64_t>(at);
    case PcdType::kUnsigned:
      return column.size == 1   ? load<std::uint8_t>(at)
             : column.size == 2 ? load<std::uint16_t>(at)
             : column.size == 4 ? load<std::uint32_t>(at)
                                : load<std::uint64_t>(at);
  }
  return kAbsent;
}

float finite_or_unknown(double value) {
  const float narrowed = to_float(value);
  return std::isfinite(narrowed) ? narrowed : std::numeric_limits<float>::quiet_NaN();
}

class SweepBuilder {
 public:
  SweepBuilder(const PcdHeader& header, PcdInvalidPoints invalid_points)
      : has_z_(header.columns[kPcdZ].has_value()),
        drop_invalid_(invalid_points == PcdInvalidPoints::kDrop &&
                      header.columns[kPcdInvalidState].has_value()),
        has_measured_(header.columns[kPcdVx] && header.columns[kPcdVy]),
        has_compensated_(header.columns[kPcdVxComp] && header.columns[kPcdVyComp]) {}

  void add(const PointValues& values) {
    const float x = to_float(values[kPcdX]);
    const float y = to_float(values[kPcdY]);
    const float z = to_float(values[kPcdZ]);
    if (!std::isfinite(x) || !std::isfinite(y) || (has_z_ && !std::isfinite(z))) {
      ++sweep_.empty_points;
      return;
    }
    if (drop_invalid_ && !is_valid_state(values[kPcdInvalidState])) {
      ++sweep_.invalid_points;
      return;
    }
    RadarDetection detection;
    detection.x = x;
    detection.y = y;
    detection.z = z;
    detection.rcs = finite_or_unknown(values[kPcdRcs]);
    detection.vx = finite_or_unknown(values[kPcdVxComp]);
    detection.vy = finite_or_unknown(values[kPcdVyComp]);
    Speed measured{finite_or_unknown(values[kPcdVx]), finite_or_unknown(values[kPcdVy])};
    compensated_moves_ = compensated_moves_ || moves({detection.vx, detection.vy});
    measured_moves_ = measured_moves_ || moves(measured);
    sweep_.detections.push_back(detection);
    measured_.push_back(measured);
  }

  PcdSweep finish() {
    const bool compensated = has_compensated_ && (compensated_moves_ || !measured_moves_);
    if (compensated || !has_measured_) {
      sweep_.speeds = compensated ? PcdSpeeds::kCompensated : PcdSpeeds::kNone;
    } else {
      sweep_.speeds = PcdSpeeds::kAsMeasured;
    }
    for (std::size_t i = 0; i < measured_.size() && !compensated; ++i) {
      sweep_.detections[i].vx = measured_[i].vx;
      sweep_.detections[i].vy = measured_[i].vy;
    }
    return std::move(sweep_);
  }

 private:
  struct Speed {
    float vx;
    float vy;
  };
  static bool moves(Speed speed) {
    return (std::isfinite(speed.vx) && speed.vx != 0) || (std::isfinite(speed.vy) && speed.vy != 0);
  }

  bool has_z_;
  bool drop_invalid_;
  bool has_measured_;
  bool has_compensated_;
  bool compensated_moves_ = false;
  bool measured_moves_ = false;
  std::vector<Speed> measured_;
  PcdSweep sweep_;
};

PcdOutcome read_binary(std::span<const std::uint8_t> bytes, const PcdHeader& header,
                       SweepBuilder builder) {
  const std::size_t declared = header.size + header.points * header.stride;
  if (bytes.size() < declared) {
    const std::size_t whole = (bytes.size() - header.size) / header.stride;
    return PcdFault{PcdFaultKind::kTruncated,
                    "ends within point " + std::to_string(whole + 1) + " of " +
                        std::to_string(header.points) + "; " +
                        std::to_string(declared - bytes.size()) + " bytes are missing",
                    0, bytes.size()};
  }
  if (!is_pcd_blank(as_text(bytes.subspan(declared)))) {
    return PcdFault{PcdFaultKind::kSurplus,
                    std::to_string(bytes.size() - declared) + " bytes follow the " +
                        std::to_string(header.points) + " points that are declared",
                    0, declared};
  }
  for (std::size_t i = 0; i < header.points; ++i) {
    const std::uint8_t* point = bytes.data() + header.size + i * header.stride;
    PointValues values;
    for (std::size_t c = 0; c < kPcdColumnCount; ++c) {
      values[c] = header.columns[c] ? load(*header.columns[c], point) : kAbsent;
    }
    builder.add(values);
  }
  return builder.finish();
}

std::optional<PcdFault> read_ascii_point(std::string_view line, const PcdHeader& header,
                                         PointValues& values) {
  std::size_t count = 0;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line), ++count) {
    for (std::size_t c = 0; c < kPcdColumnCount; ++c) {
      if (!header.columns[c] || header.columns[c]->value != count) continue;
      const auto number = parse_number(word);
      if (!number) {
        return PcdFault{PcdFaultKind::kPoint,
                        "value " + std::to_string(count + 1) + " is no number"};
      }
      values[c] = *number;
    }
  }
  if (count == header.values) return std::nullopt;
  return PcdFault{PcdFaultKind::kPoint, std::to_string(count) +
                                            " values where FIELDS and COUNT promise " +
                                            std::to_string(header.values)};
}

PcdOutcome read_ascii(std::span<const std::uint8_t> bytes, const PcdHeader& header,
                      SweepBuilder builder) {
  const std::string_view text = as_text(bytes);
  std::size_t points = 0;
  std::size_t line_number = header.lines;
  for (std::size_t at = header.size; at < text.size();) {
    const std::size_t newline = text.find('\n', at);
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline;
    const std::string_view line = text.substr(at, end - at);
    ++line_number;
    if (!is_pcd_blank(line) && line.front() != '#') {
      if (points == header.points) {
        return PcdFault{PcdFaultKind::kSurplus,
                        "more than the " + std::to_string(points) + " points that are declared",
                        line_number, at};
      }
      PointValues values;
      values.fill(kAbsent);
      if (auto wrong = read_ascii_point(line, header, values)) {
        wrong->line = line_number;
        wrong->byte = at;
        return *wrong;
      }
      builder.add(values);
      ++points;
    }
    at = end + 1;
  }
  if (points < header.points) {
    return PcdFault{
        PcdFaultKind::kTruncated,
        "ends after " + std::to_string(points) + " of " + std::to_string(header.points) + " points",
        line_number, text.size()};
  }
  return builder.finish();
}

}  // namespace

PcdOutcome read_pcd(std::span<const std::uint8_t> bytes, PcdInvalidPoints invalid_points) {
  if (bytes.size() > kPcdMaxFileSize + kPcdMaxHeaderSize) {
    return PcdFault{PcdFaultKind::kTooLarge,
                    "more than " + std::to_string(kPcdMaxFileSize) + " bytes"};
  }
  if (is_pcd_blank(as_text(bytes))) return PcdFault{PcdFaultKind::kNoHeader, "the file is empty"};
  const auto result = read_pcd_header(bytes);
  if (const auto* fault = std::get_if<PcdFault>(&result)) return *fault;
  const auto* header = std::get_if<PcdHeader>(&result);
  if (header == nullptr) {
    return PcdFault{PcdFaultKind::kTruncated, "ends before the header's DATA line", 0,
                    bytes.size()};
  }
  SweepBuilder builder(*header, invalid_points);
  return header->data == PcdData::kBinary ? read_binary(bytes, *header, std::move(builder))
                                          : read_ascii(bytes, *header, std::move(builder));
}

}  // namespace farwheel
