#include "pacing/pacer.h"

#include <gtest/gtest.h>

namespace farwheel {
namespace {

Timestamp us(std::int64_t value) {
  return Timestamp::from_micros(value);
}

// Sends packets of 1246 bytes as soon as the pacer lets them, waking `late` after it asked to.
int sent_in(Pacer& pacer, Timestamp from, Timestamp to, TimeDelta late) {
  int packets = 0;
  for (Timestamp now = from; now < to;) {
    const Timestamp due = pacer.next_send_time(now);
    if (due > now) {
      EXPECT_GE(due - now, TimeDelta::from_millis(1));
      now = due + late;
      continue;
    }
    pacer.on_packet(now, DataSize::from_bytes(1246));
    ++packets;
  }
  return packets;
}

TEST(Pacer, KeepsItsRateWithTimersOnTimeOrLate) {
  for (const double mbps : {0.1, 0.5, 1.0, 5.0, 20.0, 50.0}) {
    for (const std::int64_t late_us : {0, 150, 900}) {
      Pacer pacer;
      pacer.set_rate(us(0), DataRate::from_mbps(mbps));
      const double expected = mbps * 1e6 * 10 / 8 / 1246;
      const int packets = sent_in(pacer, us(0), us(10000000), TimeDelta::from_micros(late_us));
      EXPECT_NEAR(packets, expected, 3 + expected * 0.001) << mbps << " Mbit/s, " << late_us;
    }
  }
}

TEST(Pacer, ABurstAfterAPauseIsTwoPacketsOrFiveMilliseconds) {
  struct Case {
    double mbps;
    int at_once;
  };
  // A packet takes 10 ms, 2 ms and 0.5 ms; the last of a burst may go into debt.
  for (const Case c : {Case{1, 1}, Case{5, 3}, Case{20, 5}}) {
    Pacer pacer;
    pacer.set_rate(us(0), DataRate::from_mbps(c.mbps));
    const Timestamp later = us(3000000);
    int packets = 0;
    for (; pacer.next_send_time(later) <= later; ++packets) {
      pacer.on_packet(later, DataSize::from_bytes(1246));
    }
    EXPECT_EQ(packets, c.at_once) << c.mbps;
  }
}

TEST(Pacer, ANewRateCountsAtOnce) {
  Pacer pacer;
  pacer.set_rate(us(0), DataRate::from_kbps(100));
  pacer.on_packet(us(0), DataSize::from_bytes(1250));
  pacer.on_packet(us(0), DataSize::from_bytes(1250));
  const Timestamp slow = pacer.next_send_time(us(0));
  pacer.set_rate(us(0), DataRate::from_mbps(10));
  EXPECT_LT(pacer.next_send_time(us(0)), us(3000));
  EXPECT_GT(slow, us(90000));
}

TEST(Pacer, WhatIsNotPacedDelaysTheRestOnlyALittle) {
  Pacer pacer;
  pacer.set_rate(us(0), DataRate::from_mbps(1));
  for (int i = 0; i < 100; ++i) pacer.on_packet(us(0), DataSize::from_bytes(1246));
  EXPECT_LE(pacer.next_send_time(us(0)), us(100000));
  EXPECT_GT(pacer.next_send_time(us(0)), us(50000));
}

TEST(Pacer, RateZeroWaitsForEverAndInfiniteNever) {
  Pacer pacer;
  pacer.on_packet(us(0), DataSize::from_bytes(1));
  EXPECT_EQ(pacer.next_send_time(us(0)), Timestamp::infinite_future());
  pacer.set_rate(us(0), DataRate::infinite());
  for (int i = 0; i < 1000; ++i) pacer.on_packet(us(1), DataSize::from_bytes(1246));
  EXPECT_EQ(pacer.next_send_time(us(1000)), us(1000));
}

// Measuring, each packet leaves up to a quarter of a period late, none later than that by its
// neighbours' lateness, and now and then one leaves with its predecessor; the rate stays.
TEST(Pacer, MeasuresWithoutChangingTheRate) {
  Pacer pacer(7);
  pacer.set_config({.min_wait = TimeDelta::from_micros(10)});
  pacer.set_rate(us(0), DataRate::from_mbps(5));
  pacer.reset(us(0));
  pacer.set_measuring(true);
  const DataSize size = DataSize::from_bytes(1250);  // 2 ms
  Timestamp now = us(0);
  int pairs = 0;
  int uneven = 0;
  for (int i = 0; i < 5000; ++i) {
    const Timestamp due = pacer.next_send_time(now);
    if (i > 0 && due == now) ++pairs;
    if (due - now > TimeDelta::from_micros(2100)) ++uneven;
    now = due;
    pacer.on_packet(now, size);
  }
  EXPECT_NEAR(now.seconds(), 10, 0.01);
  EXPECT_NEAR(pairs, 20, 2);
  EXPECT_GT(uneven, 1000);
}

// Start-up's first train leaves at 1000 Mbit/s; what that earned in the round trip after it is not
// the second train's.
TEST(Pacer, AMuchFasterRateLeavesNoBurstBehind) {
  Pacer pacer(3);
  const DataSize size = DataSize::from_bytes(1230);
  pacer.set_rate(us(0), DataRate::from_mbps(1000));
  pacer.on_packet(us(0), size);
  const Timestamp heard = us(100000);
  pacer.set_rate(heard, DataRate::from_mbps(20));
  pacer.forgo_excess();
  int at_once = 0;
  for (; at_once < 100 && pacer.next_send_time(heard) == heard; ++at_once) {
    pacer.on_packet(heard, size);
  }
  // Two periods of the timer.
  EXPECT_LE(at_once, 5);
}

TEST(Pacer, AFallOfTheRateWhileMeasuringNeverStopsIt) {
  Pacer pacer(3);
  pacer.set_measuring(true);
  Timestamp now = us(0);
  for (int i = 0; i < 200; ++i) {
    pacer.set_rate(now, DataRate::from_mbps(20));
    pacer.on_packet(now, DataSize::from_bytes(1246));
    pacer.set_rate(now, DataRate::from_kbps(50));
    const Timestamp due = pacer.next_send_time(now);
    ASSERT_LT(due - now, TimeDelta::from_millis(500)) << i;
    ASSERT_LE(pacer.next_send_time(due), due) << i;
    now = due;
  }
}

}  // namespace
}  // namespace farwheel
