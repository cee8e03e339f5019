// Transport-wide feedback from the wire to packet results: sequence and clock wrap, gaps, negative
// deltas, reordering, duplicates, lost reports, broken packets.
// Source: draft-holmer-rmcat-transport-wide-cc-extensions-01, section 3.1.
#include "feedback/twcc_wire.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace farwheel {
namespace {

using Fate = PacketResult::Fate;
using Chunks = TwccWire::Chunks;
constexpr std::int64_t kMs = 1000000;
constexpr std::int64_t kClockPeriod = (std::int64_t{1} << 24) * TwccWire::kReference;

// A sender of one packet every 5 ms, 20 ms before each arrives; `base` is the receiver's clock at
// the sender's zero.
struct Wire : testing::Test {
  void send(PacketNumber first, int count) {
    for (int i = 0; i < count; ++i) {
      adapter.on_packet_sent({first + i, DataSize::from_bytes(1200), 0, sent_at(first + i)});
    }
  }
  Timestamp sent_at(PacketNumber number) const { return Timestamp::from_millis(5 * number); }
  WireArrival got(PacketNumber number, std::int64_t late_ns = 0) const {
    return {static_cast<std::uint16_t>(number), base + (5 * number + 20) * kMs + late_ns};
  }
  static WireArrival missed(PacketNumber number) {
    return {static_cast<std::uint16_t>(number), {}};
  }
  // As the receiver's clock goes on the wire: 24 bits of 64 ms.
  const FeedbackReport& report(std::vector<WireArrival> arrivals, PacketNumber newest,
                               Chunks chunks = Chunks::kRunLength) {
    const std::vector<std::uint8_t> bytes = TwccWire::written(arrivals, chunks);
    EXPECT_FALSE(bytes.empty());
    return adapter.on_report(sent_at(newest) + TimeDelta::from_millis(40), TwccWire::read(bytes));
  }
  std::string fates(const FeedbackReport& given) const {
    std::string text;
    for (const PacketResult& result : given.packets) {
      text += result.fate == Fate::kDelivered ? 'd' : result.fate == Fate::kLost ? 'l' : 'u';
    }
    return text;
  }

