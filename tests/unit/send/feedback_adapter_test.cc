#include "feedback/feedback_adapter.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "sim/event_queue.h"

namespace farwheel {
namespace {

using Fate = PacketResult::Fate;
constexpr std::int64_t kMs = 1000000;
constexpr std::int64_t kPeriod = ReceiverClock::kPeriod.ns();

Timestamp ms(std::int64_t value) {
  return Timestamp::from_millis(value);
}

SentPacket packet(PacketNumber number, std::int64_t sent_ms) {
  return {number, DataSize::from_bytes(1000 + number % 100), 0, ms(sent_ms)};
}

ReportedPacket got(PacketNumber number, std::int64_t remote_ns) {
  return {.sequence_number = static_cast<std::uint16_t>(number), .remote_ns = remote_ns};
}

ReportedPacket missed(PacketNumber number) {
  return {.sequence_number = static_cast<std::uint16_t>(number), .lost = true};
}

// "7 delivered, 8 lost" of a report.
std::string described(const FeedbackReport& report) {
  std::string text;
  for (const PacketResult& result : report.packets) {
    if (!text.empty()) text += ", ";
    text += std::to_string(result.packet.number);
    text += result.fate == Fate::kDelivered ? " delivered"
            : result.fate == Fate::kLost    ? " lost"
                                            : " unknown";
  }
  return text;
}

// ---- tables: packets sent 10 ms apart from `first`, then reports; what each must give.

struct Case {
  const char* name;
  PacketNumber first;
  int sent;
  std::vector<std::vector<ReportedPacket>> reports;
  std::vector<std::string> results;
  std::int64_t packets_in_flight;
};

std::vector<Case> cases() {
  return {
      {"in order",
       0,
       3,
       {{got(0, 0), got(1, 10 * kMs)}, {got(2, 20 * kMs)}},
       {"0 delivered, 1 delivered", "2 delivered"},
       0},
      {"wraps from 65535 to 0",
       65534,
       4,
       {{got(65534, 0), got(65535, 10 * kMs), got(65536, 20 * kMs), missed(65537)}},
       {"65534 delivered, 65535 delivered, 65536 delivered, 65537 lost"},
       0},
      {"wraps again and again",
       65536 * 1000 - 1,
       2,
       {{got(65536 * 1000 - 1, 0), got(65536 * 1000, kMs)}},
       {"65535999 delivered, 65536000 delivered"},
       0},
      {"a report is lost",
       0,
       4,
       {{got(0, 0)}, {got(3, 30 * kMs)}},
       {"0 delivered", "3 delivered"},
       2},
      {"reports overlap",
       0,
       3,
       {{got(0, 0), got(1, 10 * kMs)}, {got(1, 10 * kMs), got(2, 20 * kMs)}},
       {"0 delivered, 1 delivered", "2 delivered"},
       0},
      {"reports come in the wrong order",
       0,
       4,
       {{got(2, 20 * kMs), got(3, 30 * kMs)}, {got(0, 0), got(1, 10 * kMs)}},
       {"2 delivered, 3 delivered", "0 delivered, 1 delivered"},
       0},
      {"a report twice", 0, 1, {{got(0, 0)}, {got(0, 0)}}, {"0 delivered", ""}, 0},
      {"one packet twice in a report", 0, 1, {{got(0, 0), got(0, 0)}}, {"0 delivered"}, 0},
      {"delivered in the wrong order",
       0,
       3,
       {{got(0, 20 * kMs), got(1, 10 * kMs), got(2, 15 * kMs)}},
       {"0 delivered, 1 delivered, 2 delivered"},
       0},
      {"named in the wrong order",
       0,
       3,
       {{got(2, 20 * kMs), missed(1), got(0, 0)}},
       {"0 delivered, 1 lost, 2 delivered"},
       0},
      {"lost first, delivered after all",
       0,
       2,
       {{missed(0), got(1, 10 * kMs)}, {got(0, 12 * kMs)}},
       {"0 lost, 1 delivered", "0 delivered"},
       0},
      {"lost and delivered in one report",
       0,
       1,
       {{got(0, 0), missed(0)}},
       {"0 lost, 0 delivered"},
       0},
      {"delivered stays delivered", 0, 1, {{got(0, 0)}, {missed(0)}}, {"0 delivered", ""}, 0},
      {"lost twice counts once", 0, 1, {{missed(0)}, {missed(0)}}, {"0 lost", ""}, 0},
      {"numbers never sent",
       0,
       2,
       {{got(2, 0), got(3, 0), got(40000, 0), missed(65535), got(1, kMs)}},
       {"1 delivered"},
       1},
      {"received without a time", 0, 1, {{ReportedPacket{.sequence_number = 0}}}, {""}, 1},
      {"an empty report", 0, 1, {{}}, {""}, 1},
  };
}

TEST(FeedbackAdapter, TableOfReports) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    FeedbackAdapter adapter;
    for (int i = 0; i < c.sent; ++i) {
      EXPECT_TRUE(adapter.on_packet_sent(packet(c.first + i, 10 * i)));
    }
    std::int64_t at = 10 * c.sent + 50;
    for (std::size_t i = 0; i < c.reports.size(); ++i, at += 10) {
      EXPECT_EQ(described(adapter.on_report(ms(at), c.reports[i])), c.results[i]);
    }
    EXPECT_EQ(adapter.packets_in_flight(), c.packets_in_flight);
    EXPECT_EQ(adapter.counters().reports, static_cast<std::int64_t>(c.reports.size()));
  }
}

