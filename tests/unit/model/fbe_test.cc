#include <gtest/gtest.h>

#include <cmath>

#include "fbe/driver_queue.h"
#include "fbe/fast_startup.h"
#include "fbe/packet_trains.h"
#include "sim/experiment.h"

namespace farwheel {
namespace {

constexpr PacketTrains::Limits kLimits{TimeDelta::from_millis(1), 1.5};
constexpr std::int64_t kBytes = 1250;

// Packets sent `send_ms` apart and received at the given times.
TrainSample train_of(double send_ms, const std::vector<double>& received_ms) {
  PacketTrains trains;
  const PacketNumber last = static_cast<PacketNumber>(received_ms.size()) - 1;
  trains.on_packet_sent(last);
  for (PacketNumber n = 0; n <= last; ++n) {
    PacketResult result{
        SentPacket{n, DataSize::from_bytes(kBytes), 0,
                   Timestamp::from_seconds(send_ms * static_cast<double>(n) / 1e3)}};
    result.fate = PacketResult::Fate::kDelivered;
    result.received_at = Timestamp::from_seconds(received_ms[static_cast<std::size_t>(n)] / 1e3);
    EXPECT_FALSE(trains.on_delivered(result, DataRate::from_mbps(20), kLimits));
  }
  const std::optional<TrainSample> sample = trains.on_report_end(kLimits);
  EXPECT_TRUE(sample);
  return sample.value_or(TrainSample{});
}

TEST(PacketTrains, SpacedArrivalsGiveTheBottlenecksRate) {
  const TrainSample sample = train_of(0.5, {0, 2, 4, 6, 8, 10, 12, 14, 16, 18});
  EXPECT_EQ(sample.clusters, 10);
  EXPECT_NEAR((sample.size / sample.arrival_span).mbps(), 5, 0.01);
  EXPECT_NEAR((sample.size / sample.send_span).mbps(), 20, 0.1);
}

// Ten packets fit into one grant: pairs give nothing, clusters give the rate of the grants.
TEST(PacketTrains, GrantsAreCountedWholeAndTheLastIsLeftOut) {
  std::vector<double> arrivals;
  for (int grant = 0; grant < 5; ++grant) {
    for (int i = 0; i < 3; ++i) arrivals.push_back(grant * 5.0);
  }
  arrivals.push_back(25);  // a partial grant
  const TrainSample sample = train_of(0.5, arrivals);
  EXPECT_EQ(sample.clusters, 6);
  EXPECT_NEAR((sample.size / sample.arrival_span).mbps(), 3 * kBytes * 8 / 5e3, 0.05);
}

// ACK-interval compensation: what the receiver waited because we sent nothing is not the link's.
TEST(PacketTrains, IntervalsInWhichTheSenderIdledAreLeftOut) {
  PacketTrains trains;
  trains.on_packet_sent(9);
  for (PacketNumber n = 0; n <= 9; ++n) {
    const double pause = n >= 5 ? 3.5 : 0;  // within a train, but longer than its pace
    PacketResult result{
        SentPacket{n, DataSize::from_bytes(kBytes), 0,
                   Timestamp::from_seconds((0.5 * static_cast<double>(n) + pause) / 1e3)}};
    result.fate = PacketResult::Fate::kDelivered;
    const double arrival = 1.0 * static_cast<double>(n) * 1.25 + (n >= 5 ? 2 : 0);
    result.received_at = Timestamp::from_seconds(arrival / 1e3);
    trains.on_delivered(result, DataRate::from_mbps(20), kLimits);
  }
  const TrainSample sample = *trains.on_report_end(kLimits);
  EXPECT_NEAR((sample.size / sample.arrival_span).mbps(), 8, 0.01);
}

// Cross traffic took the link for 6 ms once: its share of that interval is bounded.
TEST(PacketTrains, CrossTrafficIsBoundedInTheLinksSpan) {
  const TrainSample sample = train_of(0.5, {0, 2, 4, 6, 14, 16, 18, 20, 22, 24});
  EXPECT_LT((sample.size / sample.arrival_span).mbps(), 3.9);
  EXPECT_NEAR((sample.size / sample.link_span).mbps(), 4.7, 0.1);
}

TEST(PacketTrains, ArrivalsUnderTheClockAreOneCluster) {
  const TrainSample sample = train_of(0.0625, std::vector<double>(10, 3.0));
  EXPECT_EQ(sample.clusters, 1);
  EXPECT_TRUE(sample.arrival_span.is_zero());
  EXPECT_EQ(sample.whole_size.bytes(), 9 * kBytes);
}

TEST(PacketTrains, APauseEndsATrain) {
  PacketTrains trains;
  std::optional<TrainSample> ended;
  for (PacketNumber n = 0; n < 6; ++n) {
    const double at = static_cast<double>(n) + (n >= 3 ? 30 : 0);
    PacketResult result{
        SentPacket{n, DataSize::from_bytes(kBytes), 0, Timestamp::from_seconds(at / 1e3)}};
    result.fate = PacketResult::Fate::kDelivered;
    result.received_at = Timestamp::from_seconds((at * 2 + 10) / 1e3);
    if (auto sample = trains.on_delivered(result, DataRate::from_mbps(20), kLimits)) ended = sample;
  }
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->packets, 3);
}

std::optional<FbeEstimated> fbe_of(const std::vector<ControllerEvent>& events,
                                   double* at_s = nullptr) {
  for (const ControllerEvent& event : events) {
    if (const auto* found = std::get_if<FbeEstimated>(&event.what)) {
      if (at_s != nullptr) *at_s = event.at.seconds();
      return *found;
    }
  }
  return std::nullopt;
}

// A clean link of known rate: within 15 %, accepted, within six round trips, for bulk and camera.
TEST(FastStartup, EstimatesCleanLinksWithinFifteenPercent) {
  for (double mbps : {2.0, 5.0, 10.0, 20.0}) {
    for (bool camera : {false, true}) {
      // A camera's first frames span too little of a fast link within the time given.
      if (camera && mbps > 10) continue;
      sim::Experiment run(sim::link_of(mbps, 300));
      sim::ModelFlow& flow = run.add(TimeDelta::from_millis(50), Algorithm::kAdaptiveBbr2);
      if (camera) {
        flow.start_camera(Timestamp::from_nanos(0), sim::CameraConfig{});
      } else {
        flow.start_bulk(Timestamp::from_nanos(0));
      }
      run.run_to(2);
      double at = 0;
      const std::optional<FbeEstimated> found = fbe_of(flow.events(), &at);
      ASSERT_TRUE(found) << mbps;
      EXPECT_NEAR(found->estimate.mbps(), mbps, mbps * 0.15) << "camera " << camera;
      EXPECT_TRUE(found->accepted) << mbps << " camera " << camera;
      EXPECT_LT(at, 0.5);
    }
  }
}

TEST(FastStartup, EstimatesSlottedUplinksWithinThirtyPercent) {  // real-links.md section 3
  for (double mbps : {5.0, 20.0}) {
    sim::LinkConfig link = sim::link_of(mbps, 300);
    link.slot = TimeDelta::from_millis(5);
    link.harq = 0.1;
    sim::Experiment run(link);
    sim::ModelFlow& flow = run.add(TimeDelta::from_millis(50), Algorithm::kAdaptiveBbr2);
    flow.start_bulk(Timestamp::from_nanos(0));
    run.run_to(2);
    const std::optional<FbeEstimated> found = fbe_of(flow.events());
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->estimate.mbps(), mbps, mbps * 0.3);
  }
}

