// The paper's network (two bulk flows of 10 and 60 ms over 5 Mbit/s) in the small simulator: BBRv2
// as the paper very probably had it, its own algorithm, and what each of its open points does.
// Figures of the paper: section 3.1. Ours: docs/decisions.md.
#include <gtest/gtest.h>

#include "sim/experiment.h"

namespace farwheel {
namespace {

using sim::Experiment;

struct Outcome {
  double short_mbps;
  double long_mbps;
  double short_owd_ms;
  double jain() const {
    const double sum = short_mbps + long_mbps;
    return sum * sum / (2 * (short_mbps * short_mbps + long_mbps * long_mbps));
  }
  // Of the payload: 1200 of 1230 bytes.
  double utilisation() const { return (short_mbps + long_mbps) / 5 * 1200 / 1230; }
};

struct Case {
  Algorithm algorithm = Algorithm::kAdaptiveBbr2Paper;
  std::string params;
  double buffer_bdp = 10;
  double seconds = 100;
  TimeDelta report_interval = TimeDelta::zero();
};

Outcome outcome_of(const Case& run) {
  Experiment network(sim::link_of(5, 60 * run.buffer_bdp));
  for (int ms : {10, 60}) {
    sim::FlowConfig flow;
    flow.rtt = TimeDelta::from_millis(ms);
    flow.report_interval = run.report_interval;
    ControllerConfig config;
    config.algorithm = run.algorithm;
    config.startup = StartupKind::kClassic;
    config.max_packet_size = DataSize::from_bytes(1230);
    config.seed = static_cast<std::uint64_t>(ms);
    sim::ModelFlow& added = network.add(flow, config);
    EXPECT_EQ(added.sender().set_params(run.params), "");
    added.start_bulk(Timestamp::from_millis(ms / 10));
  }
  network.run_to(run.seconds);
  return {network.mbps(0, run.seconds), network.mbps(1, run.seconds), network.mean_owd_ms(0)};
}

TEST(PaperNetwork, QuichesBbr2IsAsUnfairAsThePaperSays) {  // 0.87 and 3.96 Mbit/s, Jain 0.71
  const Outcome deep = outcome_of({.algorithm = Algorithm::kBbr2, .params = "quiche2019"});
  EXPECT_GT(deep.jain(), 0.63);
  EXPECT_LT(deep.jain(), 0.76);
  EXPECT_GT(deep.long_mbps / deep.short_mbps, 4);
  EXPECT_GT(deep.short_owd_ms, 60);
  // The window of 2 BDP never fills a deeper buffer: one and the same run.
  const Outcome three =
      outcome_of({.algorithm = Algorithm::kBbr2, .params = "quiche2019", .buffer_bdp = 3});
  EXPECT_DOUBLE_EQ(three.short_mbps, deep.short_mbps);
}

TEST(PaperNetwork, ThePapersAlgorithmIsFairInEveryBuffer) {  // 2.29 and 2.53, 0.99, 96.0 %
  for (double bdp : {0.2, 0.6, 1.0, 2.0, 10.0, 100.0}) {
    const Outcome outcome = outcome_of({.buffer_bdp = bdp});
    EXPECT_GT(outcome.jain(), 0.99) << bdp;
    EXPECT_GT(outcome.utilisation(), 0.96) << bdp;
    EXPECT_LT(outcome.short_owd_ms, 12) << bdp;
  }
}

// A start-up's overshoot that MaxRtt keeps for life gives the short flow a gain it never loses.
TEST(PaperNetwork, MaxRttForLifeStarvesTheLongFlow) {
  const Outcome outcome = outcome_of({.params = "paper_max_rtt=lifetime"});
  EXPECT_LT(outcome.jain(), 0.75);
  EXPECT_GT(outcome.short_mbps, 3.5);
}

TEST(PaperNetwork, MaxRttAfterStartUpIsFairInDeepBuffersOnly) {
  EXPECT_GT(outcome_of({.params = "paper_max_rtt=after_startup"}).jain(), 0.95);
  EXPECT_LT(outcome_of({.params = "paper_max_rtt=after_startup", .buffer_bdp = 0.8}).jain(), 0.95);
}

TEST(PaperNetwork, TheThresholdIsNeededInBothPhases) {
  EXPECT_LT(outcome_of({.params = "paper_threshold=up"}).jain(), 0.95);
  const Outcome cruise = outcome_of({.params = "paper_threshold=cruise"});
  EXPECT_GT(cruise.short_owd_ms, outcome_of({}).short_owd_ms + 2);
}

// Reports every 10 ms add to an RTT what is no queue; net of that a lone flow keeps the link.
TEST(PaperNetwork, BatchedReportsAreNoQueue) {
  Case batched{.report_interval = TimeDelta::from_millis(10)};
  const Outcome net = outcome_of(batched);
  EXPECT_GT(net.jain(), 0.92);
  EXPECT_GT(net.utilisation(), 0.91);
  batched.params = "paper_now_rtt=raw";
  EXPECT_LT(outcome_of(batched).utilisation(), net.utilisation());
}

}  // namespace
}  // namespace farwheel
