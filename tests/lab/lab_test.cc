// The laboratory's link against arithmetic: a sender that does not adapt must see exactly the
// delays, rates and losses that the options ask for.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "flow_log.h"
#include "flows_run.h"
#include "option_values.h"
#include "paper/process_pool.h"
#include "startup_run.h"

namespace farwheel::lab {
namespace {

using Json = nlohmann::ordered_json;

// One packet every so many microseconds, whatever happens.
class ConstantSender : public Sender {
 public:
  explicit ConstantSender(double payload_mbps)
      : gap_ns_(static_cast<std::int64_t>(kPayloadBytes * 8 * 1e3 / payload_mbps)) {}
  Decision next(std::int64_t now_ns, std::int64_t) override {
    if (due_ns_ == 0) due_ns_ = now_ns;
    if (now_ns < due_ns_) return {.wake_ns = due_ns_};
    return {.may_send = true};
  }
  void on_sent(std::int64_t, std::int64_t) override { due_ns_ += gap_ns_; }
  void on_feedback(std::int64_t, std::span<const ReportedPacket> report,
                   std::optional<std::int64_t> marks) override {
    for (const ReportedPacket& packet : report) ++(packet.lost ? lost_ : delivered_);
    marks_ += marks.value_or(0);
  }
  void on_driver_queue(std::int64_t, std::int64_t) override {}
  void on_tick(std::int64_t) override {}
  SenderState state(std::int64_t) const override {
    return {.state = "constant",
            .counters = {{"lost", lost_}, {"delivered", delivered_}, {"marks", marks_}}};
  }
  std::vector<LoggedEvent> take_events() override { return {}; }