TEST(FeedbackAdapter, CountsWhatIsOdd) {
  FeedbackAdapter adapter;
  for (int i = 0; i < 4; ++i) adapter.on_packet_sent(packet(i, i));
  const std::vector<ReportedPacket> first{missed(0), got(1, 0), got(9, 0),
                                          ReportedPacket{.sequence_number = 2}};
  const std::vector<ReportedPacket> second{got(0, kMs), got(1, 0)};
  (void)adapter.on_report(ms(50), first);
  (void)adapter.on_report(ms(60), second);
  EXPECT_EQ(adapter.counters().unknown_sequence, 1);
  EXPECT_EQ(adapter.counters().bad_times, 1);
  EXPECT_EQ(adapter.counters().late_rescues, 1);
  EXPECT_EQ(adapter.counters().duplicate_results, 1);
}

TEST(FeedbackAdapter, ResultsBearTheTrueSizeAndSendTime) {
  FeedbackAdapter adapter;
  adapter.on_packet_sent({7, DataSize::from_bytes(1246), 3, ms(5)});
  EXPECT_EQ(adapter.bytes_in_flight(), DataSize::from_bytes(1246));
  EXPECT_EQ(adapter.oldest_in_flight(), ms(5));
  const std::vector<ReportedPacket> named{got(7, 0)};
  const FeedbackReport& report = adapter.on_report(ms(55), named);
  ASSERT_EQ(report.packets.size(), 1u);
  EXPECT_EQ(report.packets[0].packet.size, DataSize::from_bytes(1246));
  EXPECT_EQ(report.packets[0].packet.feed, 3u);
  EXPECT_EQ(report.packets[0].rtt, TimeDelta::from_millis(50));
  EXPECT_TRUE(adapter.bytes_in_flight().is_zero());
  EXPECT_EQ(adapter.oldest_in_flight(), std::nullopt);
}

TEST(FeedbackAdapter, RttIsNetOfTheReceiversWait) {
  FeedbackAdapter adapter;
  adapter.on_packet_sent(packet(0, 0));
  adapter.on_packet_sent(packet(1, 30));
  // Both took 25 ms out and 25 back; the first waited 30 ms for the second.
  const std::vector<ReportedPacket> named{got(0, 1025 * kMs), got(1, 1055 * kMs)};
  const FeedbackReport& report = adapter.on_report(ms(80), named);
  ASSERT_EQ(report.packets.size(), 2u);
  EXPECT_EQ(report.packets[0].rtt, TimeDelta::from_millis(50));
  EXPECT_EQ(report.packets[1].rtt, TimeDelta::from_millis(50));
}

TEST(FeedbackAdapter, RttOfALoopbackIsNeverZeroOrLess) {
  FeedbackAdapter adapter;
  adapter.on_packet_sent({0, DataSize::from_bytes(100), 0, Timestamp::from_micros(0)});
  adapter.on_packet_sent({1, DataSize::from_bytes(100), 0, Timestamp::from_micros(10)});
  // Rounding to 250 us made the two arrive further apart than they were sent and reported.
  const std::vector<ReportedPacket> named{got(0, 0), got(1, 250000)};
  const FeedbackReport& report = adapter.on_report(Timestamp::from_micros(60), named);
  ASSERT_EQ(report.packets.size(), 2u);
  for (const PacketResult& result : report.packets) {
    EXPECT_EQ(result.rtt, TimeDelta::from_micros(250));
  }
}

