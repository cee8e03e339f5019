#include "radar/radar_klv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "radar/radar_scene.h"

namespace farwheel {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

RadarSweep one_detection() {
  RadarSweep sweep;
  sweep.sensor = 0x01020304;
  sweep.number = 0x0a0b0c0d;
  sweep.captured_unix_ns = 0x1122334455667788;
  sweep.detections.push_back(
      {.x = 100, .y = -2.5f, .z = 0.5f, .vx = -25, .vy = kNan, .rcs = 12.34f});
  return sweep;
}

// As docs/radar-klv.md shows it.
const Bytes kOneDetection = {
    0x06, 0x0e, 0x2b, 0x34, 0x01, 0x01, 0x01, 0x01, 0x0f, 0x46, 0x57, 0x52, 0x41, 0x44, 0x41, 0x52,
    0x20,                                            // 32 bytes follow
    0x01, 0x00, 0x00, 0x01,                          // version, flags, count
    0x01, 0x02, 0x03, 0x04,                          // sensor
    0x0a, 0x0b, 0x0c, 0x0d,                          // sweep number
    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,  // capture time
    0x13, 0x88, 0xff, 0x83, 0x00, 0x19,              // x 5000, y -125, z 25 steps of 0.02 m
    0xf6, 0x3c, 0x80, 0x00,                          // vx -2500 steps of 0.01 m/s, vy unknown
    0x04, 0xd2,                                      // rcs 1234 steps of 0.01 dB
};

RadarSweep only_sweep(const Bytes& unit) {
  const RadarKlvContents contents = read_radar_klv(unit);
  EXPECT_EQ(contents.fault, RadarKlvFault::kNone) << describe(contents.fault);
  EXPECT_EQ(contents.sweeps.size(), 1u);
  return contents.sweeps.empty() ? RadarSweep{} : contents.sweeps.front();
}

TEST(RadarKlv, WritesTheDocumentedBytes) {
  EXPECT_EQ(write_radar_klv(one_detection()).bytes, kOneDetection);
}

TEST(RadarKlv, ReadsTheDocumentedBytes) {
  const RadarSweep sweep = only_sweep(kOneDetection);
  EXPECT_EQ(sweep.sensor, 0x01020304u);
  EXPECT_EQ(sweep.number, 0x0a0b0c0du);
  EXPECT_EQ(sweep.captured_unix_ns, 0x1122334455667788u);
  ASSERT_EQ(sweep.detections.size(), 1u);
  EXPECT_EQ(sweep.detections[0].x, 100);
  EXPECT_EQ(sweep.detections[0].y, -2.5f);
  EXPECT_EQ(sweep.detections[0].vx, -25);
  EXPECT_TRUE(std::isnan(sweep.detections[0].vy));
  EXPECT_FLOAT_EQ(sweep.detections[0].rcs, 12.34f);
}

TEST(RadarKlv, KeepsEveryFieldWithinHalfAStep) {
  std::mt19937 random(3);
  const auto within = [&](double limit) {
    return static_cast<float>(std::uniform_real_distribution<double>(-limit, limit)(random));
  };
  RadarSweep sweep;
  for (int i = 0; i < 20000; ++i) {
    sweep.detections.push_back(
        {within(655), within(655), within(655), within(327), within(327), within(327)});
  }
  const RadarSweep back = only_sweep(write_radar_klv(sweep).bytes);
  ASSERT_EQ(back.detections.size(), sweep.detections.size());
  // Half a step, and the float's own rounding at 655 m.
  const double position = kRadarKlvPositionStep / 2 + 4e-5;
  const double speed = kRadarKlvSpeedStep / 2 + 2e-5;
  for (std::size_t i = 0; i < sweep.detections.size(); ++i) {
    const auto& in = sweep.detections[i];
    const auto& out = back.detections[i];
    ASSERT_NEAR(out.x, in.x, position);
    ASSERT_NEAR(out.y, in.y, position);
    ASSERT_NEAR(out.z, in.z, position);
    ASSERT_NEAR(out.vx, in.vx, speed);
    ASSERT_NEAR(out.vy, in.vy, speed);
    ASSERT_NEAR(out.rcs, in.rcs, kRadarKlvRcsStep / 2 + 2e-5);
  }
}

TEST(RadarKlv, IsStableAfterTheFirstRounding) {
  RadarScene scene(5);
  RadarSweep sweep;
  sweep.detections = scene.look(20);
  const Bytes once = write_radar_klv(sweep).bytes;
  EXPECT_EQ(write_radar_klv(only_sweep(once)).bytes, once);
}

TEST(RadarKlv, ReachesItsLimitsAndNoFurther) {
  RadarSweep sweep;
  sweep.detections = {{.x = 655.34f, .y = -655.34f, .z = 655.34f, .vx = 327.67f, .vy = -327.67f},
                      {.x = 655.36f, .y = 0},
                      {.x = 1e30f, .y = 0},
                      {.x = 0, .y = -std::numeric_limits<float>::infinity()},
                      {.x = kNan, .y = 0},
                      {.x = 1, .y = 1, .z = 700, .vx = 328, .vy = -1e20f, .rcs = 400}};
  const RadarKlvUnit unit = write_radar_klv(sweep);
  EXPECT_EQ(unit.left_out, 4u);
  const RadarKlvContents contents = read_radar_klv(unit.bytes);
  EXPECT_EQ(contents.incomplete_sweeps, 1u);
  ASSERT_EQ(contents.sweeps.size(), 1u);
  const auto& detections = contents.sweeps[0].detections;
  ASSERT_EQ(detections.size(), 2u);
  EXPECT_FLOAT_EQ(detections[0].x, 655.34f);
  EXPECT_FLOAT_EQ(detections[0].y, -655.34f);
  EXPECT_FLOAT_EQ(detections[0].vy, -327.67f);
  EXPECT_TRUE(std::isnan(detections[1].z)) << "beyond the range is unknown, not clamped";
  EXPECT_TRUE(std::isnan(detections[1].vx));
  EXPECT_TRUE(std::isnan(detections[1].vy));
  EXPECT_TRUE(std::isnan(detections[1].rcs));
}

TEST(RadarKlv, WritesLengthsInTheirShortestForm) {
  struct Case {
    std::size_t detections;
    Bytes length;
  };
  const Case cases[] = {{0, {20}},
                        {8, {116}},
                        {9, {0x81, 128}},
                        {19, {0x81, 248}},
                        {20, {0x82, 0x01, 0x04}},
                        {308, {0x82, 0x0e, 0x84}},
                        {6000, {0x83, 0x01, 0x19, 0x54}}};
  for (const Case& c : cases) {
    RadarSweep sweep;
    sweep.detections.resize(c.detections);
    const Bytes bytes = write_radar_klv(sweep).bytes;
    EXPECT_EQ(Bytes(bytes.begin() + 16,
                    bytes.begin() + 16 + static_cast<std::ptrdiff_t>(c.length.size())),
              c.length);
    EXPECT_EQ(only_sweep(bytes).detections.size(), c.detections);
  }
}

TEST(RadarKlv, LeavesOutWhatTheCountCannotHold) {
  RadarSweep sweep;
  sweep.detections.resize(kRadarSweepMaxDetections);
  const RadarKlvUnit unit = write_radar_klv(sweep);
  EXPECT_EQ(unit.left_out, 1u);
  EXPECT_EQ(read_radar_klv(unit.bytes).sweeps.at(0).detections.size(), 65535u);
}

Bytes concat(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(RadarKlv, StepsOverItemsOfOthersAndReadsSeveralSweeps) {
  Bytes foreign = kOneDetection;
  foreign[10] = 'X';
  Bytes indirect = kOneDetection;  // the same length in the longest form
  indirect.erase(indirect.begin() + 16);
  const Bytes long_length = {0x88, 0, 0, 0, 0, 0, 0, 0, 32};
  indirect.insert(indirect.begin() + 16, long_length.begin(), long_length.end());
  const RadarKlvContents contents =
      read_radar_klv(concat({foreign, kOneDetection, indirect, foreign}));
  EXPECT_EQ(contents.fault, RadarKlvFault::kNone);
  EXPECT_EQ(contents.sweeps.size(), 2u);
  EXPECT_EQ(contents.foreign_items, 2u);
  EXPECT_EQ(read_radar_klv({}).sweeps.size(), 0u);
}

TEST(RadarKlv, CountsUnknownVersionsAndGoesOn) {
  Bytes newer = kOneDetection;
  newer[17] = 2;
  newer.push_back(9);
  newer[16] = 33;
  const RadarKlvContents contents = read_radar_klv(concat({newer, kOneDetection}));
  EXPECT_EQ(contents.fault, RadarKlvFault::kNone);
  EXPECT_EQ(contents.unknown_versions, 1u);
  EXPECT_EQ(contents.sweeps.size(), 1u);
}

TEST(RadarKlv, DropsDetectionsWithoutAPlace) {
  Bytes unit = kOneDetection;
  unit[37] = 0x80;
  unit[38] = 0x00;
  const RadarKlvContents contents = read_radar_klv(unit);
  EXPECT_EQ(contents.dropped_detections, 1u);
  EXPECT_TRUE(contents.sweeps.at(0).detections.empty());
}

struct Lie {
  const char* name;
  std::size_t at;
  Bytes bytes;  // overwrite from `at`
  RadarKlvFault fault;
};
class LyingKlv : public ::testing::TestWithParam<Lie> {};

TEST_P(LyingKlv, IsFoundOut) {
  const Lie& lie = GetParam();
  Bytes unit = kOneDetection;
  std::copy(lie.bytes.begin(), lie.bytes.end(), unit.begin() + static_cast<std::ptrdiff_t>(lie.at));
  const RadarKlvContents contents = read_radar_klv(unit);
  EXPECT_EQ(contents.fault, lie.fault);
  EXPECT_TRUE(contents.sweeps.empty());
  EXPECT_LE(contents.fault_byte, unit.size());
}
INSTANTIATE_TEST_SUITE_P(
    Bytes, LyingKlv,
    ::testing::Values(Lie{"length_longer", 16, {33}, RadarKlvFault::kTruncatedValue},
                      Lie{"length_127", 16, {127}, RadarKlvFault::kTruncatedValue},
                      Lie{"length_shorter", 16, {31}, RadarKlvFault::kCountMismatch},
                      Lie{"length_0", 16, {0}, RadarKlvFault::kShortHeader},
                      Lie{"length_below_header", 16, {19}, RadarKlvFault::kShortHeader},
                      Lie{"length_indefinite", 16, {0x80}, RadarKlvFault::kBadLength},
                      Lie{"length_of_9_bytes", 16, {0x89}, RadarKlvFault::kBadLength},
                      Lie{"length_of_127_bytes", 16, {0xff}, RadarKlvFault::kBadLength},
                      Lie{"length_all_ones",
                          16,
                          {0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
                          RadarKlvFault::kTruncatedValue},
                      Lie{"count_0", 19, {0, 0}, RadarKlvFault::kCountMismatch},
                      Lie{"count_2", 19, {0, 2}, RadarKlvFault::kCountMismatch},
                      Lie{"count_65535", 19, {0xff, 0xff}, RadarKlvFault::kCountMismatch}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(RadarKlv, FindsEveryTruncation) {
  for (std::size_t size = 1; size < kOneDetection.size(); ++size) {
    const auto contents = read_radar_klv(std::span(kOneDetection).first(size));
    EXPECT_NE(contents.fault, RadarKlvFault::kNone) << size;
    EXPECT_TRUE(contents.sweeps.empty());
  }
}

TEST(RadarKlv, SurvivesMutations) {
  std::mt19937 random(11);
  RadarScene scene(2);
  RadarSweep sweep;
  sweep.detections = scene.look(10);
  const Bytes whole = concat({write_radar_klv(sweep).bytes, kOneDetection});
  for (int round = 0; round < 50000; ++round) {
    Bytes bytes = whole;
    for (int c = 0; c < 3; ++c) {
      // Mostly where lengths and counts are.
      const std::size_t at = random() % 2 == 0 ? random() % 24 : random() % bytes.size();
      bytes[at] = static_cast<std::uint8_t>(random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    const RadarKlvContents contents = read_radar_klv(bytes);
    ASSERT_LE(contents.fault_byte, bytes.size());
    std::size_t detections = 0;
    for (const auto& read : contents.sweeps) detections += read.detections.size();
    ASSERT_LE(detections * kRadarKlvDetectionSize, bytes.size());
  }
}

}  // namespace
}  // namespace farwheel
