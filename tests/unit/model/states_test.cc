// BBRv2's states over the virtual link: draft-cardwell-iccrg-bbr-congestion-control-02 section 4.3.
#include <gtest/gtest.h>

#include "sim/experiment.h"

namespace farwheel {
namespace {

using sim::Experiment;
using sim::link_of;
using sim::ModelFlow;

constexpr TimeDelta kRtt = TimeDelta::from_millis(50);

// The lab's reports: one a packet, so that round trips and windows are the draft's.
sim::FlowConfig prompt(TimeDelta rtt) {
  sim::FlowConfig flow;
  flow.rtt = rtt;
  flow.report_interval = TimeDelta::zero();
  return flow;
}

ControllerConfig config_of(Algorithm algorithm, StartupKind startup) {
  ControllerConfig config;
  config.algorithm = algorithm;
  config.startup = startup;
  return config;
}

TEST(BbrStates, FollowTheDraftsOrder) {
  Experiment run(link_of(5, 400));
  ModelFlow& flow = run.add(prompt(kRtt), config_of(Algorithm::kBbr2, StartupKind::kClassic));
  flow.start_bulk(Timestamp::from_nanos(0));
  run.run_to(12);
  const std::vector<BbrState> states = sim::states_entered(flow.events());
  ASSERT_GE(states.size(), 6u);
  EXPECT_EQ(states[0], BbrState::kDrain);
  EXPECT_EQ(states[1], BbrState::kProbeBwDown);
  EXPECT_EQ(states[2], BbrState::kProbeBwCruise);
  EXPECT_EQ(states[3], BbrState::kProbeBwRefill);
  EXPECT_EQ(states[4], BbrState::kProbeBwUp);
  EXPECT_EQ(states[5], BbrState::kProbeBwDown);
}

// Every event's `from` is the last one's `to`: one event for each transition, none left out.
TEST(BbrStates, EventsChainFromOneStateToTheNext) {
  for (Algorithm algorithm :
       {Algorithm::kBbr2, Algorithm::kAdaptiveBbr2Paper, Algorithm::kAdaptiveBbr2}) {
    Experiment run(link_of(5, 400));
    ModelFlow& flow = run.add(prompt(kRtt), config_of(algorithm, StartupKind::kFbe));
    flow.start_bulk(Timestamp::from_nanos(0));
    run.run_to(15);
    BbrState present = BbrState::kStartup;
    int changes = 0;
    for (const ControllerEvent& event : flow.events()) {
      const auto* change = std::get_if<StateChanged>(&event.what);
      if (change == nullptr) continue;
      EXPECT_EQ(change->from, present);
      EXPECT_NE(change->from, change->to);
      present = change->to;
      ++changes;
    }
    EXPECT_EQ(present, flow.snapshot().state);
    // adaptive-bbr2's law finds its rate without a cycle of probes.
    EXPECT_GE(changes, algorithm == Algorithm::kAdaptiveBbr2 ? 3 : 7);
  }
}

// Section 4.3.3.5: 2 to 3 s of wall clock between probes; a ProbeRTT begins the wait anew.
TEST(BbrStates, ProbeAtLeastEveryThreeSeconds) {
  Experiment run(link_of(20, 200));
  ModelFlow& flow = run.add(prompt(kRtt), config_of(Algorithm::kBbr2, StartupKind::kClassic));
  flow.start_bulk(Timestamp::from_nanos(0));
  run.run_to(30);
  double waiting_since = 0;
  int probes = 0;
  for (const ControllerEvent& event : flow.events()) {
    const auto* change = std::get_if<StateChanged>(&event.what);
    if (change == nullptr) continue;
    if (change->to == BbrState::kProbeBwDown || change->from == BbrState::kProbeRtt) {
      waiting_since = event.at.seconds();
    }
    if (change->to == BbrState::kProbeBwRefill) {
      ++probes;
      EXPECT_LT(event.at.seconds() - waiting_since, 3.1);
    }
  }
  EXPECT_GE(probes, 5);
}

// Section 4.3.4: with a queue that hides min_rtt, a ProbeRTT every 5 s that lasts 200 ms.
void expect_probe_rtt(TimeDelta report_interval) {
  Experiment run(link_of(5, 400));
  sim::FlowConfig config = prompt(kRtt);
  config.report_interval = report_interval;
  for (int i = 0; i < 2; ++i) {
    run.add(config, config_of(Algorithm::kBbr2, StartupKind::kClassic))
        .start_bulk(Timestamp::from_nanos(0));
  }
  run.run_to(20);
  Timestamp entered = Timestamp::infinite_past();
  int stays = 0;
  for (const ControllerEvent& event : run.flows[0]->events()) {
    const auto* change = std::get_if<StateChanged>(&event.what);
    if (change == nullptr) continue;
    if (change->to == BbrState::kProbeRtt) entered = event.at;
    if (change->from == BbrState::kProbeRtt) {
      ++stays;
      EXPECT_GE((event.at - entered).ms(), 200);
      EXPECT_LT((event.at - entered).ms(), 700);
      EXPECT_EQ(change->to, BbrState::kProbeBwCruise);
    }
  }
  EXPECT_GE(stays, 2);
  // No ratchet: what one flow queues is not taken for the other's path.
  EXPECT_LT(run.flows[0]->snapshot().min_rtt->ms(), 60);
}

TEST(BbrStates, ProbeRttComesWhenMinRttWasNotSeenAndEnds) {
  expect_probe_rtt(TimeDelta::zero());
}

TEST(BbrStates, ProbeRttComesWithBatchedReportsToo) {
  expect_probe_rtt(TimeDelta::from_millis(10));
}

// An application that leaves the path empty shows min_rtt for free (adaptive-bbr2).
TEST(BbrStates, ACameraNeedsNoProbeRtt) {
  Experiment run(link_of(20, 400));
  ModelFlow& flow = run.add(kRtt, Algorithm::kAdaptiveBbr2);
  flow.start_camera(Timestamp::from_nanos(0), sim::CameraConfig{});
  run.run_to(20);
  for (BbrState state : sim::states_entered(flow.events())) EXPECT_NE(state, BbrState::kProbeRtt);
}

// Section 4.3.1.3 and 4.5.6: a shallow buffer ends start-up by loss and bounds what is in flight.
TEST(BbrStates, LossInAShallowBufferSetsInflightHi) {
  Experiment run(link_of(5, 15));
  ModelFlow& flow = run.add(prompt(kRtt), config_of(Algorithm::kBbr2, StartupKind::kClassic));
  flow.start_bulk(Timestamp::from_nanos(0));
  run.run_to(5);
  const ControllerSnapshot snapshot = flow.snapshot();
  ASSERT_TRUE(snapshot.inflight_hi);
  // BDP 32 kB and the buffer 9 kB: not far over both together.
  EXPECT_LT(snapshot.inflight_hi->bytes(), 60000);
  run.link.clear_counters();
  run.run_to(25);
  const sim::FlowCounters& counters = run.link.counters(0);
  EXPECT_GT(run.mbps(0, 20), 4.4);
  EXPECT_LT(static_cast<double>(counters.packets_dropped),
            0.02 * static_cast<double>(counters.packets_delivered));
}

TEST(BbrStates, HeavyRandomLossLowersTheBoundsAndTheyComeBack) {
  Experiment run(link_of(5, 300));
  ModelFlow& flow = run.add(prompt(kRtt), config_of(Algorithm::kBbr2, StartupKind::kClassic));
  flow.start_bulk(Timestamp::from_nanos(0));
  run.run_to(5);
  run.link.set_loss(0.2);
  bool bounded = false;
  for (double t = 5.1; t < 10; t += 0.1) {
    run.run_to(t);
    const ControllerSnapshot snapshot = flow.snapshot();
    bounded = bounded || snapshot.bw_lo.has_value();
    EXPECT_GE(snapshot.cwnd.bytes(), 4 * 1246);
  }
  EXPECT_TRUE(bounded);
  run.link.set_loss(0);
  run.run_to(20);
  run.link.clear_counters();
  run.run_to(25);
  EXPECT_GT(run.mbps(0, 5), 4.5);
}

TEST(BbrStates, BulkFillsTheLinkUnderEveryAlgorithm) {
  for (Algorithm algorithm :
       {Algorithm::kBbr2, Algorithm::kAdaptiveBbr2Paper, Algorithm::kAdaptiveBbr2}) {
    for (StartupKind startup : {StartupKind::kClassic, StartupKind::kFbe}) {
      Experiment run(link_of(5, 400));
      run.add(prompt(kRtt), config_of(algorithm, startup)).start_bulk(Timestamp::from_nanos(0));
      run.run_to(20);
      EXPECT_GT(run.mbps(0, 20) / 5, 0.9) << to_string(algorithm) << " " << to_string(startup);
      EXPECT_EQ(run.link.counters(0).packets_dropped, 0) << to_string(algorithm);
    }
  }
}

TEST(BbrStates, ChangingTheAlgorithmGoesOnFromTheMeasuredRate) {
  Experiment run(link_of(5, 400));
  ModelFlow& flow = run.add(prompt(kRtt), config_of(Algorithm::kBbr2, StartupKind::kFbe));
  flow.start_bulk(Timestamp::from_nanos(0));
  double t = 5;
  for (Algorithm algorithm : {Algorithm::kAdaptiveBbr2, Algorithm::kAdaptiveBbr2Paper,
                              Algorithm::kAdaptiveBbr2, Algorithm::kBbr2}) {
    run.run_to(t);
    flow.sender().set_algorithm(run.events.now(), algorithm);
    EXPECT_NEAR(flow.snapshot().bw.mbps(), 4.9, 0.8) << to_string(algorithm);
    run.run_to(t + 1);
    run.link.clear_counters();
    run.run_to(t + 5);
    EXPECT_GT(run.mbps(0, 4), 4.4) << to_string(algorithm);
    t += 5;
  }
}

TEST(BbrStates, AnotherPathStartsAfresh) {
  Experiment run(link_of(5, 400));
  ModelFlow& flow = run.add(prompt(kRtt), config_of(Algorithm::kAdaptiveBbr2, StartupKind::kFbe));
  flow.start_bulk(Timestamp::from_nanos(0));
  run.run_to(5);
  flow.sender().on_path_changed(run.events.now());
  EXPECT_EQ(flow.snapshot().state, BbrState::kStartup);
  EXPECT_FALSE(flow.snapshot().min_rtt);
  run.link.set_rate(DataRate::from_mbps(10));
  run.link.set_flow_rtt(0, TimeDelta::from_millis(100));
  run.run_to(8);
  run.link.clear_counters();
  run.run_to(12);
  EXPECT_NEAR(flow.snapshot().min_rtt->ms(), 101, 3);
  EXPECT_GT(run.mbps(0, 4), 8.5);
}

}  // namespace
}  // namespace farwheel
