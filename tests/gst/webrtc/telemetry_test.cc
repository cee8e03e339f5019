#include "webrtc/telemetry.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace farwheel {
namespace {

GstStructurePtr some_stats() {
  GstStructurePtr stats(gst_structure_new(
      "application/x-rtpbbrcc-stats", "algorithm", G_TYPE_STRING, "adaptive-bbr2", "state",
      G_TYPE_STRING, "probe_bw_cruise", "target-bps", G_TYPE_UINT64, G_GUINT64_CONSTANT(4400000),
      "rtt-ms", G_TYPE_DOUBLE, 58.25, "silent", G_TYPE_BOOLEAN, FALSE, "owd-raw-p50-ns",
      G_TYPE_INT64, G_GINT64_CONSTANT(-3364572054923), nullptr));
  GValue list = G_VALUE_INIT;
  g_value_init(&list, GST_TYPE_ARRAY);
  GValue feed = G_VALUE_INIT;
  g_value_init(&feed, GST_TYPE_STRUCTURE);
  g_value_take_boxed(&feed, gst_structure_new("feed", "ssrc", G_TYPE_UINT, 4000000000u, "name",
                                              G_TYPE_STRING, "video_0", "units-sent", G_TYPE_UINT64,
                                              G_GUINT64_CONSTANT(12), nullptr));
  gst_value_array_append_and_take_value(&list, &feed);
  gst_structure_take_value(stats.get(), "feeds", &list);
  return stats;
}

TEST(Telemetry, StateGoesThereAndBack) {
  const GstStructurePtr stats = some_stats();
  const std::string text = write_state({"car-7", 123, 456}, stats.get());
  const Message message = read_message(text);
  const auto* state = std::get_if<StateMessage>(&message);
  ASSERT_TRUE(state) << text;
  EXPECT_EQ(state->vehicle, "car-7");
  EXPECT_EQ(state->mono_ns, 123);
  EXPECT_EQ(state->real_ns, 456);
  const GstStructure* controller = state->controller.get();
  EXPECT_STREQ(gst_structure_get_name(controller), "controller");
  EXPECT_STREQ(gst_structure_get_string(controller, "state"), "probe_bw_cruise");
  guint64 target = 0;
  EXPECT_TRUE(gst_structure_get_uint64(controller, "target-bps", &target));
  EXPECT_EQ(target, 4400000u);
  double rtt = 0;
  EXPECT_TRUE(gst_structure_get_double(controller, "rtt-ms", &rtt));
  EXPECT_EQ(rtt, 58.25);
  gint64 raw = 0;
  EXPECT_TRUE(gst_structure_get_int64(controller, "owd-raw-p50-ns", &raw));
  EXPECT_EQ(raw, -3364572054923);
  const GValue* feeds = gst_structure_get_value(controller, "feeds");
  ASSERT_TRUE(feeds);
  ASSERT_EQ(gst_value_array_get_size(feeds), 1u);
  const GstStructure* feed = gst_value_get_structure(gst_value_array_get_value(feeds, 0));
  guint ssrc = 0;
  EXPECT_TRUE(gst_structure_get_uint(feed, "ssrc", &ssrc));
  EXPECT_EQ(ssrc, 4000000000u);
}

TEST(Telemetry, WritesWhatTheDocumentSays) {
  const GstStructurePtr stats = some_stats();
  const auto json = nlohmann::json::parse(write_state({"car-7", 123, 456}, stats.get()));
  EXPECT_EQ(json["type"], "state");
  EXPECT_EQ(json["v"], 1);
  EXPECT_EQ(json["target_bps"], 4400000);
  EXPECT_EQ(json["feeds"][0]["units_sent"], 12);
  EXPECT_TRUE(nlohmann::json::parse(write_state({"a", 1, 2}, nullptr)).contains("mono_ns"));
}

TEST(Telemetry, PingAndPongGoThereAndBack) {
  const Message ping = read_message(write_message(PingMessage{7, 99}));
  ASSERT_TRUE(std::holds_alternative<PingMessage>(ping));
  EXPECT_EQ(std::get<PingMessage>(ping).id, 7u);
  EXPECT_EQ(std::get<PingMessage>(ping).t1, 99);
  const Message pong = read_message(write_message(PongMessage{7, 99, 3, 4, 5}));
  ASSERT_TRUE(std::holds_alternative<PongMessage>(pong));
  EXPECT_EQ(std::get<PongMessage>(pong).real_ns, 5);
}

TEST(Telemetry, TakesNothingThatIsNotOurs) {
  for (const char* bad :
       {"",
        "x",
        "null",
        "[]",
        "{}",
        "1",
        "{\"type\":1}",
        "{\"type\":\"ping\"}",
        "{\"type\":\"ping\",\"id\":-1,\"t1\":1}",
        "{\"type\":\"ping\",\"id\":1.5,\"t1\":1}",
        "{\"type\":\"ping\",\"id\":1,\"t1\":1e300}",
        "{\"type\":\"ping\",\"id\":99999999999999999999,\"t1\":1}",
        "{\"type\":\"pong\",\"id\":1,\"t1\":1}",
        "{\"type\":\"state\"}",
        "{\"type\":\"state\",\"v\":2,\"vehicle\":\"a\",\"mono_ns\":1,\"real_ns\":1}",
        "{\"type\":\"state\",\"v\":1,\"vehicle\":7,\"mono_ns\":1,\"real_ns\":1}",
        "{\"type\":\"state\",\"v\":1,\"vehicle\":\"\\u0000\",\"mono_ns\":1,\"real_ns\":1}",
        "{\"type\":\"ping\",\"id\":1,\"t1\":1",
        "\xff\xfe",
        "{\"type\":\"\xff\"}"}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(read_message(bad))) << bad;
  }
}

