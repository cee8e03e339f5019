#include "radar/pcd_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "pcd_files.h"

namespace farwheel {
namespace {

using testing::append_raw;
using testing::binary_pcd;
using testing::Bytes;
using testing::kAsciiPcd;
using testing::replaced;
using testing::to_bytes;

PcdSweep good(const Bytes& bytes) {
  PcdOutcome outcome = read_pcd(bytes);
  if (const auto* fault = std::get_if<PcdFault>(&outcome)) {
    ADD_FAILURE() << describe(*fault);
    return {};
  }
  return std::get<PcdSweep>(std::move(outcome));
}

PcdFault bad(const Bytes& bytes) {
  const PcdOutcome outcome = read_pcd(bytes);
  const auto* fault = std::get_if<PcdFault>(&outcome);
  if (fault == nullptr) {
    ADD_FAILURE() << "was read, with " << std::get<PcdSweep>(outcome).detections.size();
    return {};
  }
  return *fault;
}

void expect_three_points(const PcdSweep& sweep) {
  ASSERT_EQ(sweep.detections.size(), 3u);
  const RadarDetection& first = sweep.detections[0];
  EXPECT_EQ(first.x, 10.5f);
  EXPECT_EQ(first.y, -2.25f);
  EXPECT_EQ(first.z, 0.5f);
  EXPECT_EQ(first.rcs, 12.5f);
  EXPECT_EQ(first.vx, -25.125f);
  EXPECT_EQ(first.vy, 5.5f);
  EXPECT_EQ(sweep.detections[2].x, 285.25f);
  EXPECT_EQ(sweep.detections[2].vy, -0.25f);
}

TEST(PcdReader, ReadsAscii) {
  const PcdSweep sweep = good(to_bytes(kAsciiPcd));
  expect_three_points(sweep);
  EXPECT_EQ(sweep.speeds, PcdSpeeds::kAsMeasured);
}

TEST(PcdReader, ReadsBinary) {
  expect_three_points(good(binary_pcd()));
}

TEST(PcdReader, ReadsCrLfAndTheLastLineWithoutNewline) {
  std::string text;
  for (char c : kAsciiPcd) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  expect_three_points(good(to_bytes(text)));
  text.resize(text.size() - 2);
  expect_three_points(good(to_bytes(text)));
}

TEST(PcdReader, ReadsBinaryBehindCrLfHeaderAndWithPaddingBehind) {
  Bytes bytes = binary_pcd();
  const std::string data = "DATA binary";
  auto at = std::search(bytes.begin(), bytes.end(), data.begin(), data.end());
  bytes.insert(at + static_cast<std::ptrdiff_t>(data.size()), '\r');
  bytes.insert(bytes.end(), {0, 0, '\n'});
  expect_three_points(good(bytes));
}

TEST(PcdReader, SkipsBlankAndCommentLines) {
  std::string text = replaced(kAsciiPcd, "WIDTH", "# a comment\n\nWIDTH");
  text = replaced(text, "100 20", "\n# another\n  100\t20");
  expect_three_points(good(to_bytes(text)));
}

TEST(PcdReader, TakesColumnsInAnyOrderAndStepsOverOthers) {
  const std::string text =
      "VERSION .7\nPOINTS 1\nTYPE F F U I F F\nSIZE 8 4 2 1 4 4\nFIELDS vy fpfh id rcs y x\n"
      "COUNT 1 3 1 1 1 1\nDATA ascii\n"
      "1.5 9 9 word-nobody-needs 7 -12 3 4\n";
  const PcdSweep sweep = good(to_bytes(text));
  ASSERT_EQ(sweep.detections.size(), 1u);
  EXPECT_EQ(sweep.detections[0].x, 4);
  EXPECT_EQ(sweep.detections[0].y, 3);
  EXPECT_EQ(sweep.detections[0].rcs, -12);
  EXPECT_TRUE(std::isnan(sweep.detections[0].z)) << "the sensor doesn't tell";
  EXPECT_TRUE(std::isnan(sweep.detections[0].vx));
  EXPECT_EQ(sweep.detections[0].vy, 1.5f);
}

TEST(PcdReader, ReadsEveryBinaryType) {
  struct Case {
    char type;
    int size;
    double value;
  };
  const Case cases[] = {{'F', 4, -1.5}, {'F', 8, 2.25}, {'I', 1, -100}, {'I', 2, -30000},
                        {'I', 4, -7e4}, {'I', 8, -9e6}, {'U', 1, 200},  {'U', 2, 60000},
                        {'U', 4, 3e9},  {'U', 8, 9e9}};
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(1, c.type) + std::to_string(c.size));
    Bytes bytes = to_bytes("VERSION 0.7\nFIELDS _ x pad y\nSIZE 1 " + std::to_string(c.size) +
                           " 2 4\nTYPE U " + std::string(1, c.type) +
                           " U F\nCOUNT 3 1 2 1\nWIDTH 2\nHEIGHT 1\nDATA binary\n");
    for (int i = 0; i < 2; ++i) {
      bytes.insert(bytes.end(), 3, 0xee);
      if (c.type == 'F' && c.size == 4) append_raw(bytes, static_cast<float>(c.value));
      if (c.type == 'F' && c.size == 8) append_raw(bytes, c.value);
      if (c.type == 'I' || c.type == 'U') {
        const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(c.value));
        for (int b = 0; b < c.size; ++b) {
          bytes.push_back(static_cast<std::uint8_t>(whole >> (8 * b)));
        }
      }
      bytes.insert(bytes.end(), 4, 0xee);
      append_raw(bytes, 6.5f);
    }
    const PcdSweep sweep = good(bytes);
    ASSERT_EQ(sweep.detections.size(), 2u);
    EXPECT_EQ(sweep.detections[1].x, static_cast<float>(c.value));
    EXPECT_EQ(sweep.detections[1].y, 6.5f);
  }
}