// It estimates the link's capacity; beside a flow that fills the link the queue shows while
// verifying, or at once after, and the two share without an overrun that lasts.
TEST(FastStartup, BesideAnotherFlowItDoesNotTakeTheLink) {
  sim::Experiment run(sim::link_of(5, 500));
  sim::ModelFlow& first = run.add(TimeDelta::from_millis(50), Algorithm::kAdaptiveBbr2);
  sim::ModelFlow& second = run.add(TimeDelta::from_millis(50), Algorithm::kAdaptiveBbr2);
  first.start_bulk(Timestamp::from_nanos(0));
  second.start_bulk(Timestamp::from_seconds(10));
  run.run_to(14);
  const std::optional<FbeEstimated> found = fbe_of(second.events());
  ASSERT_TRUE(found);
  EXPECT_LE(found->estimate.mbps(), 5 * 1.15);
  run.link.clear_counters();
  run.run_to(20);
  EXPECT_GT(run.mbps(0, 6), 1.5);
  EXPECT_GT(run.mbps(1, 6), 1.5);
}

// Loopback: nothing can be told apart by the clock. It ends fast, with a bound, and all flows.
TEST(FastStartup, EndsOnALinkTooFastToMeasure) {
  sim::Experiment run(sim::link_of(10000, 100));
  sim::ModelFlow& flow = run.add(TimeDelta::from_micros(100), Algorithm::kAdaptiveBbr2);
  flow.start_camera(Timestamp::from_nanos(0), sim::CameraConfig{});
  run.run_to(4);
  double at = 0;
  const std::optional<FbeEstimated> found = fbe_of(flow.events(), &at);
  ASSERT_TRUE(found);
  EXPECT_LT(at, 0.7);
  EXPECT_GT(found->estimate.mbps(), 1);
  EXPECT_TRUE(flow.snapshot().fbe_done);
  EXPECT_NE(flow.snapshot().state, BbrState::kStartup);
  EXPECT_GT(flow.encoder_rate().mbps(), 7.5);
  EXPECT_EQ(run.link.counters(0).packets_dropped, 0);
}