  FeedbackAdapter adapter;
  std::int64_t base = 1000 * kMs;
};

TEST_F(Wire, EveryFormOfChunkSaysTheSame) {
  for (Chunks chunks : {Chunks::kRunLength, Chunks::kVector}) {
    adapter = FeedbackAdapter();
    send(0, 20);
    std::vector<WireArrival> arrivals;
    for (PacketNumber n = 0; n < 20; ++n) arrivals.push_back(n % 5 == 3 ? missed(n) : got(n));
    const FeedbackReport& given = report(arrivals, 19, chunks);
    EXPECT_EQ(fates(given), "dddlddddlddddlddddld");
    EXPECT_EQ((given.packets[19].received_at - given.packets[0].received_at).ms(), 95);
    EXPECT_NEAR(given.packets[19].rtt.ms(), 40, 0.25);
    EXPECT_NEAR(given.packets[0].rtt.ms(), 40, 0.25);  // less the receiver's wait of 95 ms
  }
}

// By hand: base 5, count 3, reference 2 x 64 ms, one vector chunk of one-bit symbols (1 0 1), small
// deltas 4 and 8 ticks.
TEST_F(Wire, ReadsOneBitVectors) {
  const std::uint8_t bytes[] = {0, 5, 0, 3, 0, 0, 2, 0, 0xa8, 0x00, 4, 8};
  // 0xa800: a vector of one-bit symbols 1 0 1 0 1 ...; three of them count.
  const std::vector<ReportedPacket> packets = TwccWire::read(bytes);
  ASSERT_EQ(packets.size(), 3u);
  EXPECT_EQ(packets[0].sequence_number, 5);
  EXPECT_EQ(packets[0].remote_ns, 129 * kMs);
  EXPECT_TRUE(packets[1].lost);
  EXPECT_EQ(packets[2].remote_ns, 131 * kMs);
}

TEST_F(Wire, SequenceNumbersWrap) {
  send(65530, 12);
  std::vector<WireArrival> arrivals;
  for (PacketNumber n = 65530; n < 65542; ++n) {
    arrivals.push_back(n == 65536 ? missed(n) : got(n));
  }
  const FeedbackReport& given = report(arrivals, 65541);
  EXPECT_EQ(fates(given), "ddddddlddddd");
  EXPECT_EQ(given.packets.front().packet.number, 65530);
  EXPECT_EQ(given.packets.back().packet.number, 65541);
}

// The 24-bit reference time wraps between two reports and within the reach of deltas.
TEST_F(Wire, TheReferenceTimeWraps) {
  base = kClockPeriod - 5 * 20 * kMs;
  send(0, 40);
  std::vector<WireArrival> before;
  std::vector<WireArrival> after;
  for (PacketNumber n = 0; n < 20; ++n) before.push_back(got(n));
  for (PacketNumber n = 20; n < 40; ++n) after.push_back(got(n));
  const Timestamp last = report(before, 19).packets.back().received_at;
  const FeedbackReport& given = report(after, 39);
  ASSERT_EQ(given.packets.size(), 20u);
  EXPECT_EQ((given.packets.front().received_at - last).ms(), 5);
  EXPECT_EQ(adapter.counters().bad_times, 0);
}

// 1400 packets of 7 s: as far as one large delta reaches.
TEST_F(Wire, AGapOfSecondsIsNamedLostOnce) {
  send(0, 1401);
  std::vector<WireArrival> arrivals = {got(0)};
  for (PacketNumber n = 1; n < 1400; ++n) arrivals.push_back(missed(n));
  arrivals.push_back(got(1400));
  const FeedbackReport& given = report(arrivals, 1400);
  EXPECT_EQ(fates(given), "d" + std::string(1399, 'l') + "d");
  EXPECT_EQ((given.packets.back().received_at - given.packets.front().received_at).ms(), 7000);
  EXPECT_TRUE(adapter.bytes_in_flight().is_zero());
}

// Numbers 1 and 2 arrived in the other order: their delta is negative.
TEST_F(Wire, NegativeDeltasKeepTheOrderOfArrival) {
  send(0, 4);
  const FeedbackReport& given = report({got(0), got(1, 8 * kMs), got(2), got(3)}, 3);
  EXPECT_EQ(fates(given), "dddd");
  EXPECT_EQ((given.packets[2].received_at - given.packets[1].received_at).ms(), -3);
  EXPECT_EQ((given.packets[3].received_at - given.packets[0].received_at).ms(), 15);
}

TEST_F(Wire, DeltasBeyondAByteTakeTwo) {
  send(0, 2);
  const FeedbackReport& given = report({got(0), got(1, 100 * kMs)}, 30);
  EXPECT_EQ((given.packets[1].received_at - given.packets[0].received_at).ms(), 105);
}

// A packet that comes after the report that called it lost is named again by the next.
TEST_F(Wire, WhatComesLateIsRescued) {
  send(0, 6);
  EXPECT_EQ(fates(report({got(0), missed(1), got(2), got(3)}, 3)), "dldd");
  EXPECT_EQ(fates(report({got(1, 30 * kMs), missed(2), missed(3), got(4), got(5)}, 5)), "ddd");
  EXPECT_EQ(adapter.counters().late_rescues, 1);
  EXPECT_TRUE(adapter.bytes_in_flight().is_zero());
}

TEST_F(Wire, AReportThatComesTwiceSaysNothingNew) {
  send(0, 4);
  const std::vector<WireArrival> arrivals = {got(0), missed(1), got(2), got(3)};
  EXPECT_EQ(fates(report(arrivals, 3)), "dldd");
  EXPECT_EQ(fates(report(arrivals, 3)), "");
  EXPECT_EQ(adapter.counters().duplicate_results, 4);
}

TEST_F(Wire, ReportsInTheWrongOrderBothCount) {
  send(0, 8);
  EXPECT_EQ(fates(report({got(4), got(5), got(6), got(7)}, 7)), "dddd");
  const FeedbackReport& earlier = report({got(0), got(1), missed(2), got(3)}, 7);
  EXPECT_EQ(fates(earlier), "ddld");
  EXPECT_EQ((earlier.packets[3].received_at - earlier.packets[0].received_at).ms(), 15);
}

// A lost report: its packets are named by none, and become unknown, not lost.
TEST_F(Wire, ALostReportLeavesItsPacketsUnknown) {
  send(0, 8);
  (void)report({got(0), got(1)}, 1);
  (void)report({got(6), got(7)}, 7);
  EXPECT_EQ(adapter.packets_in_flight(), 4);
  const FeedbackReport& aged =
      adapter.age_out(sent_at(7) + TimeDelta::from_millis(400), TimeDelta::from_millis(40));
  EXPECT_EQ(fates(aged), "uuuu");
  EXPECT_TRUE(adapter.bytes_in_flight().is_zero());
}

// Every prefix of a report, and every byte of it changed: read without fault, and the volume in
// flight stays what it can be.
TEST_F(Wire, BrokenReportsDoNoHarm) {
  send(0, 12);
  std::vector<WireArrival> arrivals;
  for (PacketNumber n = 0; n < 12; ++n)
    arrivals.push_back(n == 5 ? missed(n) : got(n, n % 3 * kMs));
  for (Chunks chunks : {Chunks::kRunLength, Chunks::kVector}) {
    const std::vector<std::uint8_t> whole = TwccWire::written(arrivals, chunks);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_TRUE(TwccWire::read(std::span(whole).first(size)).empty()) << size;
    }
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (int flip : {0x01, 0x80, 0xff}) {
        std::vector<std::uint8_t> broken = whole;
        broken[i] = static_cast<std::uint8_t>(broken[i] ^ flip);
        (void)adapter.on_report(Timestamp::from_millis(100), TwccWire::read(broken));
        EXPECT_GE(adapter.bytes_in_flight().bytes(), 0);
        EXPECT_LE(adapter.bytes_in_flight().bytes(), 12 * 1200);
      }
    }
  }
}

}  // namespace
}  // namespace farwheel
