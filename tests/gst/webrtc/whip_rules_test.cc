#include "webrtc/whip_rules.h"

#include <gtest/gtest.h>

#include "webrtc/session_slot.h"

namespace farwheel {
namespace {

TEST(WhipEndpoint, AddsThePathToABase) {
  for (const char* base : {"http://127.0.0.1:8080", "http://127.0.0.1:8080/",
                           "http://127.0.0.1:8080/whip", "http://127.0.0.1:8080/whip/"}) {
    const UrlResult result = whip_endpoint_url(base, "car-7");
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.url, "http://127.0.0.1:8080/whip/car-7") << base;
  }
  EXPECT_EQ(whip_endpoint_url("http://[::1]:80/a", "b").url, "http://[::1]:80/a/whip/b");
  EXPECT_EQ(whip_endpoint_url("http://localhost:1", "b").url, "http://localhost:1/whip/b");
}

TEST(WhipEndpoint, TakesAWholeOneAsItIs) {
  EXPECT_EQ(whip_endpoint_url("http://127.0.0.1:8080/whip/other", "car-7").url,
            "http://127.0.0.1:8080/whip/other");
}

TEST(WhipEndpoint, PlainHttpStaysOnLoopback) {
  for (const char* bad :
       {"http://10.0.0.1:8080", "http://example.org", "https://127.0.0.1", "http://[2001:db8::1]/",
        "http://127.0.0.1.example.org/", "http://localhost.example.org", "http://0.0.0.0:8080",
        "ftp://127.0.0.1", "http://user@10.0.0.1@127.0.0.1.evil/"}) {
    const UrlResult result = whip_endpoint_url(bad, "car-7");
    EXPECT_EQ(result.url, "") << bad;
    EXPECT_NE(result.error, "") << bad;
  }
  EXPECT_NE(whip_endpoint_url("http://10.0.0.1:8080", "x").error.find("tls-"), std::string::npos);
  for (const char* bad : {"", "127.0.0.1:8080", "http://", "http:///x", "http://127.0.0.1/?a=b"}) {
    EXPECT_NE(whip_endpoint_url(bad, "x").error, "") << bad;
  }
}

TEST(WhipEndpoint, ChecksTheVehicleId) {
  for (const char* bad : {"", "a/b", "..", ".a", "a b", "\xc3\xa4"}) {
    EXPECT_NE(whip_endpoint_url("http://127.0.0.1", bad).error, "") << bad;
  }
  EXPECT_FALSE(is_vehicle_id(std::string(65, 'a')));
  EXPECT_TRUE(is_vehicle_id(std::string(64, 'a')));
}

TEST(WhipLocation, ResolvesAndStaysOnLoopback) {
  const std::string request = "http://127.0.0.1:8080/whip/a";
  EXPECT_EQ(resolve_location(request, "/whip/a/1").url, "http://127.0.0.1:8080/whip/a/1");
  EXPECT_EQ(resolve_location(request, "http://127.0.0.1:9/x").url, "http://127.0.0.1:9/x");
  EXPECT_EQ(resolve_location(request, "http://evil.example/x").url, "");
  EXPECT_EQ(resolve_location(request, "//evil.example/x").url, "");
  EXPECT_EQ(resolve_location(request, "file:///etc/passwd").url, "");
}

TEST(WhipListen, OnlyLoopback) {
  const ListenResult plain = parse_listen("127.0.0.1:8080");
  EXPECT_EQ(plain.error, "");
  EXPECT_EQ(plain.address.host, "127.0.0.1");
  EXPECT_EQ(plain.address.port, 8080);
  EXPECT_EQ(parse_listen("[::1]:0").address.host, "::1");
  EXPECT_EQ(parse_listen("localhost:1").address.host, "127.0.0.1");
  for (const char* bad : {"0.0.0.0:8080", "192.168.1.2:80", "[::]:80", "127.0.0.1", "127.0.0.1:",
                          "127.0.0.1:70000", "127.0.0.1:8o", "", ":", ":80", "127.0.0.1:-1"}) {
    EXPECT_NE(parse_listen(bad).error, "") << bad;
  }
  EXPECT_NE(parse_listen("0.0.0.0:8080").error.find("tls-"), std::string::npos);
}

TEST(WhipPath, TakesEndpointAndSession) {
  EXPECT_EQ(parse_whip_path("/whip/a")->vehicle_id, "a");
  EXPECT_EQ(parse_whip_path("/whip/a/")->session, "");
  EXPECT_EQ(parse_whip_path("/whip/a/b-1")->session, "b-1");
  for (const char* bad : {"/", "/whip", "/whip/", "/whip//a", "/whip/a/b/c", "/whip/../a",
                          "/whip/a/..", "/other/a", "whip/a"}) {
    EXPECT_FALSE(parse_whip_path(bad)) << bad;
  }
}

TEST(WhipHeaders, LinkAndBearer) {
  EXPECT_TRUE(
      links_radar("<http://127.0.0.1/whip/a>; "
                  "rel=\"urn:ietf:params:whip:ext:farwheel:radar-klv\"; version=\"1\""));
  EXPECT_FALSE(links_radar("<http://127.0.0.1/>; rel=\"ice-server\""));
  EXPECT_FALSE(links_radar(""));
  EXPECT_TRUE(bearer_matches("Bearer s3cret", "s3cret"));
  EXPECT_TRUE(bearer_matches("bearer s3cret", "s3cret"));
  for (const char* bad : {"", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3cret2", "Basic s3cret",
                          "Bearer S3cret", "s3cret"}) {
    EXPECT_FALSE(bearer_matches(bad, "s3cret")) << bad;
  }
  EXPECT_FALSE(bearer_matches("Bearer ", ""));
}

constexpr std::uint64_t kMs = 1'000'000;

TEST(SessionSlot, LiveMediaKeepsTheSlot) {
  EXPECT_FALSE(may_take_over({10'000 * kMs, 1, 9'900 * kMs}));
  EXPECT_TRUE(may_take_over({10'000 * kMs, 1, 9'600 * kMs}));
}

TEST(SessionSlot, ConnectingKeepsItForAWhile) {
  EXPECT_FALSE(may_take_over({10'000 * kMs, 9'000 * kMs, 0}));
  EXPECT_TRUE(may_take_over({10'600 * kMs, 9'000 * kMs, 0}));
}

TEST(SessionSlot, HealthByAge) {
  EXPECT_EQ(health_of({10'000 * kMs, 0, 0}), SessionHealth::kConnecting);
  EXPECT_EQ(health_of({10'000 * kMs, 9'900 * kMs, 0}), SessionHealth::kConnected);
  EXPECT_EQ(health_of({10'000 * kMs, 1 * kMs, 9'800 * kMs}), SessionHealth::kConnected);
  EXPECT_EQ(health_of({10'000 * kMs, 1 * kMs, 9'600 * kMs}), SessionHealth::kStale);
  EXPECT_EQ(health_of({10'000 * kMs, 1 * kMs, 6'000 * kMs}), SessionHealth::kLost);
}

}  // namespace
}  // namespace farwheel
