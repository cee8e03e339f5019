// Parameter sets by name, and the tunables whose values are words.
#include <gtest/gtest.h>

#include "bbr/bbr_params.h"
#include "bbr/bbr_sender.h"
#include "send_controller.h"

namespace farwheel {
namespace {

ControllerConfig config_of(Algorithm algorithm) {
  ControllerConfig config;
  config.algorithm = algorithm;
  return config;
}

bool has(const std::string& params, const std::string& pair) {
  return ("," + params + ",").find("," + pair + ",") != std::string::npos;
}

TEST(ParamSets, ABareNameTakesTheWholeFrameAndLaterPairsWin) {
  BbrParams params;
  ASSERT_EQ(params.set("quiche2019,probe_down_gain=0.8"), "");
  EXPECT_DOUBLE_EQ(params.startup_pacing_gain, 2.885);
  EXPECT_DOUBLE_EQ(params.drain_rounds, 0);
  EXPECT_DOUBLE_EQ(params.probe_down_gain, 0.8);
  EXPECT_EQ(params.min_rtt_rule, MinRttRule::kOverwrite);
  ASSERT_EQ(params.set("draft"), "");
  EXPECT_EQ(params.to_string(), BbrParams().to_string());
}

TEST(ParamSets, LeaveWhatIsNotTheFrames) {
  BbrParams params;
  ASSERT_EQ(params.set("media_share=0.9,quiche2019"), "");
  EXPECT_DOUBLE_EQ(params.media_share, 0.9);
}

TEST(ParamSets, WordsAreKnownAndPrintedAndOthersNamed) {
  BbrParams params;
  ASSERT_EQ(params.set("paper_max_rtt=lifetime,paper_threshold=up,paper_inflight=delivered"), "");
  EXPECT_EQ(params.paper_max_rtt, MaxRttLife::kLifetime);
  EXPECT_TRUE(has(params.to_string(), "paper_threshold=up"));
  const std::string fault = params.set("paper_max_rtt=always");
  EXPECT_NE(fault.find("window, lifetime, after_startup"), std::string::npos) << fault;
  EXPECT_NE(params.set("paper_max_rtt="), "");
  EXPECT_NE(params.set("paper_max_rtt"), "");
  EXPECT_NE(params.set("quiche2020"), "");
  BbrParams copy;
  EXPECT_EQ(copy.set(params.to_string()), "");
  EXPECT_EQ(copy.to_string(), params.to_string());
}

// The paper stands on quiche2019 unless a set is named; a tunable set by hand stays.
TEST(ParamSets, ThePapersModeStandsOnQuiche2019) {
  BbrSender sender(config_of(Algorithm::kAdaptiveBbr2Paper));
  EXPECT_TRUE(has(sender.params(), "min_rtt_rule=overwrite"));
  EXPECT_EQ(sender.set_params("beta=0.8,drain_rounds=5"), "");
  sender.set_algorithm(Timestamp::from_seconds(1), Algorithm::kBbr2);
  EXPECT_TRUE(has(sender.params(), "min_rtt_rule=draft"));
  EXPECT_TRUE(has(sender.params(), "beta=0.8"));
  EXPECT_TRUE(has(sender.params(), "drain_rounds=5"));

  BbrSender named(config_of(Algorithm::kAdaptiveBbr2Paper));
  EXPECT_EQ(named.set_params("draft"), "");
  named.set_algorithm(Timestamp::from_seconds(1), Algorithm::kAdaptiveBbr2Paper);
  EXPECT_TRUE(has(named.params(), "min_rtt_rule=draft"));
  named.set_algorithm(Timestamp::from_seconds(1), Algorithm::kBbr2);
  EXPECT_EQ(named.set_params("quiche2019"), "");
  named.set_algorithm(Timestamp::from_seconds(1), Algorithm::kAdaptiveBbr2);
  EXPECT_TRUE(has(named.params(), "min_rtt_rule=overwrite"));
}

// As `--params quiche2019` and the element's property give it.
TEST(ParamSets, ReachTheFrameThroughTheController) {
  SendController controller(config_of(Algorithm::kBbr2));
  EXPECT_EQ(controller.set_params("quiche2019,burst_ms=3"), "");
  EXPECT_TRUE(has(controller.params(), "startup_cwnd_gain=2.885"));
}

}  // namespace
}  // namespace farwheel
