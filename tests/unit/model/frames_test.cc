// What an application-limited flow reads from its frames: which intervals were busy, noise, a
// volatile path, another flow's queue, a first glimpse.
#include <gtest/gtest.h>

#include <vector>

#include "adaptive/frame_competition.h"
#include "adaptive/frame_noise.h"
#include "adaptive/volatile_path.h"
#include "fbe/fast_startup.h"
#include "fbe/packet_trains.h"

namespace farwheel {
namespace {

constexpr std::int64_t kBytes = 1250;

Timestamp at_ms(double ms) {
  return Timestamp::from_seconds(ms / 1e3);
}
TimeDelta span_ms(double ms) {
  return TimeDelta::from_seconds(ms / 1e3);
}

struct Sent {
  double sent_ms;
  double arrival_ms;
};

// The train of these packets on a path of 25 ms.
TrainSample train_of(const std::vector<Sent>& packets, double own_ms) {
  PacketTrains trains;
  PacketTrains::Limits limits{span_ms(1), 1.5};
  limits.delay = {span_ms(25 + own_ms), span_ms(25)};
  for (std::size_t k = 0; k < packets.size(); ++k) {
    const auto number = static_cast<PacketNumber>(k);
    PacketResult result{
        SentPacket{number, DataSize::from_bytes(kBytes), 0, at_ms(packets[k].sent_ms)}};
    result.fate = PacketResult::Fate::kDelivered;
    result.received_at = at_ms(packets[k].arrival_ms);
    trains.on_packet_sent(number);
    EXPECT_FALSE(trains.on_delivered(result, DataRate::from_mbps(5), limits));
  }
  return trains.on_report_end(limits).value_or(TrainSample());
}

// 5 Mbit/s: a packet takes 2 ms. The second and third left when the link was idle again.
TEST(PacketTrains, AnIntervalInWhichTheLinkIdledIsNotBusy) {
  const TrainSample sample =
      train_of({{0, 27}, {2.9, 29.9}, {5.8, 32.8}, {6, 34.8}, {6.2, 36.8}}, 2);
  EXPECT_EQ(sample.busy_size, DataSize::from_bytes(2 * kBytes));
  EXPECT_EQ(sample.busy_span, span_ms(4));
  EXPECT_EQ(sample.arrival_span, span_ms(9.8));
}

// Grants each 5 ms that are not full: what a packet waited for its grant is no queue.
TEST(PacketTrains, AnUnfilledGrantIsNotBusy) {
  const TrainSample sample =
      train_of({{0, 30}, {2, 30}, {5, 35}, {7, 35}, {10, 40}, {12, 40}, {15, 45}}, 0.5);
  EXPECT_TRUE(sample.busy_span.is_zero());
  EXPECT_EQ(sample.arrival_span, span_ms(10));
}

// All left at once: each later grant was full while packets waited.
TEST(PacketTrains, AFullGrantIsBusy) {
  const TrainSample sample =
      train_of({{0, 30}, {0, 30}, {0, 35}, {0, 35}, {0, 40}, {0, 40}, {0, 45}}, 0.5);
  EXPECT_EQ(sample.busy_span, span_ms(10));
  EXPECT_EQ(sample.busy_size, DataSize::from_bytes(4 * kBytes));
}

TEST(FrameNoise, IsTheSpreadWithoutAPacketsTime) {
  FrameNoise noise;
  for (int i = 0; i < 9; ++i) noise.on_packet(span_ms(25));
  noise.update(span_ms(2));
  EXPECT_TRUE(noise.value().is_zero()) << "too few to tell";
  for (int i = 0; i < 50; ++i) noise.on_packet(span_ms(25 + i * 0.2));
  noise.update(span_ms(2));
  EXPECT_NEAR(noise.value().ms(), 8 - 2, 0.3);
  for (int i = 0; i < 50; ++i) noise.on_packet(span_ms(25 + i * 10));
  noise.update(span_ms(2));
  EXPECT_EQ(noise.value(), span_ms(30)) << "an outage is no noise";
  for (int i = 0; i < 25; ++i) {
    noise.on_packet(TimeDelta::infinite());
    noise.on_packet(TimeDelta::zero() - TimeDelta::infinite());
  }
  noise.update(span_ms(2));
  EXPECT_EQ(noise.value(), span_ms(30)) << "nonsense is bounded";
}

TEST(VolatilePath, TwoEventsLeaveTheWorseMomentsAlone) {
  VolatilePath path;
  const DataRate now = DataRate::from_mbps(5);
  for (int i = 0; i < 50; ++i) {
    path.on_rate(at_ms(i * 50), DataRate::from_mbps(i < 10 ? 1 : 5));
  }
  path.on_event(at_ms(2500));
  path.on_event(at_ms(2900));
  EXPECT_EQ(path.bounded(at_ms(3000), now), now) << "one moment is one event";
  path.on_event(at_ms(3600));
  EXPECT_EQ(path.bounded(at_ms(3700), now), DataRate::from_mbps(1));
  EXPECT_EQ(path.bounded(at_ms(12600), now), now) << "forgotten after 10 s";
}

class Beside {
 public:
  FrameCompetition::Change step(double queue_ms, double rate_mbps, bool lost = false) {
    now_ms_ += 10;
    return competition.on_report({at_ms(now_ms_), span_ms(queue_ms), DataRate::from_mbps(rate_mbps),
                                  span_ms(100), DataSize::from_bytes(kBytes), lost, true});
  }
  // The first change in so many steps.
  FrameCompetition::Change steps(int count, double queue_ms, double rate_mbps) {
    for (int i = 0; i < count; ++i) {
      const auto change = step(queue_ms, rate_mbps);
      if (change != FrameCompetition::Change::kNone) return change;
    }
    return FrameCompetition::Change::kNone;
  }

