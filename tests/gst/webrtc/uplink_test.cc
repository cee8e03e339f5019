// When to change to another uplink, which there are, and what the station is told.
#include <arpa/inet.h>
#include <gtest/gtest.h>

#include "webrtc/ice_route.h"
#include "webrtc/telemetry.h"
#include "webrtc/uplink_choice.h"
#include "webrtc/uplink_plan.h"

namespace farwheel {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

TEST(UplinkChoice, StaysWhileTheStationIsHeard) {
  UplinkChoice choice;
  for (std::uint64_t now = 1000; now < 5000; now += 25) {
    EXPECT_FALSE(choice.next(now * kMs, (now - 299) * kMs, 0, 2)) << now;
  }
}

TEST(UplinkChoice, ChangesAfter300MsAndStaysWithWhatAnswers) {
  UplinkChoice choice;
  EXPECT_FALSE(choice.next(1299 * kMs, 1000 * kMs, 0, 2));
  EXPECT_EQ(choice.next(1300 * kMs, 1000 * kMs, 0, 2), 1u);
  EXPECT_FALSE(choice.next(1325 * kMs, 1000 * kMs, 1, 2));
  for (std::uint64_t now = 1400; now < 70000; now += 25) {
    EXPECT_FALSE(choice.next(now * kMs, (now - 30) * kMs, 1, 2)) << "back, at " << now;
  }
}

TEST(UplinkChoice, WhileNoneAnswersEachHasItsTimeWhichGrows) {
  UplinkChoice choice;
  std::vector<std::uint64_t> changes;
  std::size_t current = 0;
  for (std::uint64_t now = 1000; now <= 6000; now += 25) {
    if (const auto next = choice.next(now * kMs, 1000 * kMs, current, 3)) {
      EXPECT_EQ(*next, (current + 1) % 3);
      current = *next;
      changes.push_back(now);
    }
  }
  EXPECT_EQ(changes, (std::vector<std::uint64_t>{1300, 1900, 3100, 4300, 5500}));
}

TEST(UplinkChoice, AFreshSilenceIsAsShortAsTheFirst) {
  UplinkChoice choice;
  for (std::uint64_t now = 1000; now <= 6000; now += 25) {
    (void)choice.next(now * kMs, 1000 * kMs, 0, 2);
  }
  EXPECT_FALSE(choice.next(10299 * kMs, 10000 * kMs, 1, 2));
  EXPECT_EQ(choice.next(10300 * kMs, 10000 * kMs, 1, 2), 0u);
}

TEST(UplinkChoice, OneUplinkIsNoChoice) {
  UplinkChoice choice;
  EXPECT_FALSE(choice.next(9000 * kMs, 1000 * kMs, 0, 1));
  EXPECT_FALSE(choice.next(9000 * kMs, 1000 * kMs, 0, 0));
}

using Uplinks = std::vector<UplinkPlan::Uplink>;

TEST(UplinkPlan, StaysWhileNothingChanges) {
  UplinkPlan plan;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(plan.next(Uplinks{{"wwan0", 100}, {"wwan1", 200}}, 0));
    // Silence chose the one that the kernel likes less: that stands.
    EXPECT_FALSE(plan.next(Uplinks{{"wwan0", 100}, {"wwan1", 200}}, 1));
  }
}

TEST(UplinkPlan, LeavesOneThatGotWorseForABetterOne) {
  UplinkPlan plan;
  EXPECT_FALSE(plan.next(Uplinks{{"wwan0", 100}, {"wwan1", 200}}, 0));
  EXPECT_EQ(plan.next(Uplinks{{"wwan0", 600}, {"wwan1", 200}}, 0), 1u);
  EXPECT_FALSE(plan.next(Uplinks{{"wwan0", 600}, {"wwan1", 200}}, 1));
  EXPECT_EQ(plan.next(Uplinks{{"wwan0", 50}, {"wwan1", 200}}, 1), 0u);
}

TEST(UplinkPlan, LeavesOneThatIsGone) {
  UplinkPlan plan;
  EXPECT_FALSE(plan.next(Uplinks{{"wwan0", 100}, {"wwan1", 300}, {"wwan2", 200}}, 0));
  EXPECT_EQ(plan.next(Uplinks{{"wwan1", 300}, {"wwan2", 200}}, std::nullopt), 1u);
  // Back again: it has not proved itself.
  EXPECT_FALSE(plan.next(Uplinks{{"wwan0", 100}, {"wwan1", 300}, {"wwan2", 200}}, 2));
  EXPECT_FALSE(plan.next({}, std::nullopt));
}

TEST(UplinkPlan, AWishCountsOnce) {
  UplinkPlan plan;
  const Uplinks uplinks{{"wwan0", 100}, {"wwan1", 200}};
  EXPECT_FALSE(plan.next(uplinks, 0));
  plan.want("wwan1");
  EXPECT_EQ(plan.next(uplinks, 0), 1u);
  EXPECT_FALSE(plan.next(uplinks, 1));
  // Silence drove it away.
  EXPECT_FALSE(plan.next(uplinks, 0));
  plan.want("nothing0");
  EXPECT_FALSE(plan.next(uplinks, 0));
  plan.want("");
  EXPECT_FALSE(plan.next(uplinks, 1));
}

TEST(IceRoute, ReadsTheKernelsTable) {
  const auto routes = read_ipv4_routes(
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
      "wwan0\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
      "eth0\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
      "down0\t0000A8C0\t00000000\t0000\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
      "deny\t0000A8C0\t00000000\t0201\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
      "short\t0000A8C0\n\nx y z\n");
  ASSERT_EQ(routes.size(), 2u);
  EXPECT_EQ(routes[0].interface, "wwan0");
  EXPECT_EQ(routes[0].mask, 0u);
  EXPECT_EQ(routes[0].metric, 100u);
  EXPECT_EQ(routes[1].interface, "eth0");
  EXPECT_EQ(routes[1].destination, inet_addr("192.168.0.0"));
  EXPECT_EQ(routes[1].mask, inet_addr("255.255.255.0"));
  EXPECT_TRUE(read_ipv4_routes("").empty());
}

TEST(PathMessage, IsReadAsItWasWritten) {
  const Message message = read_message(write_message(PathMessage{"10.90.1.1", 50123, 0x7e9c40ff}));
  const auto* path = std::get_if<PathMessage>(&message);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->address, "10.90.1.1");
  EXPECT_EQ(path->port, 50123);
  EXPECT_EQ(path->priority, 0x7e9c40ffu);
}

TEST(PathMessage, OtherShapesAreNone) {
  for (const std::string text :
       {R"({"type":"path"})", R"({"type":"path","v":2,"address":"a","port":1,"priority":1})",
        R"({"type":"path","v":1,"address":7,"port":1,"priority":1})",
        R"({"type":"path","v":1,"address":"","port":1,"priority":1})",
        R"({"type":"path","v":1,"address":"a","port":0,"priority":1})",
        R"({"type":"path","v":1,"address":"a","port":65536,"priority":1})",
        R"({"type":"path","v":1,"address":"a","port":1,"priority":-1})",
        R"({"type":"path","v":1,"address":"a","port":1,"priority":4294967296})",
        R"({"type":"path","v":1,"address":"a","port":"1","priority":1})"}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(read_message(text))) << text;
  }
  const std::string longer(65, '1');
  const std::string text =
      R"({"type":"path","v":1,"address":")" + longer + R"(","port":1,"priority":1})";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read_message(text)));
}

}  // namespace
}  // namespace farwheel