 private:
  std::int64_t gap_ns_;
  std::int64_t due_ns_ = 0;
  std::int64_t lost_ = 0;
  std::int64_t delivered_ = 0;
  std::int64_t marks_ = 0;
};

RunConfig one_flow(double seconds = 20) {
  RunConfig run;
  run.flows.resize(1);
  run.duration_s = seconds;
  return run;
}

Json constant(const RunConfig& run, double mbps) {
  return run_flows(run, [mbps](const FlowConfig&, std::uint64_t) {
    return std::make_unique<ConstantSender>(mbps);
  });
}

TEST(Lab, EmptyLinkHasThePathsDelay) {
  for (const double rtt_ms : {10.0, 60.0}) {
    RunConfig run = one_flow();
    run.flows[0].rtt_ms = rtt_ms;
    const Json flow = constant(run, 1)["flows"][0];
    EXPECT_NEAR(flow["owd_min_ms"], flow["path_owd_ms"].get<double>(), 0.02);
    EXPECT_NEAR(flow["owd_max_ms"], flow["path_owd_ms"].get<double>(), 0.02);
    EXPECT_NEAR(flow["throughput_mbps"], 1, 0.01);
    EXPECT_EQ(flow["loss"], 0);
  }
}

TEST(Lab, FullQueueHoldsItsBufferAndDropsTheRest) {
  RunConfig run = one_flow();
  run.link.buffer_bdp = 2;  // of 50 ms: 100 ms
  const Json result = constant(run, 10);
  const Json& flow = result["flows"][0];
  EXPECT_NEAR(result["utilisation"], 1200.0 / 1230, 0.006);
  EXPECT_NEAR(flow["owd_max_ms"], flow["path_owd_ms"].get<double>() + 100, 4);
  EXPECT_NEAR(flow["loss"], 0.51, 0.02);
  EXPECT_GT(result["dropped_packets"], 5000);
  // What the reports named agrees with what was seen to be missing, but for what is under way.
  EXPECT_NEAR(flow["counters"]["lost"], result["dropped_packets"].get<double>(), 100);
}

TEST(Lab, PolicerPassesItsRateWithoutQueue) {
  RunConfig run = one_flow();
  run.link.rate_mbps = 20;
  run.link.policer = Policer{.mbps = 5, .bucket_bytes = 15000};
  const Json result = constant(run, 8);
  EXPECT_NEAR(result["utilisation"], 1200.0 / 1230, 0.01);
  EXPECT_LT(result["flows"][0]["owd_max_ms"], result["flows"][0]["path_owd_ms"].get<double>() + 1);
}

TEST(Lab, GrantsDelayByHalfASlotAndKeepTheRate) {
  RunConfig run = one_flow();
  run.link.grants = GrantModel{.slot_ms = 10};
  Json result = constant(run, 0.5);
  const double path_ms = run.flows[0].rtt_ms / 2 + 0.11;  // a grant serialises nothing
  EXPECT_NEAR(result["flows"][0]["owd_mean_ms"], path_ms + result["link_own_ms"].get<double>(),
              0.3);
  EXPECT_NEAR(result["link_own_ms"], 5, 0.01);
  result = constant(run, 10);
  EXPECT_NEAR(result["utilisation"], 1200.0 / 1230, 0.01);
}

TEST(Lab, LateGrantsDelayInOrder) {
  RunConfig run = one_flow(60);
  run.link.grants = GrantModel{.slot_ms = 5, .harq_share = 0.1, .harq_ms = 8};
  const Json result = constant(run, 2);
  const double path_ms = run.flows[0].rtt_ms / 2 + 0.11;
  EXPECT_NEAR(result["link_own_ms"], 2.5 + 0.1 * (8 + 3), 0.01);
  EXPECT_NEAR(result["flows"][0]["owd_mean_ms"], path_ms + result["link_own_ms"].get<double>(),
              0.5);
  EXPECT_EQ(result["flows"][0]["loss"], 0);
}

TEST(Lab, JitterHasItsMeanAndKeepsOrder) {
  RunConfig run = one_flow(60);
  run.flows[0].jitter_ms = 3;
  const Json flow = constant(run, 0.2)["flows"][0];  // a packet every 48 ms: none waits for another
  EXPECT_NEAR(flow["owd_mean_ms"], flow["path_owd_ms"].get<double>() + 3, 0.5);
  EXPECT_EQ(flow["loss"], 0);
}

TEST(Lab, RandomLossHasItsShare) {
  RunConfig run = one_flow(60);
  run.link.loss = 0.05;
  EXPECT_NEAR(constant(run, 2)["flows"][0]["loss"], 0.05, 0.008);
}

TEST(Lab, RouteStepsMoveTheWayThereAlone) {
  RunConfig run = one_flow(30);
  run.link.route_steps = {{.ms = 30, .at_s = 10}, {.ms = -30, .at_s = 20}};
  run.link.reverse_steps = {{.ms = 80, .at_s = 5}};
  run.windows = {{1, 9}, {11, 19}, {21, 29}};
  const Json windows = constant(run, 1)["flows"][0]["windows"];
  const double before = windows[0]["owd_mean_ms"];
  EXPECT_NEAR(windows[1]["owd_mean_ms"], before + 30, 0.1);
  EXPECT_NEAR(windows[2]["owd_mean_ms"], before, 0.1);
}

TEST(Lab, QueuesMarkWhereAskedTo) {
  RunConfig run = one_flow();
  run.link.queue = "fq_codel";
  EXPECT_EQ(constant(run, 5.5)["flows"][0]["counters"]["marks"], 0);
  run.link.marks_ecn = true;
  EXPECT_GT(constant(run, 5.5)["flows"][0]["counters"]["marks"], 10);
}

TEST(Lab, CrossTrafficTakesItsShare) {
  RunConfig run = one_flow();
  run.link.cross_share = 0.3;
  const Json result = constant(run, 10);
  // In a full queue who arrives when decides: about 10.25 to 1.5 of the link.
  EXPECT_NEAR(result["utilisation"], 0.87, 0.06);
}

TEST(Lab, TcpPeerFillsTheLinkAndEnds) {
  RunConfig run = one_flow(30);
  run.peers = {{.kind = PeerKind::kCubic, .start_s = 0, .stop_s = 20}};
  run.windows = {{10, 19}, {25, 30}};
  const Json result = constant(run, 0.1);
  EXPECT_GT(result["peers"][0]["throughput_mbps"], 4.0);
  const Json& flow = result["flows"][0];
  EXPECT_GT(flow["windows"][0]["owd_mean_ms"], flow["path_owd_ms"].get<double>() + 50);
  EXPECT_LT(flow["windows"][1]["owd_max_ms"], flow["path_owd_ms"].get<double>() + 0.1);
  ASSERT_FALSE(flow["settled_after_peer_s"].is_null());
  EXPECT_LT(flow["settled_after_peer_s"], 1.5);
}

TEST(Lab, SameSeedSameFigures) {
  RunConfig run = one_flow(5);
  run.flows.push_back({.rtt_ms = 60});
  run.flows[0].rtt_ms = 10;
  run.flows[1].jitter_ms = 2;
  RunConfig other = run;
  other.seed = 2;
  const auto job = [](const RunConfig& config) {
    return Job{"run", [config] { return run_flows(config); }};
  };
  const auto results = run_jobs({job(run), job(run), job(other)}, 1, Progress::kHidden);
  EXPECT_EQ(results[0].dump(), results[1].dump());
  EXPECT_NE(results[0].dump(), results[2].dump());
}

Json in_its_own_process(const RunConfig& run) {
  return run_jobs({Job{"run", [run] { return run_flows(run); }}}, 1, Progress::kHidden).front();
}

// ns-3's CUBIC comes out of a loss with a window that hardly grows again: it must get its half.
TEST(Lab, AShallowBufferThatFillsAgainAndAgainIsCubics) {
  for (const auto& [startup, seed] : {std::pair{"fbe", 3}, {"classic", 2}}) {
    SCOPED_TRACE(startup);
    RunConfig run = one_flow(130);
    run.seed = static_cast<std::uint64_t>(seed);
    run.link.buffer_bdp = 0.5;
    run.flows[0].startup = startup;
    run.peers = {{.kind = PeerKind::kCubic}};
    run.windows = {{50, 130}};
    const Json result = in_its_own_process(run);
    EXPECT_GT(result["peers"][0]["windows"][0]["throughput_mbps"], 1.8);
    EXPECT_GT(result["flows"][0]["windows"][0]["throughput_mbps"], 1.8);
  }
}

TEST(Lab, FlowsThatFilledAShallowBufferDoNotGoOnFillingIt) {
  RunConfig run = one_flow(60);
  run.link.buffer_bdp = 0.5;
  run.flows = {{.rtt_ms = 10, .startup = "classic"}, {.rtt_ms = 60, .startup = "classic"}};
  const Json result = in_its_own_process(run);
  for (const Json& flow : result["flows"]) {
    EXPECT_FALSE(flow["events"].contains("competition"));
    EXPECT_LT(flow["loss_after_10s"], 1e-4);
  }
}

TEST(Lab, PhonesShareACell) {
  RunConfig run = one_flow(4);
  run.flows.assign(3, {.rtt_ms = 50, .algorithm = "bbr2", .startup = "classic"});
  run.link.lte_phones = 3;
  const Json result =
      run_jobs({{"cell", [run] { return run_flows(run); }}}, 1, Progress::kHidden).front();
  EXPECT_GT(result["jain"], 0.8);
  EXPECT_GT(result["delivered_mbps"], 8);
  for (const Json& flow : result["flows"]) EXPECT_GT(flow["owd_min_ms"], 25) << flow;
}

TEST(Lab, StartupMeasuresAllFourSenders) {
  StartupConfig config;
  config.run.link = {.rate_mbps = 20, .buffer_bdp = 1};
  config.run.flows = {{.rtt_ms = 50}};
  const Json result = run_startup(config);
  ASSERT_EQ(result["senders"].size(), 4U);
  // 512 KB take 210 ms at 20 Mbit/s and half a round trip; none can be faster.
  for (const Json& sender : result["senders"]) {
    ASSERT_FALSE(sender["fct_ms"].is_null()) << sender;
    EXPECT_GT(sender["fct_ms"], 235) << sender;
    EXPECT_LT(sender["fct_ms"], 2000) << sender;
    ASSERT_FALSE(sender["convergence_ms"].is_null()) << sender;
  }
}

// A retransmission that is lost waits a second for its timer; meanwhile the sender fills all of the
// window there is.
TEST(Lab, TcpOutlivesAWindowFilledBehindAHole) {
  StartupConfig config;
  config.run.link = {.rate_mbps = 20, .buffer_bdp = 1};
  config.run.link.grants = {.slot_ms = 10, .harq_share = 0.1, .harq_ms = 8};
  config.run.flows = {{.rtt_ms = 50}};
  config.run.seed = 3;
  config.senders = {"tcpbbr"};
  Json result;
  ASSERT_NO_THROW(result = run_startup(config));
  EXPECT_FALSE(result["senders"][0]["fct_ms"].is_null()) << result;
}

TEST(FlowLog, MakesItsFiguresOfArrivals) {
  FlowLog log;
  for (int i = 0; i < 1000; ++i) log.on_arrival(i * 0.01, i < 950 ? 10 : 20);
  log.on_loss(5, 10);
  EXPECT_NEAR(log.throughput_mbps(0, 10), 0.96, 1e-9);
  EXPECT_NEAR(log.owd(0, 10).mean_ms, 10.5, 1e-6);
  EXPECT_NEAR(log.owd(0, 10).p95_ms, 10, 1e-6);
  EXPECT_NEAR(log.loss(0, 10), 10.0 / 1010, 1e-9);
  EXPECT_EQ(log.lost(6, 10), 0);
  EXPECT_NEAR(*log.arrival_of(100), 0.99, 1e-9);
  EXPECT_FALSE(log.arrival_of(1001).has_value());
}

TEST(FlowLog, SettlesWhereTheDelayStaysDown) {
  FlowLog log;
  for (int i = 0; i < 500; ++i) log.on_arrival(i * 0.01, i < 120 ? 50 : 10);
  EXPECT_NEAR(*log.settled_after_s(0, 5, 20), 1.19, 1e-6);
  EXPECT_FALSE(log.settled_after_s(0, 5, 5).has_value());
}

TEST(FlowLog, FindsTheWorstSpan) {
  FlowLog log;
  for (int i = 0; i < 2000; ++i) {
    if (i < 800 || i >= 1200) log.on_arrival(i * 0.01, 1);
  }
  EXPECT_NEAR(log.worst_mbps(0, 20, 5), 0.96 / 5, 0.02);
}

TEST(Jain, IsOneForEqualSharesAndOneOverNForOne) {
  EXPECT_DOUBLE_EQ(jain({2, 2, 2}), 1);
  EXPECT_DOUBLE_EQ(jain({3, 0, 0}), 1.0 / 3);
}

TEST(OptionValues, ReadWhatTheyShould) {
  const auto peers = read_peers("cubic,bbr:100@5,reno@0-60");
  ASSERT_EQ(peers.size(), 3U);
  EXPECT_EQ(peers[1].kind, PeerKind::kBbr);
  EXPECT_DOUBLE_EQ(*peers[1].rtt_ms, 100);
  EXPECT_DOUBLE_EQ(peers[1].start_s, 5);
  EXPECT_DOUBLE_EQ(*peers[2].stop_s, 60);
  EXPECT_EQ(read_policer("5:100kB")->bucket_bytes, 100000);
  EXPECT_DOUBLE_EQ(read_route("+30@60,-30@120")[1].ms, -30);
  EXPECT_DOUBLE_EQ(read_uplink("slot=2.5,harq=0.1x8")->harq_ms, 8);
  EXPECT_THROW(read_number("--rate", "nan", {0, 1}), OptionError);
}

}  // namespace
}  // namespace farwheel::lab