TEST(Telemetry, WrongTypesAreLeftOut) {
  const Message message = read_message(
      "{\"type\":\"state\",\"v\":1,\"vehicle\":\"a\",\"mono_ns\":1,\"real_ns\":1,"
      "\"rtt_ms\":\"fast\",\"target_bps\":-5,\"silent\":1,\"state\":[1],\"loss\":null,"
      "\"algorithm\":\"<b>\\n</b>\",\"feeds\":{\"a\":1},\"evil\":1,\"min_rtt_ms\":3}");
  const auto* state = std::get_if<StateMessage>(&message);
  ASSERT_TRUE(state);
  EXPECT_EQ(gst_structure_n_fields(state->controller.get()), 1);
  EXPECT_TRUE(gst_structure_has_field(state->controller.get(), "min-rtt-ms"));
}

TEST(Telemetry, BoundsSizeDepthAndFeeds) {
  EXPECT_TRUE(std::holds_alternative<std::monostate>(
      read_message("{\"type\":\"ping\",\"id\":1,\"t1\":1}" + std::string(kMaxMessageBytes, ' '))));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(
      read_message(std::string(8000, '[') + std::string(8000, ']'))));
  std::string many = "{\"type\":\"state\",\"v\":1,\"vehicle\":\"a\",\"mono_ns\":1,\"real_ns\":1,";
  many += "\"feeds\":[{}";
  for (int i = 0; i < 40; ++i) many += ",{}";
  const Message message = read_message(many + "]}");
  ASSERT_TRUE(std::holds_alternative<StateMessage>(message));
  EXPECT_FALSE(gst_structure_has_field(std::get<StateMessage>(message).controller.get(), "feeds"));
}

TEST(Telemetry, MangledMessagesNeverHurt) {
  const GstStructurePtr stats = some_stats();
  const std::string good = write_state({"car-7", 123, 456}, stats.get());
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    std::string bad = good;
    for (auto n = 1 + random() % 4; n > 0; --n) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    (void)read_message(bad);
  }
}

}  // namespace
}  // namespace farwheel
