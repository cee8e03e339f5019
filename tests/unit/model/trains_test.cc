// The first window as a train, runs of busy intervals, and steering by what came through.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fbe/first_train.h"
#include "fbe/rate_steering.h"
#include "fbe/saturated_runs.h"
#include "path/random.h"

namespace farwheel {
namespace {

constexpr std::int64_t kBytes = 1250;

Timestamp at_ms(double ms) {
  return Timestamp::from_seconds(ms / 1e3);
}
// The receiver's clock: 250-us steps, and not ours.
Timestamp stamp_of(double ms) {
  return Timestamp::from_nanos((at_ms(ms).ns() + 125000) / 250000 * 250000 + 5000000000);
}

PacketResult delivered(PacketNumber number, double sent_ms, double arrival_ms) {
  PacketResult result{SentPacket{number, DataSize::from_bytes(kBytes), 0, at_ms(sent_ms)}};
  result.fate = PacketResult::Fate::kDelivered;
  result.received_at = stamp_of(arrival_ms);
  result.rtt = at_ms(arrival_ms + 25) - at_ms(sent_ms);
  return result;
}

enum class Reports { kOneAPacket, kOneForAll, kCompressed };

FirstTrain train_of(const std::vector<double>& arrivals_ms, Reports reports,
                    double sent_apart_ms = 0.01) {
  FirstTrain train;
  for (std::size_t k = 0; k < arrivals_ms.size(); ++k) {
    double heard = arrivals_ms[k] + 25;
    if (reports == Reports::kOneForAll) heard = arrivals_ms.back() + 25;
    // An aggregate on the way back: reports arrive in a bunch.
    if (reports == Reports::kCompressed)
      heard = arrivals_ms.back() + 25 + 0.02 * static_cast<double>(k);
    const auto number = static_cast<PacketNumber>(k);
    train.on_delivered(delivered(number, sent_apart_ms * static_cast<double>(k), arrivals_ms[k]),
                       at_ms(heard));
  }
  return train;
}

std::vector<double> evenly(double mbps, int packets = 10, double first_ms = 25.03) {
  std::vector<double> arrivals;
  for (int k = 0; k < packets; ++k) arrivals.push_back(first_ms + k * kBytes * 8 / mbps / 1e3);
  return arrivals;
}

// FBE's abstract: the ACK's returning rate; a report a packet is as fine a clock as the sender's.
TEST(FirstTrain, ReportsOfSinglePacketsAreFinerThanStamps) {
  for (const double mbps : {1.0, 20.0, 50.0, 100.0}) {
    const auto found = train_of(evenly(mbps), Reports::kOneAPacket).capacity();
    ASSERT_TRUE(found) << mbps;
    EXPECT_NEAR(found->rate.mbps(), mbps, mbps * 0.01);
    EXPECT_EQ(found->rate, found->least);
    EXPECT_TRUE(found->uniform);
  }
}

// 250 us at 100 Mbit/s are two and a half packets: the rate lies within the steps' doubt, and what
// is sure is under the truth.
TEST(FirstTrain, StampsAloneBoundTheRate) {
  for (const double mbps : {2.0, 20.0, 50.0, 100.0}) {
    for (double phase = 0; phase < 0.25; phase += 0.03) {
      const auto found = train_of(evenly(mbps, 10, 25 + phase), Reports::kOneForAll).capacity();
      ASSERT_TRUE(found) << mbps;
      EXPECT_NEAR(found->rate.mbps(), mbps, mbps * 0.15) << phase;
      EXPECT_LE(found->least.mbps(), mbps * 1.001) << phase;
      EXPECT_TRUE(found->uniform);
    }
  }
}

// lab-scenarios.md section 7, step 4: times of bunched reports gave 756 Mbit/s for 20.
TEST(FirstTrain, BunchedReportsAreNotTakenForTheLink) {
  const auto found = train_of(evenly(20), Reports::kCompressed).capacity();
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->rate.mbps(), 20, 1.5);
}

TEST(FirstTrain, PacketsOfOthersOnlyLengthenIntervals) {
  std::vector<double> arrivals = evenly(20);
  for (std::size_t k = 4; k < arrivals.size(); ++k) arrivals[k] += 0.5;
  for (std::size_t k = 7; k < arrivals.size(); ++k) arrivals[k] += 1.0;
  const auto found = train_of(arrivals, Reports::kOneAPacket).capacity();
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->rate.mbps(), 20, 0.2);
  EXPECT_FALSE(found->uniform);
}