  FrameCompetition competition;

 private:
  double now_ms_ = 0;
};

TEST(FrameCompetition, BeginsOnlyWhereGivingWayDidNotHelp) {
  Beside held;
  EXPECT_EQ(held.steps(400, 80, 4), FrameCompetition::Change::kNone) << "never gave way";
  Beside brief;
  EXPECT_EQ(brief.steps(150, 80, 4), FrameCompetition::Change::kNone);
  EXPECT_EQ(brief.steps(40, 80, 2), FrameCompetition::Change::kNone) << "not for two seconds";
  EXPECT_EQ(brief.steps(20, 80, 2), FrameCompetition::Change::kBegins);
  EXPECT_EQ(brief.competition.rate(), DataRate::from_mbps(2));
  Beside outage;
  (void)outage.step(700, 4);
  EXPECT_EQ(outage.steps(400, 700, 1), FrameCompetition::Change::kNone) << "no peer's queue";
}

TEST(FrameCompetition, GrowsByTwoPacketsARoundAndIsCutOnceARound) {
  Beside beside;
  (void)beside.step(80, 4);
  ASSERT_EQ(beside.steps(400, 80, 2), FrameCompetition::Change::kBegins);
  ASSERT_EQ(beside.steps(100, 80, 2), FrameCompetition::Change::kNone);
  // Ten rounds of 100 ms: two packets of 0.1 Mbit/s a round each.
  EXPECT_NEAR(beside.competition.rate().mbps(), 2 + 10 * 0.2, 0.05);
  const double before = beside.competition.rate().mbps();
  for (int i = 0; i < 5; ++i) (void)beside.step(80, 2, true);
  EXPECT_NEAR(beside.competition.rate().mbps(), before * 0.85, 0.15);
}

TEST(FrameCompetition, EndsWithAnEmptyQueueOrAsAMistake) {
  Beside beside;
  (void)beside.step(80, 4);
  ASSERT_EQ(beside.steps(400, 80, 2), FrameCompetition::Change::kBegins);
  EXPECT_EQ(beside.steps(14, 5, 2), FrameCompetition::Change::kNone);
  EXPECT_EQ(beside.steps(3, 5, 2), FrameCompetition::Change::kEnds);
  Beside mistaken;
  (void)mistaken.step(80, 4);
  ASSERT_EQ(mistaken.steps(400, 80, 2), FrameCompetition::Change::kBegins);
  const DataRate before = mistaken.competition.rate();
  EXPECT_EQ(mistaken.step(340, 2), FrameCompetition::Change::kEnds);
  EXPECT_LT(mistaken.competition.rate(), before * 0.51);
  (void)mistaken.step(80, 4);
  EXPECT_EQ(mistaken.steps(900, 80, 2), FrameCompetition::Change::kNone) << "not again for 10 s";
}

std::optional<DataRate> glimpse_of(const TrainSample& sample) {
  FastStartup start;
  start.on_train(sample, 1);
  return start.glimpse();
}

TEST(FastStartup, GlimpsesTheRateOfAFirstWindowThatThePathSpread) {
  TrainSample spread;
  spread.packets = 11;
  spread.clusters = 4;
  spread.size = DataSize::from_bytes(6 * kBytes);
  spread.arrival_span = span_ms(3);
  ASSERT_TRUE(glimpse_of(spread));
  EXPECT_NEAR(glimpse_of(spread)->mbps(), 20 * 0.85, 0.01);
  TrainSample in_one_grant;
  in_one_grant.packets = 11;
  in_one_grant.clusters = 1;
  EXPECT_FALSE(glimpse_of(in_one_grant));
  TrainSample in_two = spread;
  in_two.clusters = 2;
  EXPECT_FALSE(glimpse_of(in_two));
}

}  // namespace
}  // namespace farwheel