// Verification: loss sends it back to classic STARTUP (rule 7).
TEST(FastStartup, LossWhileVerifyingAborts) {
  const FastStartup::Settings settings{
      TimeDelta::from_millis(15), 3, 0.9, 0.7, TimeDelta::from_millis(10),
      TimeDelta::from_millis(600)};
  FastStartup fbe;
  const TrainSample sample = train_of(0.5, {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20});
  FastStartup::Situation now{Timestamp::from_millis(50), 1, true, false, false, TimeDelta::zero(),
                             TimeDelta::from_millis(50)};
  fbe.on_train(sample, 1);
  EXPECT_FALSE(fbe.on_report(settings, now));
  now.round = 2;
  fbe.on_train(sample, 2);
  EXPECT_FALSE(fbe.on_report(settings, now));
  now.round = 3;
  now.now = Timestamp::from_millis(150);
  EXPECT_TRUE(fbe.on_report(settings, now));
  ASSERT_EQ(fbe.phase(), FastStartup::Phase::kVerifying);
  EXPECT_NEAR(fbe.estimate().rate.mbps(), 5, 0.01);
  EXPECT_NEAR(fbe.estimate().confidence, 1, 1e-6);
  EXPECT_NEAR(fbe.rate(settings)->mbps(), 4.5, 0.01);
  now.loss = true;
  EXPECT_TRUE(fbe.on_report(settings, now));
  EXPECT_EQ(fbe.phase(), FastStartup::Phase::kAborted);
  EXPECT_FALSE(fbe.rate(settings));
}

TEST(FastStartup, AQueueAfterVerifyingAborts) {
  const FastStartup::Settings settings{
      TimeDelta::from_millis(15), 3, 0.9, 0.7, TimeDelta::from_millis(10),
      TimeDelta::from_millis(600)};
  FastStartup fbe;
  FastStartup::Situation now{Timestamp::from_millis(50), 3, true, false, false, TimeDelta::zero(),
                             TimeDelta::from_millis(50)};
  const TrainSample sample = train_of(0.5, {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20});
  fbe.on_train(sample, 1);
  fbe.on_train(sample, 2);
  ASSERT_TRUE(fbe.on_report(settings, now));
  now.round = 5;
  now.now = Timestamp::from_millis(250);
  now.queue = TimeDelta::from_millis(30);
  EXPECT_TRUE(fbe.on_report(settings, now));
  EXPECT_EQ(fbe.phase(), FastStartup::Phase::kAborted);
}

struct Driver : testing::Test {
  void report(double delay_ms) {
    now += TimeDelta::from_millis(10);
    // What we send leaves at once but for what stands.
    const DataSize backlog = DataRate::from_mbps(8) * TimeDelta::from_seconds(delay_ms / 1e3);
    sent += DataRate::from_mbps(8) * TimeDelta::from_millis(10) + (backlog - stood);
    stood = backlog;
    queue.on_report(settings, {now, backlog, sent, DataRate::from_mbps(8), false});
  }
  DriverQueue::Settings settings{TimeDelta::from_millis(8), TimeDelta::from_millis(1),
                                 TimeDelta::from_millis(40), TimeDelta::from_millis(100), 0.9};
  DriverQueue queue;
  DataSize sent = DataSize::zero();
  DataSize stood = DataSize::zero();
  Timestamp now = Timestamp::from_seconds(1);
};

TEST_F(Driver, TwoLongSamplesLowerWindowAndEncoders) {
  report(20);
  EXPECT_DOUBLE_EQ(queue.window_scale(now), 1);
  report(20);
  EXPECT_DOUBLE_EQ(queue.window_scale(now), 0.9);
  EXPECT_NEAR(queue.encoder_share(now), 0.8, 1e-6);
  EXPECT_TRUE(queue.limits(now));
  for (int i = 0; i < 100; ++i) report(500);
  EXPECT_GE(queue.window_scale(now), 0.2);
  EXPECT_GE(queue.encoder_share(now), 0.2);
  EXPECT_TRUE(queue.holds_probes(now));
}

TEST_F(Driver, AnEmptyQueueLetsItGrowAgainWithinBounds) {
  for (int i = 0; i < 10; ++i) report(20);
  for (int i = 0; i < 100; ++i) report(0);
  EXPECT_DOUBLE_EQ(queue.window_scale(now), 1.25);
  EXPECT_DOUBLE_EQ(queue.encoder_share(now), 1);
}

// A link that halved while the first train was under way is known by the first report after it.
TEST_F(Driver, TheFirstReportAfterATrainTellsTheRate) {
  queue.begin_at({now, DataSize::zero(), sent, DataRate::from_mbps(1000), false});
  report(4);
  EXPECT_LT(queue.pacing_cap(now), DataRate::from_mbps(3));
  DriverQueue later;
  later.on_report(settings, {now, stood, sent, DataRate::from_mbps(8), false});
  EXPECT_GT(later.pacing_cap(now), DataRate::from_mbps(4));
}

TEST_F(Driver, ReportsThatStopDoNotBindForEver) {
  for (int i = 0; i < 10; ++i) report(60);
  const Timestamp later = now + TimeDelta::from_seconds(1);
  EXPECT_DOUBLE_EQ(queue.window_scale(later), 1);
  EXPECT_FALSE(queue.holds_probes(later));
}

}  // namespace
}  // namespace farwheel