// ACK interval compensation: an interval that we made says nothing of the link.
TEST(FirstTrain, IntervalsOfTheSendersOwnMakingAreLeftOut) {
  EXPECT_FALSE(train_of(evenly(20), Reports::kOneAPacket, 0.45).capacity());
}

// real-links.md section 3: pairs gave no estimate, or 3.8 of 5 Mbit/s, on eight of nine slots.
TEST(FirstTrain, GrantsAreNoServiceTimes) {
  const std::vector<double> one_grant(10, 30.0);
  const std::vector<double> two_grants{30, 30, 30, 30, 30, 40, 40, 40, 40, 40};
  const std::vector<double> mixed{30, 32.5, 35, 37.5, 37.5, 40, 42.5, 45, 47.5, 47.5};
  // Behind the grant a faster link spaces its packets evenly.
  const std::vector<double> fast_behind = evenly(2000);
  for (const auto& arrivals : {one_grant, fast_behind, two_grants, mixed}) {
    for (const Reports reports : {Reports::kOneAPacket, Reports::kOneForAll}) {
      EXPECT_FALSE(train_of(arrivals, reports).capacity());
    }
  }
}

// A grant that came late takes the mean rate down to that of the intervals between grants.
TEST(FirstTrain, GrantsOneOfThemLateAreNoServiceTimes) {
  const std::vector<double> arrivals{30, 32.5, 35, 45.5, 45.6, 48, 50.5, 53, 55.5, 55.6};
  EXPECT_FALSE(train_of(arrivals, Reports::kOneAPacket).capacity());
}

constexpr SaturatedRuns::Settings kRuns{TimeDelta::from_millis(1), TimeDelta::from_millis(15), 3};

// An uplink that sends every `slot_ms` what the rate gives in that time; a share of grants comes
// 8 ms late, in order. Packets are offered at `offered_mbps`.
SaturatedRuns grants(double mbps, double slot_ms, double offered_mbps, double late, double seconds,
                     std::uint64_t seed) {
  Random random(seed);
  SaturatedRuns runs;
  PacketNumber number = 0;
  double credit = 0;
  double last_arrival = 0;
  const double gap_ms = kBytes * 8 / offered_mbps / 1e3;
  for (double grant = slot_ms; grant < seconds * 1e3; grant += slot_ms) {
    credit = std::min(credit + mbps * slot_ms * 125, mbps * slot_ms * 250);
    const double arrival =
        std::max(last_arrival, grant + 25 + (random.uniform() < late ? 8.0 : 0.0));
    while (credit >= kBytes && static_cast<double>(number) * gap_ms <= grant) {
      runs.on_delivered(kRuns, delivered(number, static_cast<double>(number) * gap_ms, arrival));
      ++number;
      credit -= kBytes;
      last_arrival = arrival;
    }
    if (static_cast<double>(number) * gap_ms > grant) credit = 0;
    if (runs.enough(kRuns)) break;
  }
  return runs;
}

TEST(SaturatedRuns, FullGrantsGiveTheRate) {
  for (const double mbps : {5.0, 20.0, 50.0}) {
    for (const double slot : {2.5, 5.0, 10.0}) {
      const SaturatedRuns runs = grants(mbps, slot, mbps * 1.5, 0, 1, 1);
      ASSERT_TRUE(runs.enough(kRuns)) << mbps << " slot " << slot;
      EXPECT_NEAR(runs.rate().mbps(), mbps, mbps * 0.1) << slot;
    }
  }
}

TEST(SaturatedRuns, LateGrantsMoveTheRateLittle) {
  int outside = 0;
  int runs_made = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (const double slot : {2.5, 5.0, 10.0}) {
      const SaturatedRuns runs = grants(20, slot, 30, 0.1, 2, seed);
      ASSERT_TRUE(runs.enough(kRuns)) << slot;
      ++runs_made;
      if (std::abs(runs.rate().mbps() - 20) > 3) ++outside;
    }
  }
  EXPECT_LE(outside, runs_made / 12);
}