TEST(FeedbackAdapter, ReceiverClockWrapsWithoutAStep) {
  FeedbackAdapter adapter;
  const std::int64_t base = kPeriod - 25 * kMs;
  Timestamp last = Timestamp::infinite_past();
  for (int i = 0; i < 10; ++i) {
    adapter.on_packet_sent(packet(i, 10 * i));
    const std::vector<ReportedPacket> named{got(i, (base + 10 * i * kMs) % kPeriod)};
    const FeedbackReport& report = adapter.on_report(ms(10 * i + 5), named);
    ASSERT_EQ(report.packets.size(), 1u);
    const Timestamp received = report.packets[0].received_at;
    if (i > 0) {
      EXPECT_EQ(received - last, TimeDelta::from_millis(10)) << i;
    }
    last = received;
  }
}

TEST(FeedbackAdapter, ArbitraryClockBasesGiveTheSameDifferences) {
  const std::int64_t limit = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t base : {std::int64_t{0}, -5 * kMs, kPeriod * 7 + 3, -kPeriod * 3,
                                  limit - 40 * kMs, std::numeric_limits<std::int64_t>::min()}) {
    FeedbackAdapter adapter;
    std::vector<ReportedPacket> named;
    for (int i = 0; i < 4; ++i) {
      adapter.on_packet_sent(packet(i, 10 * i));
      named.push_back(got(i, base + 10 * i * kMs));
    }
    const FeedbackReport& report = adapter.on_report(ms(60), named);
    ASSERT_EQ(report.packets.size(), 4u) << base;
    for (std::size_t i = 1; i < 4; ++i) {
      EXPECT_EQ(report.packets[i].received_at - report.packets[i - 1].received_at,
                TimeDelta::from_millis(10))
          << base;
    }
  }
}

TEST(FeedbackAdapter, NegativeDeltasKeepTheirSign) {
  FeedbackAdapter adapter;
  adapter.on_packet_sent(packet(0, 0));
  adapter.on_packet_sent(packet(1, 1));
  const std::vector<ReportedPacket> named{got(0, 20 * kMs), got(1, 12 * kMs)};
  const FeedbackReport& report = adapter.on_report(ms(60), named);
  ASSERT_EQ(report.packets.size(), 2u);
  EXPECT_EQ(report.packets[1].received_at - report.packets[0].received_at,
            TimeDelta::from_millis(-8));
  EXPECT_EQ(report.packets[1].rtt, TimeDelta::from_millis(51));
}

TEST(FeedbackAdapter, AnImpossibleTimeIsAsIfTheReportHadNotNamedThePacket) {
  FeedbackAdapter adapter;
  for (int i = 0; i < 3; ++i) adapter.on_packet_sent(packet(i, 10 * i));
  const std::vector<ReportedPacket> first{got(0, 0)};
  (void)adapter.on_report(ms(50), first);
  // An hour later by the receiver's clock, 60 ms by ours.
  const std::vector<ReportedPacket> second{got(1, 3600000 * kMs), got(2, 20 * kMs)};
  EXPECT_EQ(described(adapter.on_report(ms(60), second)), "2 delivered");
  EXPECT_EQ(adapter.counters().bad_times, 1);
  EXPECT_EQ(adapter.packets_in_flight(), 1);
  // Fed back before it was sent.
  adapter.on_packet_sent(packet(3, 500));
  const std::vector<ReportedPacket> third{got(3, 30 * kMs)};
  EXPECT_EQ(described(adapter.on_report(ms(70), third)), "");
  EXPECT_EQ(adapter.counters().bad_times, 2);
}

