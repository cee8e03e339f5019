#include "path/path_model.h"

#include <gtest/gtest.h>

#include "path/ack_aggregation.h"
#include "path/bucketed_extremum.h"
#include "path/max_bw_filter.h"
#include "sim/virtual_link.h"

namespace farwheel {
namespace {

constexpr PathModel::Windows kWindows{TimeDelta::from_millis(5000), TimeDelta::from_millis(10000)};
constexpr std::int64_t kReceiverOffsetMs = 1000000;

// Packets of 1000 bytes by hand: sent and received at given milliseconds.
struct Path {
  void send(PacketNumber number, double at_ms, std::int64_t inflight_packets) {
    model.on_packet_sent(packet(number, at_ms), DataSize::from_bytes(1000 * inflight_packets));
    sent_at[static_cast<std::size_t>(number)] = at_ms;
  }
  PacketResult delivered(PacketNumber number, double received_ms, double rtt_ms) const {
    PacketResult result{packet(number, sent_at[static_cast<std::size_t>(number)])};
    result.fate = PacketResult::Fate::kDelivered;
    result.received_at = Timestamp::from_seconds((kReceiverOffsetMs + received_ms) / 1e3);
    result.rtt = TimeDelta::from_seconds(rtt_ms / 1e3);
    return result;
  }
  PacketResult of_fate(PacketNumber number, PacketResult::Fate fate) const {
    PacketResult result{packet(number, sent_at[static_cast<std::size_t>(number)])};
    result.fate = fate;
    return result;
  }
  const RateSample& report(double now_ms, std::vector<PacketResult> packets) {
    FeedbackReport r{Timestamp::from_seconds(now_ms / 1e3), std::move(packets), std::nullopt};
    return model.on_report(r.received_at, r, DataSize::zero(), kWindows);
  }
  static SentPacket packet(PacketNumber number, double at_ms) {
    return {number, DataSize::from_bytes(1000), 0, Timestamp::from_seconds(at_ms / 1e3)};
  }
  PathModel model;
  double sent_at[256] = {};
};

// Draft section 4.1.1: rate = delivered / max(send elapsed, ack elapsed), and the acknowledging
// side is the receiver's clock: reports that come bunched do not compress it.
TEST(PathModel, RateComesFromReceiverTimesNotFromReportTimes) {
  Path path;
  int rates = 0;
  for (int flight = 0; flight < 10; ++flight) {
    std::vector<PacketResult> all;
    for (int i = 0; i < 10; ++i) {
      const int n = flight * 10 + i;
      path.send(n, 10.0 * n, 12);
      all.push_back(path.delivered(n, 10.0 * n + 25, 50));
    }
    // One report for ten packets, all at one instant of the sender's clock.
    const RateSample& sample = path.report(10.0 * (flight * 10 + 9) + 51, all);
    if (flight < 2) continue;
    ASSERT_TRUE(sample.delivery_rate);
    EXPECT_NEAR(sample.delivery_rate->kbps(), 800, 40) << flight;
    ++rates;
  }
  EXPECT_EQ(rates, 8);
}

// After idle, the draft's acknowledging side begins at the sending of the flight.
TEST(PathModel, AFlightAfterIdleCountsItsRoundTrip) {
  Path path;
  path.send(0, 0, 1);
  path.report(50, {path.delivered(0, 25, 50)});
  path.send(1, 140, 1);
  path.send(2, 142, 2);
  const RateSample& sample =
      path.report(200, {path.delivered(1, 165, 50), path.delivered(2, 169, 50)});
  ASSERT_TRUE(sample.delivery_rate);
  EXPECT_NEAR(sample.delivery_rate->kbps(), 2000 * 8 / 52.0, 1);
}

// Draft section 4.1.1: a burst of acknowledgements cannot show more than was sent.
TEST(PathModel, RateIsCappedByTheSendRate) {
  Path path;
  for (PacketNumber n = 0; n < 20; ++n) path.send(n, 10 * static_cast<double>(n), n + 1);
  std::vector<PacketResult> first;
  for (PacketNumber n = 0; n < 10; ++n) first.push_back(path.delivered(n, 100, 5));
  path.report(101, first);
  for (PacketNumber n = 20; n < 40; ++n) path.send(n, 10 * static_cast<double>(n), 11);
  std::vector<PacketResult> second;
  for (PacketNumber n = 10; n < 40; ++n) second.push_back(path.delivered(n, 396, 5));
  const RateSample& sample = path.report(400, second);
  ASSERT_TRUE(sample.delivery_rate);
  // 1000 bytes each 10 ms were sent: 0.8 Mbit/s, whatever the arrivals say.
  EXPECT_LE(sample.delivery_rate->kbps(), 830);
}

TEST(PathModel, AnIntervalShorterThanMinRttGivesNoRate) {
  Path path;
  path.send(0, 0, 1);
  path.report(50, {path.delivered(0, 25, 50)});
  path.send(1, 60, 2);
  path.send(2, 61, 2);
  const RateSample& sample = path.report(75, {path.delivered(1, 30, 50)});
  EXPECT_TRUE(sample.has_delivery);
  // 60 + 50 ms have not passed, but the fields claim 5 ms of receiver time.
  EXPECT_FALSE(sample.delivery_rate && sample.delivery_rate->kbps() > 1000);
}

// Draft section 4.1.1.3: until what was in flight then is delivered, samples are app-limited.
TEST(PathModel, AppLimitedMarkEndsWithTheDeliveryOfWhatWasInFlight) {
  Path path;
  path.send(0, 0, 1);
  path.model.on_application_limited(DataSize::from_bytes(1000));
  EXPECT_TRUE(path.model.app_limited());
  path.send(1, 10, 2);
  EXPECT_FALSE(path.report(60, {path.delivered(0, 25, 50)}).is_app_limited);
  EXPECT_FALSE(path.model.app_limited());
  EXPECT_TRUE(path.report(70, {path.delivered(1, 35, 50)}).is_app_limited);
}

TEST(PathModel, UnknownFatesAreNeitherDeliveredNorLost) {
  Path path;
  for (PacketNumber n = 0; n < 5; ++n) path.send(n, static_cast<double>(n), n + 1);
  const RateSample& sample = path.report(300, {path.of_fate(0, PacketResult::Fate::kUnknown),
                                               path.of_fate(1, PacketResult::Fate::kUnknown)});
  EXPECT_TRUE(sample.newly_lost.is_zero());
  EXPECT_TRUE(sample.newly_delivered.is_zero());
  EXPECT_FALSE(sample.round_start);
  EXPECT_TRUE(path.model.delivered().is_zero());
  EXPECT_TRUE(path.model.lost().is_zero());
}

TEST(PathModel, ALateArrivalTakesItsLossBackAndDuplicatesCountOnce) {
  Path path;
  path.send(0, 0, 1);
  path.send(1, 1, 2);
  path.report(50, {path.of_fate(0, PacketResult::Fate::kLost), path.delivered(1, 26, 49)});
  EXPECT_EQ(path.model.lost().bytes(), 1000);
  path.report(60, {path.delivered(0, 40, 50)});
  EXPECT_EQ(path.model.lost().bytes(), 0);
  EXPECT_EQ(path.model.delivered().bytes(), 2000);
  path.report(70, {path.delivered(0, 40, 50), path.delivered(1, 26, 49)});
  EXPECT_EQ(path.model.delivered().bytes(), 2000);
}

// Draft section 4.5.1: a round ends when a packet sent after its beginning is delivered.
TEST(PathModel, CountsARoundForEachFlight) {
  Path path;
  path.send(0, 0, 1);
  path.send(1, 1, 2);
  EXPECT_TRUE(path.report(50, {path.delivered(0, 25, 50)}).round_start);
  EXPECT_FALSE(path.report(51, {path.delivered(1, 26, 50)}).round_start);
  path.send(2, 60, 1);
  EXPECT_TRUE(path.report(110, {path.delivered(2, 85, 50)}).round_start);
  EXPECT_EQ(path.model.round(), 2);
}

TEST(PathModel, CountsRunsOfLostPackets) {
  Path path;
  for (PacketNumber n = 0; n < 8; ++n) path.send(n, static_cast<double>(n), n + 1);
  const auto lost = PacketResult::Fate::kLost;
  const RateSample& sample =
      path.report(60, {path.of_fate(0, lost), path.of_fate(1, lost), path.delivered(2, 30, 50),
                       path.of_fate(3, lost), path.delivered(4, 32, 50), path.of_fate(5, lost)});
  EXPECT_EQ(sample.loss_ranges, 3);
  EXPECT_EQ(sample.newly_lost.bytes(), 4000);
  ASSERT_EQ(sample.losses.size(), 4u);
  EXPECT_EQ(sample.losses[3].lost.bytes(), 4000);
}

TEST(PathModel, LossesOfASilenceAreForgiven) {
  Path path;
  path.send(0, 0, 1);
  path.send(1, 100, 2);
  path.model.forgive_losses_sent_before(Timestamp::from_millis(50));
  path.report(200, {path.of_fate(0, PacketResult::Fate::kLost),
                    path.of_fate(1, PacketResult::Fate::kLost)});
  EXPECT_EQ(path.model.lost().bytes(), 1000);
}

// Draft section 4.3.4.3: min_rtt over 10 s, probe_rtt_min_delay over 5 s.
TEST(RttModel, MinimumExpiresAndMaximumIsOfTenSeconds) {
  RttModel rtt;
  const auto sample = [&rtt](double at_s, double rtt_ms) {
    return rtt.on_rtt(Timestamp::from_seconds(at_s), TimeDelta::from_seconds(rtt_ms / 1e3),
                      kWindows.probe_rtt_interval, kWindows.min_rtt);
  };
  EXPECT_FALSE(rtt.min_rtt());
  sample(0, 50);
  sample(1, 90);
  EXPECT_EQ(*rtt.min_rtt(), TimeDelta::from_millis(50));
  EXPECT_EQ(*rtt.max_rtt(), TimeDelta::from_millis(90));
  sample(4.9, 60);
  EXPECT_FALSE(rtt.probe_rtt_expired());
  sample(5.1, 60);
  sample(5.1, 60);  // the next packet of the same report
  EXPECT_TRUE(rtt.probe_rtt_expired());
  rtt.begin_report();
  EXPECT_FALSE(rtt.probe_rtt_expired());
  for (double t = 5.2; t < 9.9; t += 0.1) sample(t, 60);
  EXPECT_EQ(*rtt.min_rtt(), TimeDelta::from_millis(50));
  for (double t = 10; t < 14; t += 0.1) sample(t, 60);
  EXPECT_EQ(*rtt.min_rtt(), TimeDelta::from_millis(60));
  EXPECT_EQ(*rtt.max_rtt(), TimeDelta::from_millis(60));
}

TEST(RttModel, RefusesWhatCannotBeAndKeepsLoopbackAboveZero) {
  RttModel rtt;
  const Timestamp now = Timestamp::from_seconds(1);
  const auto take = [&](TimeDelta value) {
    return rtt.on_rtt(now, value, kWindows.probe_rtt_interval, kWindows.min_rtt);
  };
  EXPECT_FALSE(take(TimeDelta::from_millis(-20)));
  EXPECT_FALSE(take(TimeDelta::from_seconds(1000)));
  EXPECT_FALSE(take(TimeDelta::infinite()));
  EXPECT_TRUE(take(TimeDelta::from_micros(-200)));  // two roundings of 250 us
  EXPECT_GT(*rtt.min_rtt(), TimeDelta::zero());
}

TEST(MaxBwFilter, ForgetsAfterTwoCyclesButNotAnEmptyOne) {  // draft section 4.1.2.4
  MaxBwFilter filter;
  filter.update(DataRate::from_mbps(5));
  filter.advance_cycle();
  filter.advance_cycle();  // nothing measured in between: no cycle
  EXPECT_EQ(filter.value(), DataRate::from_mbps(5));
  filter.update(DataRate::from_mbps(3));
  EXPECT_EQ(filter.value(), DataRate::from_mbps(5));
  filter.advance_cycle();
  EXPECT_EQ(filter.value(), DataRate::from_mbps(3));
}

TEST(BucketedExtremum, SlidesAndForgets) {
  BucketedExtremum<int, std::less<>> least(TimeDelta::from_millis(100));
  least.update(Timestamp::from_millis(0), 3);
  least.update(Timestamp::from_millis(50), 7);
  EXPECT_EQ(least.value(), 3);
  least.update(Timestamp::from_millis(120), 9);
  EXPECT_EQ(least.value(), 7);
  least.advance(Timestamp::from_millis(1000));
  EXPECT_FALSE(least.value());
}

TEST(AckAggregation, MeasuresWhatABatchBringsOverTheRate) {  // draft section 4.5.3
  AckAggregation aggregation;
  const DataRate bw = DataRate::from_mbps(8);  // 1000 bytes a ms
  const DataSize cwnd = DataSize::from_bytes(100000);
  for (int i = 0; i < 10; ++i) {
    aggregation.on_report(Timestamp::from_millis(10 * i), i, DataSize::from_bytes(10000), bw, cwnd,
                          10);
  }
  EXPECT_GE(aggregation.extra_acked().bytes(), 10000);
  EXPECT_LE(aggregation.extra_acked().bytes(), 20000);
}

// The link of these tests itself.
TEST(VirtualLink, DelaysAPacketBySerialisationAndHalfTheRtt) {
  sim::EventQueue events;
  sim::VirtualLink link(events, sim::LinkConfig{DataRate::from_mbps(5)});
  Timestamp arrived = Timestamp::infinite_past();
  const std::size_t flow = link.add_flow(
      sim::FlowConfig{}, [](const auto&) {},
      [&](const SentPacket&, Timestamp at) { arrived = at; });
  link.send(flow, SentPacket{0, DataSize::from_bytes(1250), 0, events.now()});
  events.run_until(Timestamp::from_seconds(1));
  EXPECT_EQ(arrived, Timestamp::from_millis(27));
}

TEST(VirtualLink, DropsWhatTheBufferCannotHold) {
  sim::EventQueue events;
  sim::LinkConfig config;
  config.buffer = DataSize::from_bytes(3000);
  sim::VirtualLink link(events, config);
  const std::size_t flow = link.add_flow(sim::FlowConfig{}, [](const auto&) {});
  for (PacketNumber n = 0; n < 5; ++n) {
    link.send(flow, SentPacket{n, DataSize::from_bytes(1000), 0, events.now()});
  }
  events.run_until(Timestamp::from_seconds(1));
  EXPECT_EQ(link.counters(flow).packets_delivered, 3);
  EXPECT_EQ(link.counters(flow).packets_dropped, 2);
}

TEST(VirtualLink, GrantsComeInSlotsAndStampsInQuarterMilliseconds) {
  sim::EventQueue events;
  sim::LinkConfig config;
  config.slot = TimeDelta::from_millis(5);
  sim::VirtualLink link(events, config);
  std::vector<std::int64_t> stamps;
  const std::size_t flow = link.add_flow(sim::FlowConfig{}, [&](const auto& entries) {
    for (const sim::ReceiverEntry& entry : entries) stamps.push_back(entry.remote_ns);
  });
  for (PacketNumber n = 0; n < 6; ++n) {  // 3125 bytes a grant
    link.send(flow, SentPacket{n, DataSize::from_bytes(1500), 0, events.now()});
  }
  events.run_until(Timestamp::from_seconds(1));
  ASSERT_EQ(stamps.size(), 6u);
  EXPECT_EQ(stamps[0], stamps[1]);
  EXPECT_EQ(stamps[2] - stamps[1], 5000000);
  for (std::int64_t stamp : stamps) EXPECT_EQ(stamp % 250000, 0);
}

}  // namespace
}  // namespace farwheel