// Half of the link offered: grants are what we sent, not what they could carry.
TEST(SaturatedRuns, AnIdleLinkShowsNothing) {
  for (const double slot : {2.5, 5.0, 10.0}) {
    const SaturatedRuns runs = grants(20, slot, 9, 0, 2, 1);
    EXPECT_FALSE(runs.enough(kRuns)) << slot;
    EXPECT_TRUE(runs.rate_so_far().is_zero()) << slot;
  }
}

struct Steering : testing::Test {
  // A round trip of packets in at `in`, through a link of 20 Mbit/s shared with `cross`.
  void epoch(double in, double cross, double queue_ms) {
    const double out = in * std::min(1.0, 20 / (in + cross));
    for (int k = 0; k < 60; ++k) {
      const double sent = clock_ms + k * kBytes * 8 / in / 1e3;
      const double arrival = clock_ms + 25 + k * kBytes * 8 / out / 1e3;
      steering.on_delivered(delivered(number++, sent, arrival),
                            TimeDelta::from_seconds(queue_ms / 1e3));
    }
    clock_ms += 60 * kBytes * 8 / out / 1e3;
    steering.on_report(
        {TimeDelta::from_millis(20), DataSize::from_bytes(kBytes), TimeDelta::zero()});
  }
  void SetUp() override {
    const DataRate link = DataRate::from_mbps(20);
    steering.start(at_ms(0), {link, link, link});
  }
  RateSteering steering;
  PacketNumber number = 0;
  double clock_ms = 1;
};

// lab-scenarios.md section 7, step 2: y = C Ri / Ro - Ri.
TEST_F(Steering, TheTrainsSpreadingTellsCrossTraffic) {
  epoch(20, 6, 3);
  // 60 packets are no trend.
  EXPECT_LT(steering.available().mbps(), 19.5);
  EXPECT_GT(steering.available().mbps(), 17);
  for (int i = 0; i < 60; ++i) epoch(steering.rate().mbps(), 6, 4);
  EXPECT_NEAR(steering.available().mbps(), 14, 1);
}

// Others' packets between ours vary by their root: the window may hold that, and the pace stays
// above what is ours, for the window to steer.
TEST_F(Steering, BesideOthersTheWindowSteers) {
  EXPECT_FALSE(steering.shares());
  for (int i = 0; i < 60; ++i) epoch(steering.rate().mbps(), 6, 4);
  EXPECT_TRUE(steering.shares());
  EXPECT_NEAR(steering.rate().mbps(), 1.15 * steering.available().mbps(), 0.01);
  const auto queue_ms = [this](double rtt_ms) {
    return steering
        .standing_queue(TimeDelta::from_seconds(rtt_ms / 1e3), DataSize::from_bytes(kBytes))
        .ms();
  };
  const double packets = 20e6 / 8 / kBytes * 0.1;
  EXPECT_NEAR(queue_ms(100), 100 * 1.5 / std::sqrt(packets), 0.5);
  EXPECT_LE(queue_ms(2), 0.36 * 2);
}

TEST_F(Steering, AnEmptyLinkKeepsItsCapacity) {
  for (int i = 0; i < 5; ++i) epoch(20, 0, 0);
  EXPECT_NEAR(steering.rate().mbps(), 20, 0.01);
}

TEST_F(Steering, AQueueTakesRateAway) {
  epoch(20, 0, 0.7);
  const double short_queue = steering.rate().mbps();
  epoch(20, 0, 12);
  EXPECT_LT(steering.rate().mbps(), short_queue - 0.5);
  EXPECT_GT(steering.rate().mbps(), 20 * 0.65);
}

TEST_F(Steering, WhatOthersLeaveIsTakenAgain) {
  epoch(20, 6, 5);
  for (int i = 0; i < 6; ++i) epoch(steering.rate().mbps(), 0, 0);
  EXPECT_NEAR(steering.rate().mbps(), 20, 0.1);
}

}  // namespace
}  // namespace farwheel
