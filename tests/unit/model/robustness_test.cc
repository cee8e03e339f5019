// No input makes the model stall for ever, divide by nothing or leave its bounds; the same inputs
// give the same outputs to the bit.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "sim/experiment.h"

namespace farwheel {
namespace {

using sim::Experiment;
using sim::link_of;
using sim::ModelFlow;

constexpr Algorithm kAlgorithms[] = {Algorithm::kBbr2, Algorithm::kAdaptiveBbr2Paper,
                                     Algorithm::kAdaptiveBbr2};

void expect_bounds(const BbrSender& sender) {
  EXPECT_GE(sender.cwnd().bytes(), 4 * 1000);
  EXPECT_GE(sender.pacing_rate().bps(), 50000);
  EXPECT_GE(sender.media_rate().bps(), 50000);
  EXPECT_TRUE(sender.cwnd().is_finite());
}

struct Hostile {
  explicit Hostile(Algorithm algorithm, std::uint64_t seed)
      : random(seed), sender(config(algorithm)) {}
  static ControllerConfig config(Algorithm algorithm) {
    ControllerConfig c;
    c.algorithm = algorithm;
    c.max_packet_size = DataSize::from_bytes(1000);
    return c;
  }
  sim::Random random;
  BbrSender sender;
};

// A random walk over everything the interface takes, nonsense included.
TEST(Robustness, NonsenseLeavesTheBoundsWhole) {
  for (Algorithm algorithm : kAlgorithms) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Hostile h(algorithm, seed);
      const auto pick = [&h](double n) {
        return static_cast<std::int64_t>(h.random.uniform() * n);
      };
      Timestamp now = Timestamp::from_seconds(1);
      std::vector<SentPacket> sent;
      PacketNumber number = 0;
      for (int step = 0; step < 3000; ++step) {
        now += TimeDelta::from_micros(pick(20) == 0 ? pick(60e6) : pick(8000));
        if (pick(50) == 0) now = now - TimeDelta::from_millis(pick(1000));
        number += pick(30) == 0 ? pick(70000) : 1;
        SentPacket packet{number, DataSize::from_bytes(pick(10) == 0 ? pick(2) : pick(1500)), 0,
                          now};
        if (pick(100) == 0) packet.sent_at = Timestamp::infinite_past();
        const DataSize inflight = DataSize::from_bytes(pick(20) == 0 ? -pick(5000) : pick(200000));
        h.sender.on_packet_sent(packet, inflight);
        sent.push_back(packet);
        if (sent.size() > 64) sent.erase(sent.begin());
        if (pick(3) == 0) {
          FeedbackReport report;
          report.received_at = now;
          for (std::int64_t i = pick(12); i > 0; --i) {
            PacketResult result{
                sent[static_cast<std::size_t>(pick(static_cast<double>(sent.size())))]};
            switch (pick(4)) {
              case 0:
                result.fate = PacketResult::Fate::kLost;
                break;
              case 1:
                break;
              default:
                result.fate = PacketResult::Fate::kDelivered;
                if (pick(10) != 0) result.received_at = Timestamp::from_micros(pick(1e12));
                result.rtt = pick(10) == 0 ? TimeDelta::infinite()
                                           : TimeDelta::from_micros(pick(300000) - 1000);
            }
            report.packets.push_back(result);
          }
          h.sender.on_report(now, report, inflight);
        }
        if (pick(4) == 0) h.sender.on_application_limited(now, inflight);
        if (pick(5) == 0)
          h.sender.on_tick(now, inflight,
                           pick(2) == 0 ? std::optional(now - TimeDelta::from_millis(pick(5000)))
                                        : std::nullopt);
        if (pick(30) == 0) h.sender.on_driver_queue(now, {DataSize::from_bytes(pick(1e7) - 1000)});
        if (pick(500) == 0) h.sender.on_path_changed(now);
        if (pick(300) == 0) h.sender.set_algorithm(now, kAlgorithms[pick(3)]);
        ASSERT_NO_FATAL_FAILURE(expect_bounds(h.sender)) << "seed " << seed << " step " << step;
        ControllerSnapshot snapshot;
        h.sender.fill(now, snapshot);
        ASSERT_TRUE(std::isfinite(snapshot.loss) && snapshot.loss >= 0 && snapshot.loss <= 1);
      }
      EXPECT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    }
  }
}

