// Reads one radar sweep from a point cloud file (PCD v0.7, https://pointclouds.org/documentation/
// tutorials/pcd_file_format.html), ascii or binary, without GStreamer.
//
// The bytes are hostile: every count is checked against a limit and against what is there before
// anything is read or allocated. Nothing throws but std::bad_alloc. All functions are pure.
//
// Columns taken: x y (needed), z rcs vx vy vx_comp vy_comp invalid_state (where present), in any
// order and of any numeric type. Others are stepped over, COUNT > 1 included. Rules for points:
//  - x, y or z that is not finite: an empty point, dropped and counted.
//  - invalid_state as in nuScenes: dropped and counted unless 0x00, 0x04, 0x08-0x0c, 0x0f-0x11.
//  - vx_comp/vy_comp (ego motion compensated) before vx/vy; but a compensated pair that is zero in
//    every point while vx/vy is not has only been filled in, and vx/vy is taken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "radar/radar_sweep.h"

namespace farwheel {

inline constexpr std::size_t kPcdMaxHeaderSize = 16 * 1024;
inline constexpr std::size_t kPcdMaxFields = 256;
// Sum of COUNT, that is numbers a point.
inline constexpr std::size_t kPcdMaxValues = 4096;
inline constexpr std::size_t kPcdMaxFileSize = 16 * 1024 * 1024;

enum class PcdFaultKind {
  kNoHeader,         // this is no PCD file
  kHeader,           // a header line that cannot be understood, is missing or contradicts another
  kVersion,          // not 0.7
  kColumns,          // x or y missing, or a column that we need has COUNT > 1
  kUnsupportedData,  // DATA binary_compressed
  kTooLarge,         // beyond a limit above or kRadarSweepMaxDetections
  kTruncated,        // less data than the header declares
  kSurplus,          // more data than the header declares
  kPoint,            // a point line with a wrong number of values, or a value that is no number
};
inline constexpr std::size_t kPcdFaultKinds = 9;

// `line` counts from 1 (0 within binary data), `byte` from 0, both from the file's start.
struct PcdFault {
  PcdFaultKind kind;
  std::string text;
  std::size_t line = 0;
  std::size_t byte = 0;
};

// "line 12, byte 340: 3 values where FIELDS and COUNT promise 6"
std::string describe(const PcdFault& fault);

enum class PcdData { kAscii, kBinary };
enum class PcdType : std::uint8_t { kFloat, kSigned, kUnsigned };

enum PcdColumnName : std::uint8_t {
  kPcdX,
  kPcdY,
  kPcdZ,
  kPcdRcs,
  kPcdVx,
  kPcdVy,
  kPcdVxComp,
  kPcdVyComp,
  kPcdInvalidState,
  kPcdColumnCount
};

struct PcdColumn {
  PcdType type;
  std::uint8_t size;         // bytes
  std::uint32_t offset = 0;  // bytes from the point's start (binary)
  std::uint32_t value = 0;   // index among the values of a line (ascii)
};

// Checked: `points` and `stride` are within the limits and their product is, too.
struct PcdHeader {
  std::size_t size = 0;   // bytes, the DATA line's newline included
  std::size_t lines = 0;  // likewise
  PcdData data = PcdData::kAscii;
  std::size_t points = 0;
  std::size_t stride = 0;  // bytes a point (binary)
  std::size_t values = 0;  // numbers a point (ascii)
  std::array<std::optional<PcdColumn>, kPcdColumnCount> columns;
};

// The DATA line is not there yet; what is there is right so far.
struct PcdHeaderIncomplete {};

std::variant<PcdHeader, PcdHeaderIncomplete, PcdFault> read_pcd_header(
    std::span<const std::uint8_t> bytes);

enum class PcdInvalidPoints { kDrop, kKeep };
enum class PcdSpeeds { kNone, kAsMeasured, kCompensated };

struct PcdSweep {
  std::vector<RadarDetection> detections;
  PcdSpeeds speeds = PcdSpeeds::kNone;
  std::size_t empty_points = 0;
  std::size_t invalid_points = 0;
};

using PcdOutcome = std::variant<PcdSweep, PcdFault>;

// `bytes` is one whole file. The last ascii line may lack its newline; blanks and NULs may follow.
PcdOutcome read_pcd(std::span<const std::uint8_t> bytes,
                    PcdInvalidPoints invalid_points = PcdInvalidPoints::kDrop);

}  // namespace farwheel