TEST(FeedbackAdapter, AClockThatJumpedForGoodIsBelievedAfterAWhile) {
  FeedbackAdapter adapter;
  int delivered_after_jump = 0;
  Timestamp last = Timestamp::infinite_past();
  for (int i = 0; i < 200; ++i) {
    adapter.on_packet_sent(packet(i, 10 * i));
    const std::int64_t jump = i < 100 ? 0 : 86400000 * kMs;
    const std::vector<ReportedPacket> named{got(i, jump + (25 + 10 * i) * kMs)};
    const FeedbackReport& report = adapter.on_report(ms(10 * i + 50), named);
    if (report.packets.empty()) continue;
    if (i >= 100) ++delivered_after_jump;
    // The line goes on without the jump.
    if (last.is_finite()) {
      EXPECT_LT(report.packets[0].received_at - last, TimeDelta::from_seconds(1));
    }
    last = report.packets[0].received_at;
  }
  EXPECT_EQ(delivered_after_jump, 100 - 31);
}

TEST(FeedbackAdapter, AgesOutWhatNoReportNames) {
  FeedbackAdapter adapter;
  for (int i = 0; i < 3; ++i) adapter.on_packet_sent(packet(i, 100 * i));
  const TimeDelta rtt = TimeDelta::from_millis(50);
  EXPECT_EQ(described(adapter.age_out(ms(249), rtt)), "");
  EXPECT_EQ(described(adapter.age_out(ms(250), rtt)), "0 unknown");
  EXPECT_EQ(described(adapter.age_out(ms(460), rtt)), "1 unknown, 2 unknown");
  EXPECT_TRUE(adapter.bytes_in_flight().is_zero());
  EXPECT_EQ(adapter.counters().aged_out, 3);
  // A late report still tells that it arrived, but a loss then means nothing.
  const std::vector<ReportedPacket> late{got(0, 0), missed(1)};
  EXPECT_EQ(described(adapter.on_report(ms(500), late)), "0 delivered");
  EXPECT_TRUE(adapter.bytes_in_flight().is_zero());
}

TEST(FeedbackAdapter, WhatALaterReportBeginsBehindIsUnknownSoon) {
  FeedbackAdapter adapter;
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(adapter.on_packet_sent(packet(i, i)));
  // The report on 0 to 2 was lost on its way.
  ASSERT_EQ(described(adapter.on_report(ms(60), std::vector{got(3, 20 * kMs), got(4, 21 * kMs)})),
            "3 delivered, 4 delivered");
  // It may yet come, having been overtaken.
  EXPECT_EQ(described(adapter.age_out(ms(70), TimeDelta::from_millis(50))), "");
  EXPECT_EQ(described(adapter.age_out(ms(90), TimeDelta::from_millis(50))),
            "0 unknown, 1 unknown, 2 unknown");
  // Nobody has begun behind 5.
  EXPECT_EQ(adapter.packets_in_flight(), 1);
  EXPECT_EQ(described(adapter.on_report(ms(95), std::vector{got(0, 17 * kMs), missed(1)})),
            "0 delivered");
}

TEST(FeedbackAdapter, LongRttsAndUnmeasuredOnesWaitLonger) {
  FeedbackAdapter adapter;
  adapter.on_packet_sent(packet(0, 0));
  EXPECT_EQ(described(adapter.age_out(ms(999), TimeDelta::infinite())), "");
  EXPECT_EQ(described(adapter.age_out(ms(1199), TimeDelta::from_millis(300))), "");
  EXPECT_EQ(described(adapter.age_out(ms(1200), TimeDelta::from_millis(300))), "0 unknown");
}

TEST(FeedbackAdapter, NumbersMustRise) {
  FeedbackAdapter adapter;
  EXPECT_TRUE(adapter.on_packet_sent(packet(5, 0)));
  EXPECT_FALSE(adapter.on_packet_sent(packet(5, 1)));
  EXPECT_FALSE(adapter.on_packet_sent(packet(4, 1)));
  EXPECT_TRUE(adapter.on_packet_sent(packet(9, 1)));
  EXPECT_FALSE(adapter.on_packet_sent({10, DataSize::from_bytes(-1), 0, ms(2)}));
  EXPECT_FALSE(adapter.on_packet_sent({10, DataSize::infinite(), 0, ms(2)}));
  EXPECT_FALSE(
      adapter.on_packet_sent({10, DataSize::from_bytes(1), 0, Timestamp::infinite_past()}));
  EXPECT_EQ(adapter.packets_in_flight(), 2);
  // 6, 7 and 8 were never sent.
  const std::vector<ReportedPacket> named{got(7, 0), got(9, 0)};
  EXPECT_EQ(described(adapter.on_report(ms(40), named)), "9 delivered");
}