// After any of these the flow must fill the link again.
void expect_recovery(Algorithm algorithm, const std::function<void(Experiment&, ModelFlow&)>& spoil,
                     double until) {
  Experiment run(link_of(5, 300));
  // The paper's raw test takes the bursts that answer a batched report for a queue, and starves.
  sim::FlowConfig config;
  config.report_interval =
      TimeDelta::from_millis(algorithm == Algorithm::kAdaptiveBbr2Paper ? 0 : 10);
  ModelFlow& flow = run.add(config, Hostile::config(algorithm));
  flow.start_bulk(Timestamp::from_nanos(0));
  run.run_to(5);
  spoil(run, flow);
  run.run_to(until);
  expect_bounds(flow.sender());
  run.run_to(until + 10);
  run.link.clear_counters();
  run.run_to(until + 15);
  EXPECT_GT(run.mbps(0, 5), 4.0) << to_string(algorithm);
}

TEST(Robustness, EverythingLostForAWhile) {
  for (Algorithm algorithm : kAlgorithms) {
    expect_recovery(
        algorithm,
        [](Experiment& run, ModelFlow&) {
          run.link.set_loss(1);
          run.events.at(Timestamp::from_seconds(15), [&run] { run.link.set_loss(0); });
        },
        15);
  }
}

TEST(Robustness, NoFeedbackForMinutes) {
  for (Algorithm algorithm : kAlgorithms) {
    expect_recovery(
        algorithm,
        [](Experiment&, ModelFlow& flow) { flow.drop_reports_until(Timestamp::from_seconds(185)); },
        185);
  }
}

TEST(Robustness, SilenceBothWays) {
  for (Algorithm algorithm : kAlgorithms) {
    expect_recovery(
        algorithm,
        [](Experiment& run, ModelFlow&) { run.link.silence_until(Timestamp::from_seconds(9)); }, 9);
  }
}

TEST(Robustness, NothingHeardAtAllKeepsTheStart) {
  for (Algorithm algorithm : kAlgorithms) {
    Experiment run(link_of(5, 300));
    ModelFlow& flow = run.add(TimeDelta::from_millis(50), algorithm);
    flow.drop_reports_until(Timestamp::from_seconds(1000));
    flow.start_bulk(Timestamp::from_nanos(0));
    run.run_to(60);
    expect_bounds(flow.sender());
    EXPECT_EQ(flow.sender().media_rate(), DataRate::from_mbps(1));
    EXPECT_EQ(flow.snapshot().limited_by, LimitedBy::kNothing);
    // The window still lets something out each time packets age away.
    EXPECT_GT(run.link.counters(0).packets_delivered, 500);
  }
}

TEST(Robustness, AVerySlowLinkStillMoves) {
  for (Algorithm algorithm : kAlgorithms) {
    Experiment run(link_of(0.1, 1000));
    ModelFlow& flow = run.add(TimeDelta::from_millis(100), algorithm);
    flow.start_camera(Timestamp::from_nanos(0), sim::CameraConfig{});
    run.run_to(60);
    run.link.clear_counters();
    run.run_to(80);
    expect_bounds(flow.sender());
    EXPECT_GT(run.mbps(0, 20), 0.05) << to_string(algorithm);
  }
}

using Trace = std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>>;
Trace trace_of(Algorithm algorithm) {
  sim::LinkConfig link = link_of(5, 200);
  link.slot = TimeDelta::from_millis(5);
  link.harq = 0.1;
  link.loss = 0.005;
  Experiment run(link);
  sim::FlowConfig config;
  config.jitter = TimeDelta::from_millis(1);
  run.add(config, Hostile::config(algorithm)).start_bulk(Timestamp::from_nanos(0));
  run.add(config, Hostile::config(algorithm))
      .start_camera(Timestamp::from_millis(100), sim::CameraConfig{});
  Trace trace;
  for (double t = 0.05; t < 15; t += 0.05) {
    run.run_to(t);
    for (const auto& flow : run.flows) {
      trace.emplace_back(flow->sender().pacing_rate().bps(), flow->sender().cwnd().bytes(),
                         flow->sender().media_rate().bps(),
                         static_cast<std::int64_t>(flow->events().size()));
    }
  }
  return trace;
}

TEST(Determinism, TwoRunsAreBitIdentical) {
  for (Algorithm algorithm : kAlgorithms) EXPECT_EQ(trace_of(algorithm), trace_of(algorithm));
}

}  // namespace
}  // namespace farwheel
