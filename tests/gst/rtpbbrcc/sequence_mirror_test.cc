#include "rtpbbrcc/sequence_mirror.h"

#include <gtest/gtest.h>

#include <vector>

#include "rtpbbrcc/owd_window.h"

namespace farwheel {
namespace {

Timestamp at_ms(std::int64_t ms) {
  return Timestamp::from_millis(ms);
}

// Packets one millisecond apart, each pushed in 100 us; rtpsession looks at its clock 50 us in.
PacketNumber push(SequenceMirror& mirror, std::int64_t ms) {
  const PacketNumber number = mirror.begin_push(at_ms(ms));
  mirror.end_push(at_ms(ms) + TimeDelta::from_micros(100));
  return number;
}

ReportedPacket entry(std::int64_t sequence_number, std::int64_t ms) {
  ReportedPacket packet;
  packet.sequence_number = static_cast<std::uint16_t>(sequence_number);
  packet.local_ns = (at_ms(ms) + TimeDelta::from_micros(50)).ns();
  packet.remote_ns = 0;
  return packet;
}

TEST(SequenceMirror, CountsFromZeroAndLeavesAReportAsItIs) {
  SequenceMirror mirror;
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(push(mirror, i), i);
  std::vector<ReportedPacket> report = {entry(3, 3), entry(4, 4)};
  ASSERT_EQ(mirror.translate(report), 2u);
  EXPECT_EQ(report[0].sequence_number, 3);
  EXPECT_EQ(mirror.resyncs(), 0);
}

TEST(SequenceMirror, FindsTheDistanceWhenTheSessionCountsOn) {
  SequenceMirror mirror;
  for (std::int64_t i = 0; i < 10; ++i) push(mirror, i);
  // The session is 65530 ahead, so its numbers wrap within the report.
  std::vector<ReportedPacket> report;
  for (std::int64_t i = 2; i < 9; ++i) report.push_back(entry(65530 + i, i));
  ASSERT_EQ(mirror.translate(report), 7u);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(report[i].sequence_number, i + 2);
  EXPECT_EQ(mirror.offset(), 65530);
  EXPECT_EQ(mirror.resyncs(), 1);
}

TEST(SequenceMirror, LostPacketsWithoutSessionRecordFollowTheFoundDistance) {
  SequenceMirror mirror;
  for (std::int64_t i = 0; i < 10; ++i) push(mirror, i);
  std::vector<ReportedPacket> report = {entry(102, 2), entry(103, 3), entry(104, 4)};
  report[1].local_ns.reset();
  ASSERT_EQ(mirror.translate(report), 3u);
  EXPECT_EQ(report[1].sequence_number, 3);
}

TEST(SequenceMirror, DropsWhatSpeaksOfPacketsBeforeItsTime) {
  SequenceMirror mirror;
  for (std::int64_t i = 100; i < 110; ++i) push(mirror, i);
  std::vector<ReportedPacket> good = {entry(0, 100)};
  ASSERT_EQ(mirror.translate(good), 1u);
  std::vector<ReportedPacket> old = {entry(3, 20), entry(4, 21)};
  EXPECT_EQ(mirror.translate(old), 0u);
}

TEST(SequenceMirror, DisagreeingEntriesDoNotMoveIt) {
  SequenceMirror mirror;
  for (std::int64_t i = 0; i < 10; ++i) push(mirror, i);
  std::vector<ReportedPacket> report = {entry(50, 1), entry(70, 2), entry(90, 3)};
  mirror.translate(report);
  EXPECT_EQ(mirror.resyncs(), 0);
}

TEST(SequenceMirror, LeavesOutAPacketWhosePushBlocked) {
  SequenceMirror mirror;
  mirror.begin_push(at_ms(0));
  mirror.end_push(at_ms(400));
  push(mirror, 401);
  std::vector<ReportedPacket> report = {entry(0, 0), entry(1, 401)};
  ASSERT_EQ(mirror.translate(report), 1u);
  EXPECT_EQ(report[0].sequence_number, 1);
}

TEST(SequenceMirror, AReportMayComeBeforeThePushReturns) {
  SequenceMirror mirror;
  mirror.begin_push(at_ms(0));
  std::vector<ReportedPacket> report = {entry(0, 0)};
  EXPECT_EQ(mirror.translate(report), 1u);
}

TEST(SequenceMirror, ForgetsButGoesOnCounting) {
  SequenceMirror mirror;
  for (std::int64_t i = 0; i < 70000; ++i) EXPECT_EQ(push(mirror, i), i);
  std::vector<ReportedPacket> report = {entry(69999, 69999)};
  ASSERT_EQ(mirror.translate(report), 1u);
  EXPECT_EQ(report[0].sequence_number, 69999 % 65536);
  EXPECT_EQ(mirror.resyncs(), 0);
}

TEST(OwdWindow, TellsMinimumAndMedianOfTheLast100Milliseconds) {
  OwdWindow window;
  EXPECT_FALSE(window.read(at_ms(0)));
  window.add(at_ms(0), 1, 100);  // too old later
  window.add(at_ms(150), 1030, 1000);
  window.add(at_ms(160), 1010, 1000);
  window.add(at_ms(170), 1020, 1000);
  const auto raw = window.read(at_ms(200));
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->min_ns, 10);
  EXPECT_EQ(raw->p50_ns, 20);
  EXPECT_FALSE(window.read(at_ms(400)));
}

}  // namespace
}  // namespace farwheel