TEST(FeedbackAdapter, HistoryIsBoundedAndForgetsTheOldestAsUnknown) {
  FeedbackAdapter adapter({.max_history = 8});
  for (int i = 0; i < 11; ++i) adapter.on_packet_sent(packet(i, i));
  EXPECT_EQ(adapter.packets_in_flight(), 8);
  EXPECT_EQ(described(adapter.age_out(ms(11), TimeDelta::from_millis(50))),
            "0 unknown, 1 unknown, 2 unknown");
  const std::vector<ReportedPacket> named{got(2, 0), got(3, 0)};
  EXPECT_EQ(described(adapter.on_report(ms(30), named)), "3 delivered");
  // A leap over more than the history gives up all that was before it.
  adapter.on_packet_sent(packet(1000000000, 40));
  EXPECT_EQ(adapter.packets_in_flight(), 1);
  EXPECT_EQ(adapter.oldest_in_flight(), ms(40));
  EXPECT_EQ(adapter.age_out(ms(41), TimeDelta::from_millis(50)).packets.size(), 7u);
}

TEST(FeedbackAdapter, AbandonedPacketsStayUnknownWhateverIsReported) {
  FeedbackAdapter adapter;
  for (int i = 0; i < 2; ++i) adapter.on_packet_sent(packet(i, i));
  EXPECT_EQ(described(adapter.abandon(ms(10))), "0 unknown, 1 unknown");
  adapter.on_packet_sent(packet(2, 11));
  const std::vector<ReportedPacket> named{got(0, 0), missed(1), got(2, 11 * kMs)};
  EXPECT_EQ(described(adapter.on_report(ms(60), named)), "2 delivered");
}

TEST(FeedbackAdapter, BytesInFlightAreTheSumOfUndecidedPacketsUnderHostileReports) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::Random random(seed);
    const auto any = [&](std::int64_t below) {
      return static_cast<std::int64_t>(random.uniform() * static_cast<double>(below));
    };
    FeedbackAdapter adapter({.max_history = 256});
    std::set<PacketNumber> undecided;
    std::vector<DataSize> sizes;
    PacketNumber number = 65536 - 300;
    const PacketNumber first = number;
    Timestamp now = ms(0);
    for (int step = 0; step < 3000; ++step) {
      now += TimeDelta::from_micros(any(3000));
      const auto settle = [&](const FeedbackReport& report) {
        PacketNumber previous = -1;
        for (const PacketResult& result : report.packets) {
          EXPECT_GE(result.packet.number, previous);
          previous = result.packet.number;
          undecided.erase(result.packet.number);
          EXPECT_EQ(result.packet.size,
                    sizes[static_cast<std::size_t>(result.packet.number - first)]);
          if (result.fate != Fate::kDelivered) continue;
          EXPECT_GT(result.rtt, TimeDelta::zero());
          EXPECT_TRUE(result.rtt.is_finite());
          EXPECT_TRUE(result.received_at.is_finite());
        }
      };
      for (std::int64_t i = any(4); i > 0; --i) {
        const DataSize size = DataSize::from_bytes(any(1300));
        sizes.push_back(size);
        ASSERT_TRUE(adapter.on_packet_sent({number, size, 0, now}));
        undecided.insert(number++);
      }
      std::vector<ReportedPacket> report;
      for (std::int64_t i = any(12); i > 0; --i) {
        ReportedPacket entry{.sequence_number = static_cast<std::uint16_t>(
                                 random.uniform() < 0.7 ? number - any(40) : any(65536)),
                             .lost = random.uniform() < 0.2};
        const double kind = random.uniform();
        if (kind < 0.6) {
          entry.remote_ns = now.ns() + any(50) * kMs;
        } else if (kind < 0.8) {
          entry.remote_ns = static_cast<std::int64_t>((random.uniform() - 0.5) * 1.8e19);
        }
        report.push_back(entry);
      }
      settle(adapter.on_report(now, report));
      settle(adapter.age_out(now, TimeDelta::from_micros(any(100000))));
      DataSize sum = DataSize::zero();
      for (const PacketNumber n : undecided) sum += sizes[static_cast<std::size_t>(n - first)];
      ASSERT_EQ(adapter.bytes_in_flight(), sum) << "seed " << seed << " step " << step;
      ASSERT_EQ(adapter.packets_in_flight(), std::ssize(undecided));
    }
  }
}

}  // namespace
}  // namespace farwheel
