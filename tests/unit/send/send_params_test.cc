#include "send_params.h"

#include <gtest/gtest.h>

#include <string>

#include "send_controller.h"

namespace farwheel {
namespace {

TEST(SendParams, NamesAndValuesGoInAndComeOut) {
  SendParams params;
  EXPECT_EQ(apply_params(" hold_ms = 250 ,, key_patience=2.5,", params), "");
  EXPECT_EQ(params.hold_ms, 250);
  EXPECT_EQ(params.key_patience, 2.5);
  SendParams copy;
  EXPECT_EQ(apply_params(print_params(params), copy), "");
  EXPECT_EQ(print_params(copy), print_params(params));
}

TEST(SendParams, AFaultNamesItselfAndChangesNothing) {
  const std::string before = print_params({});
  for (const char* text : {"hold_ms=abc", "hold_ms", "hold_ms=", "hold_ms=-1", "hold_ms=1e300",
                           "hold_ms=nan", "hold_ms=inf", "hold_ms=100x", "burst_ms=2,hold_ms=0"}) {
    SendParams params;
    EXPECT_NE(apply_params(text, params).find("hold_ms"), std::string::npos) << text;
    EXPECT_EQ(print_params(params), before) << text;
  }
}

TEST(SendParams, TheControllerChangesAllOrNothing) {
  SendController controller({});
  const std::string before = controller.params();
  const std::string fault = controller.set_params("burst_ms=3,no_such_tunable=1");
  EXPECT_NE(fault, "");
  EXPECT_EQ(controller.params(), before);
  EXPECT_EQ(controller.set_params("burst_ms=3"), "");
  EXPECT_NE(controller.params().find("burst_ms=3"), std::string::npos);
  EXPECT_EQ(controller.set_params(""), "");
}

TEST(Events, OneLineEach) {
  const Timestamp when = Timestamp::from_millis(1500);
  EXPECT_EQ(to_string(ControllerEvent{when, StateChanged{BbrState::kStartup, BbrState::kDrain}}),
            "1500000us state startup -> drain");
  EXPECT_EQ(to_string(ControllerEvent{when, FbeEstimated{DataRate::from_mbps(5), 0.875, true}}),
            "1500000us fbe estimate_bps=5000000 confidence_permille=875 accepted");
  EXPECT_EQ(to_string(ControllerEvent{when, FramesDropped{2, 7}}),
            "1500000us dropped feed=2 packets=7");
  EXPECT_EQ(to_string(ControllerEvent{when, KeyFrameWanted{1}}),
            "1500000us key_frame_wanted feed=1");
  EXPECT_EQ(to_string(ControllerEvent{
                when, InflightBoundLowered{DataSize::from_bytes(31000), LimitedBy::kLoss}}),
            "1500000us inflight_hi bytes=31000 why=loss");
  EXPECT_EQ(to_string(ControllerEvent{when, SilenceChanged{true}}), "1500000us silence begins");
}

}  // namespace
}  // namespace farwheel