TEST(PcdReader, DropsPointsWithoutAPlaceAndForgetsSpeedsWithoutOne) {
  std::string text = replaced(kAsciiPcd, "10.5 -2.25", "nan -2.25");
  text = replaced(text, "285.25 14.5 11.5", "285.25 14.5 1e999");
  text = replaced(text, "-24 -4.75", "nan inf");
  const PcdSweep sweep = good(to_bytes(text));
  ASSERT_EQ(sweep.detections.size(), 1u);
  EXPECT_EQ(sweep.empty_points, 2u);
  EXPECT_EQ(sweep.detections[0].x, 100);
  EXPECT_TRUE(std::isnan(sweep.detections[0].vx));
  EXPECT_TRUE(std::isnan(sweep.detections[0].vy));
}

std::string with_compensated(const std::string& first, const std::string& second) {
  return "VERSION 0.7\nFIELDS x y vx vy vx_comp vy_comp\nSIZE 4 4 4 4 4 4\nTYPE F F F F F F\n"
         "WIDTH 2\nHEIGHT 1\nDATA ascii\n1 2 -20 3 " +
         first + "\n4 5 -21 2 " + second + "\n";
}

TEST(PcdReader, PrefersCompensatedSpeeds) {
  const PcdSweep sweep = good(to_bytes(with_compensated("5 0", "0 0")));
  ASSERT_EQ(sweep.detections.size(), 2u);
  EXPECT_EQ(sweep.speeds, PcdSpeeds::kCompensated);
  EXPECT_EQ(sweep.detections[0].vx, 5);
  EXPECT_EQ(sweep.detections[1].vx, 0) << "stands still, and is not the measured -21";
}

TEST(PcdReader, TakesMeasuredSpeedsWhereCompensatedOnesAreOnlyFilledIn) {
  const PcdSweep sweep = good(to_bytes(with_compensated("0 0", "nan 0")));
  ASSERT_EQ(sweep.detections.size(), 2u);
  EXPECT_EQ(sweep.speeds, PcdSpeeds::kAsMeasured);
  EXPECT_EQ(sweep.detections[0].vx, -20);
  EXPECT_EQ(sweep.detections[1].vy, 2);
}

TEST(PcdReader, DropsPointsThatTheSensorCallsInvalid) {
  std::string text =
      "VERSION 0.7\nFIELDS x y invalid_state\nSIZE 4 4 1\nTYPE F F I\nWIDTH 18\nHEIGHT 1\n"
      "DATA ascii\n";
  for (int state = 0; state < 18; ++state) {
    text += std::to_string(state) + " 0 " + std::to_string(state) + "\n";
  }
  const PcdSweep sweep = good(to_bytes(text));
  std::vector<int> kept;
  for (const auto& detection : sweep.detections) kept.push_back(static_cast<int>(detection.x));
  EXPECT_EQ(kept, (std::vector<int>{0, 4, 8, 9, 10, 11, 12, 15, 16, 17}));
  EXPECT_EQ(sweep.invalid_points, 8u);
  const auto all = std::get<PcdSweep>(read_pcd(to_bytes(text), PcdInvalidPoints::kKeep));
  EXPECT_EQ(all.detections.size(), 18u);
}

