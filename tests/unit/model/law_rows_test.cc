// adaptive-bbr2's law over the simulated bottleneck, row by row of the table of figures, shorter
// than law-rows runs them: fairness, delay, noise, and other traffic. Bulk through SendController.
#include <gtest/gtest.h>

#include <utility>

#include "sim/law_scenario.h"

namespace farwheel {
namespace {

using sim::LawRun;
using sim::LawScenario;
using sim::PeerKind;

LawScenario seconds(double length) {
  LawScenario scenario;
  scenario.seconds = length;
  return scenario;
}

TEST(LawRows, RoundTripsShareShallowAndDeepBuffers) {
  for (const StartupKind startup : {StartupKind::kFbe, StartupKind::kClassic}) {
    for (const double bdp : {0.3, 10.0}) {
      SCOPED_TRACE(bdp);
      LawScenario s = seconds(80);
      s.startup = startup;
      s.buffer_bdp = bdp;
      LawRun run(s);
      run.finish();
      // Start-up, whose shares the law has to even out, is a good part of such a run.
      EXPECT_GT(run.jain(), 0.96);
      EXPECT_NEAR(run.flows[0]->mbps(60, 80) / run.flows[1]->mbps(60, 80), 1, 0.1);
      EXPECT_GT(run.utilisation(), 0.965);
      EXPECT_LT(run.worst_owd_over_path_ms(), 3.5);
      EXPECT_LT(run.worst_p95_over_path_ms(), 5);
      EXPECT_EQ(run.competitions(), 0);
    }
  }
}

TEST(LawRows, FiveFlowsOfOursNeverTakeEachOtherForCubic) {
  LawScenario s = seconds(60);
  s.rtt_ms = {10, 30, 50, 70, 100};
  s.seed = 4;
  LawRun run(s);
  run.run_to(20);  // start-ups of five at once take their time
  for (const auto& flow : run.flows) flow->clear_delays();
  run.finish();
  EXPECT_GT(run.jain(), 0.97);
  EXPECT_LT(run.worst_owd_over_path_ms(), 1 + 1.5 * 5);
  EXPECT_EQ(run.competitions(), 0);
}

// Each sends a whole capacity before it hears of the others; the queue of that is nobody's CUBIC.
TEST(LawRows, TenFlowsThatStartTogetherSettleWithoutCompetition) {
  LawScenario s = seconds(50);
  s.rtt_ms = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
  s.startup = StartupKind::kFbe;
  LawRun run(s);
  run.run_to(5);
  // 415 ms if each believes that what it waits for is the path.
  EXPECT_LT(run.worst_owd_over_path_ms(), 360);
  run.run_to(30);
  for (const auto& flow : run.flows) flow->clear_delays();
  run.finish();
  EXPECT_LT(run.worst_owd_over_path_ms(), 1 + 1.5 * 10);
  EXPECT_EQ(run.competitions(), 0);
}

TEST(LawRows, FlowsOfASlowLinkAndOfAFastOneShareIt) {
  for (const double mbps : {1.0, 100.0}) {
    SCOPED_TRACE(mbps);
    LawScenario s = seconds(60);
    s.rate_mbps = mbps;
    s.startup = StartupKind::kFbe;
    LawRun run(s);
    run.finish();
    EXPECT_GT(run.jain(), 0.95);  // of a minute that holds both starts
    EXPECT_GT(run.utilisation(), 0.96);
  }
}

TEST(LawRows, ALateComerGetsItsShare) {
  LawScenario s = seconds(60);
  s.start_s = {0, 15};
  LawRun run(s);
  run.finish();
  const double early = run.flows[0]->mbps(35, 60);
  const double late = run.flows[1]->mbps(35, 60);
  EXPECT_NEAR(early / late, 1, 0.25);
}

TEST(LawRows, SlotsAndRepeatsStarveNobody) {
  for (const double mbps : {5.0, 20.0}) {
    LawScenario s = seconds(mbps > 5 ? 20 : 40);
    s.rate_mbps = mbps;
    s.rtt_ms = {50};
    s.link.slot = TimeDelta::from_millis(5);
    s.link.harq = 0.1;
    LawRun alone(s);
    alone.finish();
    EXPECT_GT(alone.utilisation(), 0.92);
    EXPECT_LT(alone.worst_owd_over_path_ms(), 2.5 + 1.1 + 10);
  }
}

TEST(LawRows, JitterOfOneFlowLeavesBothAShare) {
  LawScenario s = seconds(60);
  s.access_jitter_ms = {0, 3};
  LawRun run(s);
  run.finish();
  EXPECT_GT(run.jain(), 0.9);
  EXPECT_GT(run.utilisation(), 0.93);
}

TEST(LawRows, AFlowAloneFillsALinkThatItsAccessMakesNoisy) {
  for (const double jitter : {1.0, 3.0}) {
    LawScenario s = seconds(100);
    s.rtt_ms = {50};
    s.access_jitter_ms = {jitter};
    LawRun run(s);
    run.finish();
    EXPECT_GT(run.utilisation(), jitter > 1 ? 0.88 : 0.94) << jitter;
    EXPECT_LT(run.worst_owd_over_path_ms(), 6 * jitter + 4) << jitter;
  }
}

TEST(LawRows, NoFlowProbesItsJitteryNeighbourDown) {
  LawScenario s = seconds(100);
  s.access_jitter_ms = {0, 1};
  LawRun run(s);
  run.finish();
  EXPECT_GT(run.jain(), 0.96);
}

TEST(LawRows, APolicerIsFoundAndHeldUnder) {
  LawScenario s = seconds(60);
  s.rtt_ms = {50};
  s.rate_mbps = 100;
  s.link.policer_bucket = DataSize::from_bytes(15000);
  LawRun run(s);
  run.run_to(10);
  run.link->clear_counters();
  run.finish();
  const sim::FlowCounters& c = run.link->counters(0);
  EXPECT_LT(static_cast<double>(c.packets_dropped),
            0.003 * static_cast<double>(c.packets_delivered));
  EXPECT_GT(run.flows[0]->mbps(10, 60), 0.92 * 5);
}

TEST(LawRows, ALongerRouteIsLearntAndNobodysQueue) {
  LawScenario s = seconds(60);
  s.rtt_ms = {40};
  const TimeDelta more = TimeDelta::from_millis(30);
  s.changes = {
      {20, [=](sim::VirtualLink& l) { l.set_extra_delay(0, more, TimeDelta::zero()); }},
      {40, [](sim::VirtualLink& l) { l.set_extra_delay(0, TimeDelta::zero(), TimeDelta::zero()); }},
  };
  LawRun run(s);
  run.finish();
  EXPECT_EQ(run.competitions(), 0);
  EXPECT_GT(run.flows[0]->mbps(27, 40), 4.4);
  EXPECT_GT(run.flows[0]->mbps(46, 60), 4.4);
}

TEST(LawRows, AQueueOnTheWayBackIsNotOurs) {
  LawScenario s = seconds(40);
  s.rtt_ms = {50};
  const TimeDelta more = TimeDelta::from_millis(80);
  s.changes = {{15, [=](sim::VirtualLink& l) { l.set_extra_delay(0, TimeDelta::zero(), more); }}};
  LawRun run(s);
  run.finish();
  EXPECT_GT(run.flows[0]->mbps(15, 40), 0.88 * run.flows[0]->mbps(5, 15));
  EXPECT_EQ(run.competitions(), 0);
}

TEST(LawRows, SkewedClocksLookLikeNoQueue) {
  LawScenario s = seconds(90);
  s.skew_ppm = {100, -100};
  LawRun run(s);
  run.finish();
  // The drift is known after some fifteen seconds; until then it costs the shares a little.
  EXPECT_GT(run.jain(), 0.95);
  EXPECT_GT(run.utilisation(), 0.95);
}

// The delay is CUBIC's: that is said, the share is kept, and given up again when it ends.
TEST(LawRows, BesideCubicAShareIsKeptAndTheDelayGivenBack) {
  for (const auto& [bdp, kind] :
       {std::pair{0.5, PeerKind::kCubic}, {2.0, PeerKind::kCubic}, {0.5, PeerKind::kPlainCubic}}) {
    SCOPED_TRACE(bdp);
    LawScenario s = seconds(75);
    s.rtt_ms = {50};
    s.buffer_bdp = bdp;
    s.peers = {{kind, 50, 0, 60}};
    LawRun run(s);
    run.finish();
    EXPECT_GT(run.flows[0]->mbps(0, 60), 0.38 * 5);
    EXPECT_GT(run.peers[0]->mbps(60), 0.40 * 5);
    EXPECT_GT(run.competitions(), 0);
    EXPECT_LT(run.flows[0]->highest_ms(66, 75), run.path_ms(0) + 15);
    EXPECT_GT(run.flows[0]->mbps(66, 75), 0.9 * 5);
  }
}

TEST(LawRows, OnePercentOfRandomLossDoesNotStarve) {
  LawScenario s = seconds(60);
  s.rtt_ms = {50};
  s.link.loss = 0.01;
  LawRun run(s);
  run.finish();
  EXPECT_GT(run.utilisation(), 0.85);
}

}  // namespace
}  // namespace farwheel