TEST(PcdReader, ReadsASweepWithoutPoints) {
  std::string text = replaced(kAsciiPcd, "WIDTH 3", "WIDTH 0");
  text = replaced(text, "POINTS 3", "POINTS 0");
  text.resize(text.find("10.5"));
  EXPECT_TRUE(good(to_bytes(text)).detections.empty());
}

struct Malformed {
  const char* name;
  const char* from;
  const char* to;
  PcdFaultKind kind;
  std::size_t line;  // 0: not asked
  const char* says;
};

class MalformedPcd : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedPcd, IsNamedWithItsPlace) {
  const Malformed& c = GetParam();
  const std::string text = replaced(kAsciiPcd, c.from, c.to);
  const PcdFault fault = bad(to_bytes(text));
  EXPECT_EQ(fault.kind, c.kind) << describe(fault);
  if (c.line != 0) {
    EXPECT_EQ(fault.line, c.line) << describe(fault);
    std::size_t at = 0;
    for (std::size_t line = 1; line < c.line; ++line) at = text.find('\n', at) + 1;
    EXPECT_EQ(fault.byte, at);
  }
  EXPECT_NE(fault.text.find(c.says), std::string::npos) << describe(fault);
}

using enum PcdFaultKind;
const Malformed kMalformed[] = {
    {"version_0_6", "VERSION 0.7", "VERSION 0.6", kVersion, 2, "0.6"},
    {"version_empty", "VERSION 0.7", "VERSION", kVersion, 2, "only 0.7"},
    {"version_twice", "WIDTH 3", "VERSION 0.7", kHeader, 7, "second VERSION"},
    {"unknown_keyword", "VIEWPOINT", "VEIWPOINT", kHeader, 9, "'VEIWPOINT'"},
    {"no_fields", "FIELDS x y z rcs vx vy\n", "", kHeader, 0, "no FIELDS line"},
    {"no_size", "SIZE 4 4 4 4 4 4\n", "", kHeader, 0, "no SIZE line"},
    {"no_type", "TYPE F F F F F F\n", "", kHeader, 0, "no TYPE line"},
    {"no_x", "FIELDS x", "FIELDS u", kColumns, 3, "no field x"},
    {"no_y", "FIELDS x y", "FIELDS x w", kColumns, 3, "no field y"},
    {"x_twice", "FIELDS x y", "FIELDS x x", kHeader, 3, "two fields 'x'"},
    {"fewer_sizes", "SIZE 4 4 4 4 4 4", "SIZE 4 4 4 4 4", kHeader, 4, "fewer entries"},
    {"more_sizes", "SIZE 4 4 4 4 4 4", "SIZE 4 4 4 4 4 4 4", kHeader, 4, "more entries"},
    {"fewer_types", "TYPE F F F F F F", "TYPE F", kHeader, 5, "fewer entries"},
    {"more_counts", "COUNT 1 1 1 1 1 1", "COUNT 1 1 1 1 1 1 1", kHeader, 6, "more entries"},
    {"size_3", "SIZE 4", "SIZE 3", kHeader, 4, "'3'"},
    {"size_of_float_1", "SIZE 4", "SIZE 1", kHeader, 4, "'1'"},
    {"size_negative", "SIZE 4", "SIZE -4", kHeader, 4, "'-4'"},
    {"size_huge", "SIZE 4", "SIZE 99999999999999999999999", kHeader, 4, "bytes do not go"},
    {"type_unknown", "TYPE F", "TYPE D", kHeader, 5, "none of F, I, U"},
    {"count_0", "COUNT 1", "COUNT 0", kHeader, 6, "no count"},
    {"count_negative", "COUNT 1", "COUNT -1", kHeader, 6, "no count"},
    {"count_of_x_2", "COUNT 1", "COUNT 2", kColumns, 6, "COUNT 2"},
    {"count_bomb", "COUNT 1 1 1 1 1 1", "COUNT 18446744073709551615 1 1 1 1 1", kTooLarge, 6,
     "values a point"},
    {"width_word", "WIDTH 3", "WIDTH three", kHeader, 7, "WIDTH wants one number"},
    {"width_empty", "WIDTH 3", "WIDTH", kHeader, 7, "WIDTH wants one number"},
    {"height_two_numbers", "HEIGHT 1", "HEIGHT 1 1", kHeader, 8, "HEIGHT wants one number"},
    {"points_negative", "POINTS 3", "POINTS -3", kHeader, 10, "POINTS wants one number"},
    {"points_huge", "POINTS 3", "POINTS 4000000000", kTooLarge, 10, "no radar sweep"},
    {"points_overflow", "POINTS 3", "POINTS 99999999999999999999", kHeader, 10, "wants one number"},
    {"width_overflow", "WIDTH 3\nHEIGHT 1", "WIDTH 4294967296\nHEIGHT 4294967296", kTooLarge, 7,
     "no radar sweep"},
    {"width_lies", "WIDTH 3", "WIDTH 4", kHeader, 10, "WIDTH times HEIGHT 4"},
    {"no_points_no_width", "WIDTH 3\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3\n", "", kHeader, 7,
     "neither POINTS nor WIDTH"},
    {"declares_more", "WIDTH 3\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3", "POINTS 4",
     kTruncated, 0, "3 of 4 points"},
    {"declares_fewer", "WIDTH 3\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3", "POINTS 2", kSurplus,
     11, "more than the 2"},
    {"data_unknown", "DATA ascii", "DATA base64", kHeader, 11, "'base64'"},
    {"data_empty", "DATA ascii", "DATA", kHeader, 11, "neither ascii nor binary"},
    {"compressed", "DATA ascii", "DATA binary_compressed", kUnsupportedData, 11,
     "save the file as binary or ascii"},
    {"line_short", "100 20 1 -3 -24 -4.75", "100 20 1 -3 -24", kPoint, 13, "5 values where"},
    {"line_long", "100 20 1 -3 -24 -4.75", "100 20 1 -3 -24 -4.75 0", kPoint, 13, "7 values"},
    {"line_word", "100 20", "100 2O", kPoint, 13, "value 2 is no number"},
    {"line_comma", "100 20", "100,5 20", kPoint, 13, "value 1 is no number"},
    {"line_hex", "100 20", "0x64 20", kPoint, 13, "value 1 is no number"},
    {"not_pcd", "# .PCD v0.7 - Point Cloud Data file format\nVERSION", "GIF89a", kNoHeader, 1,
     "no PCD"},
};
INSTANTIATE_TEST_SUITE_P(Lines, MalformedPcd, ::testing::ValuesIn(kMalformed),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(PcdReader, NamesWhereATruncatedFileEnds) {
  Bytes bytes = binary_pcd();
  bytes.resize(bytes.size() - 5);
  const PcdFault fault = bad(bytes);
  EXPECT_EQ(fault.kind, PcdFaultKind::kTruncated);
  EXPECT_EQ(fault.byte, bytes.size());
  EXPECT_NE(fault.text.find("point 3 of 3; 5 bytes are missing"), std::string::npos) << fault.text;
}

TEST(PcdReader, RejectsEveryTruncation) {
  for (const Bytes& whole : {binary_pcd(), to_bytes(kAsciiPcd)}) {
    // Up to the last number's first digit; cut within it, ascii can't tell.
    for (std::size_t size = 0; size + 6 < whole.size(); ++size) {
      const PcdFault fault = bad(Bytes(whole.begin(), whole.begin() + static_cast<long>(size)));
      EXPECT_LE(fault.byte, size);
    }
  }
}

TEST(PcdReader, RejectsBinaryDataThatTheHeaderDoesNotDeclare) {
  Bytes bytes = binary_pcd();
  append_raw(bytes, 1.0f);
  EXPECT_EQ(bad(bytes).kind, PcdFaultKind::kSurplus);
}

TEST(PcdReader, BoundsHeaderBombs) {
  const std::string endless(200000, '#');
  EXPECT_EQ(bad(to_bytes(endless)).kind, PcdFaultKind::kNoHeader);
  std::string lines = "VERSION 0.7\n";
  while (lines.size() < 100000) lines += "# still no DATA\n";
  EXPECT_EQ(bad(to_bytes(lines)).kind, PcdFaultKind::kTooLarge);
  std::string fields = "FIELDS x y";
  for (int i = 0; i < 300; ++i) fields += " f";
  std::string sizes = "SIZE 4 4";
  std::string types = "TYPE F F";
  for (int i = 0; i < 300; ++i) sizes += " 4", types += " F";
  const std::string many = fields + "\n" + sizes + "\n" + types + "\nPOINTS 1\nDATA ascii\n";
  EXPECT_EQ(bad(to_bytes(many)).kind, PcdFaultKind::kTooLarge);
  const std::string big = replaced(
      replaced(replaced(kAsciiPcd, "WIDTH 3", "WIDTH 65536"), "POINTS 3", "POINTS 65536"),
      "FIELDS x y z rcs vx vy\nSIZE 4 4 4 4 4 4\n", "FIELDS a b x y vx vy\nSIZE 4 4 4 4 4 4\n");
  const std::string bomb = replaced(big, "COUNT 1 1 1", "COUNT 2000 2000 1");
  EXPECT_EQ(bad(to_bytes(bomb)).kind, PcdFaultKind::kTooLarge);
}

TEST(PcdReader, QuotesHostileTextShortAndPrintable) {
  const std::string text = replaced(kAsciiPcd, "VIEWPOINT", "V\x1b[31m\xff" + std::string(90, 'A'));
  const PcdFault fault = bad(to_bytes(text));
  EXPECT_LT(fault.text.size(), 80u);
  EXPECT_EQ(fault.text.find('\x1b'), std::string::npos);
}

// Any bytes: a sweep within the limits, or a fault within the file.
void expect_sane(const Bytes& bytes) {
  const PcdOutcome outcome = read_pcd(bytes);
  if (const auto* fault = std::get_if<PcdFault>(&outcome)) {
    ASSERT_LE(fault->byte, bytes.size());
    ASSERT_FALSE(fault->text.empty());
    return;
  }
  const auto& sweep = std::get<PcdSweep>(outcome);
  ASSERT_LE(sweep.detections.size(), kRadarSweepMaxDetections);
  for (const auto& detection : sweep.detections) {
    ASSERT_TRUE(std::isfinite(detection.x) && std::isfinite(detection.y));
    ASSERT_FALSE(std::isinf(detection.rcs) || std::isinf(detection.vx) || std::isinf(detection.vy));
  }
}

TEST(PcdReader, SurvivesMutations) {
  std::mt19937 random(20240501);
  const std::vector<std::string> words = {"0",    "-1",  "4294967296", "18446744073709551615",
                                          "nan",  "\n",  "COUNT 9",    "DATA binary\n",
                                          "1e99", "\r\n"};
  for (const Bytes& whole : {binary_pcd(), to_bytes(kAsciiPcd)}) {
    for (int round = 0; round < 20000; ++round) {
      Bytes bytes = whole;
      const auto changes = 1 + random() % 4;
      for (unsigned c = 0; c < changes && !bytes.empty(); ++c) {
        const auto at = static_cast<std::ptrdiff_t>(random() % bytes.size());
        switch (random() % 4) {
          case 0:
            bytes[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(random());
            break;
          case 1:
            bytes.erase(bytes.begin() + at);
            break;
          case 2: {
            const std::string& word = words[random() % words.size()];
            bytes.insert(bytes.begin() + at, word.begin(), word.end());
            break;
          }
          default:
            bytes.resize(static_cast<std::size_t>(at) + 1);
        }
      }
      ASSERT_NO_FATAL_FAILURE(expect_sane(bytes)) << "round " << round;
    }
  }
}

struct Recording {
  const char* name;
  std::size_t detections;
};
class RecordedSweep : public ::testing::TestWithParam<Recording> {};

TEST_P(RecordedSweep, ReadsTheSameFromBothForms) {
  const std::string stem = std::string("radar/") + GetParam().name;
  const auto ascii = testing::shared_path(stem + ".ascii.pcd");
  const auto binary = testing::shared_path(stem + ".binary.pcd");
  if (!ascii || !binary) GTEST_SKIP() << "no recordings: set FARWHEEL_SHARED";
  const PcdSweep a = good(testing::file_bytes(*ascii));
  const PcdSweep b = good(testing::file_bytes(*binary));
  ASSERT_EQ(a.detections.size(), GetParam().detections);
  ASSERT_EQ(b.detections.size(), GetParam().detections);
  EXPECT_EQ(a.speeds, PcdSpeeds::kAsMeasured) << "vx_comp and vy_comp are filled with zeros there";
  double fastest = 0;
  for (std::size_t i = 0; i < a.detections.size(); ++i) {
    // The ascii form has six digits.
    const auto& p = a.detections[i];
    const auto& q = b.detections[i];
    for (auto field : {&RadarDetection::x, &RadarDetection::y, &RadarDetection::z,
                       &RadarDetection::vx, &RadarDetection::vy, &RadarDetection::rcs}) {
      ASSERT_NEAR(p.*field, q.*field, 1e-5 * std::fabs(q.*field) + 1e-6) << "detection " << i;
    }
    fastest = std::max(fastest, static_cast<double>(std::hypot(p.vx, p.vy)));
  }
  EXPECT_GT(fastest, 1);
}
INSTANTIATE_TEST_SUITE_P(Sensors, RecordedSweep,
                         ::testing::Values(Recording{"ars548-sweep", 308},
                                           Recording{"srr520-near-sweep", 194}),
                         [](const auto& test) {
                           return std::string(test.param.name).substr(0, 6);
                         });

}  // namespace
}  // namespace farwheel
