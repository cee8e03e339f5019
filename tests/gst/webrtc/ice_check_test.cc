// The check that a silent path gets, read back by libnice's own STUN.
#include "webrtc/ice_check.h"

#include <gtest/gtest.h>
#include <stun/stunagent.h>

#include <array>
#include <cstring>
#include <memory>

#include "webrtc/sdp_edits.h"

namespace farwheel {
namespace {

const IceCredentials kCredentials{"LoCl", "ReMo+/12", "abcdefghijklmnopqrstuv"};

SdpPtr parse(const std::string& text) {
  GstSDPMessage* raw = nullptr;
  gst_sdp_message_new(&raw);
  SdpPtr sdp(raw);
  const auto* bytes = reinterpret_cast<const guint8*>(text.data());
  EXPECT_EQ(gst_sdp_message_parse_buffer(bytes, static_cast<guint>(text.size()), raw), GST_SDP_OK);
  return sdp;
}

std::string description(const std::string& session_lines, const std::string& media_lines) {
  return "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n" + session_lines +
         "m=video 9 UDP/TLS/RTP/SAVPF 96\r\nc=IN IP4 0.0.0.0\r\n" + media_lines;
}

// The station's view: its password answers for the user name that it expects.
StunValidationStatus validate(std::vector<std::uint8_t>* bytes, const std::string& username,
                              const std::string& password, StunMessage* message) {
  static constexpr std::array<std::uint16_t, 6> kKnown = {
      STUN_ATTRIBUTE_USERNAME,          STUN_ATTRIBUTE_PRIORITY,
      STUN_ATTRIBUTE_USE_CANDIDATE,     STUN_ATTRIBUTE_ICE_CONTROLLING,
      STUN_ATTRIBUTE_MESSAGE_INTEGRITY, 0};
  StunAgent agent{};
  stun_agent_init(&agent, kKnown.data(), STUN_COMPATIBILITY_RFC5389,
                  static_cast<StunAgentUsageFlags>(STUN_AGENT_USAGE_SHORT_TERM_CREDENTIALS |
                                                   STUN_AGENT_USAGE_USE_FINGERPRINT));
  std::string user = username;
  std::string key = password;
  std::array<StunDefaultValidaterData, 2> data{};
  data[0] = {reinterpret_cast<uint8_t*>(user.data()), user.size(),
             reinterpret_cast<uint8_t*>(key.data()), key.size()};
  return stun_agent_validate(&agent, message, bytes->data(), bytes->size(),
                             stun_agent_default_validater, data.data());
}

TEST(IceCheck, IsWhatAControllingAgentSends) {
  auto bytes = write_ice_check(kCredentials, {0x7e9c40ffu, 0x0123456789abcdefu});
  ASSERT_FALSE(bytes.empty());
  StunMessage message{};
  ASSERT_EQ(validate(&bytes, "ReMo+/12:LoCl", kCredentials.remote_password, &message),
            STUN_VALIDATION_SUCCESS);
  EXPECT_EQ(stun_message_get_class(&message), STUN_REQUEST);
  EXPECT_EQ(stun_message_get_method(&message), STUN_BINDING);
  EXPECT_EQ(stun_message_find_flag(&message, STUN_ATTRIBUTE_USE_CANDIDATE),
            STUN_MESSAGE_RETURN_SUCCESS);
  std::uint32_t priority = 0;
  EXPECT_EQ(stun_message_find32(&message, STUN_ATTRIBUTE_PRIORITY, &priority),
            STUN_MESSAGE_RETURN_SUCCESS);
  EXPECT_EQ(priority, 0x7e9c40ffu);
  std::uint64_t tie_breaker = 0;
  EXPECT_EQ(stun_message_find64(&message, STUN_ATTRIBUTE_ICE_CONTROLLING, &tie_breaker),
            STUN_MESSAGE_RETURN_SUCCESS);
  EXPECT_EQ(tie_breaker, 0x0123456789abcdefu);
  EXPECT_EQ(stun_message_length(&message), bytes.size());
}

TEST(IceCheck, AnotherPasswordOrUserIsNotTaken) {
  auto bytes = write_ice_check(kCredentials, {1, 2});
  StunMessage message{};
  EXPECT_EQ(validate(&bytes, "ReMo+/12:LoCl", "abcdefghijklmnopqrstuX", &message),
            STUN_VALIDATION_UNAUTHORIZED);
  EXPECT_EQ(validate(&bytes, "LoCl:ReMo+/12", kCredentials.remote_password, &message),
            STUN_VALIDATION_UNAUTHORIZED);
}

TEST(IceCheck, TransactionsDiffer) {
  EXPECT_NE(write_ice_check(kCredentials, {1, 2}), write_ice_check(kCredentials, {1, 2}));
}

TEST(IceCheck, TheLongestCredentialsFit) {
  const IceCredentials longest{std::string(256, 'a'), std::string(256, 'b'), std::string(256, 'c')};
  auto bytes = write_ice_check(longest, {1, 2});
  StunMessage message{};
  EXPECT_EQ(validate(&bytes, longest.remote_ufrag + ":" + longest.local_ufrag,
                     longest.remote_password, &message),
            STUN_VALIDATION_SUCCESS);
}

TEST(IceCheck, UnusableCredentialsMakeNoMessage) {
  for (const std::string& bad : {std::string(), std::string("abc"), std::string(257, 'a'),
                                 std::string("ab:cdefghijklmnopqrstuvwxyz"),
                                 std::string("abcdefghijklm\0nopqrstuvwxyz", 27)}) {
    IceCredentials credentials = kCredentials;
    credentials.local_ufrag = bad;
    EXPECT_TRUE(write_ice_check(credentials, {1, 2}).empty()) << bad;
    credentials = kCredentials;
    credentials.remote_ufrag = bad;
    EXPECT_TRUE(write_ice_check(credentials, {1, 2}).empty()) << bad;
    credentials = kCredentials;
    credentials.remote_password = bad;
    EXPECT_TRUE(write_ice_check(credentials, {1, 2}).empty()) << bad;
  }
  IceCredentials credentials = kCredentials;
  credentials.remote_password = "abcdefghijklmnopqrstu";
  EXPECT_TRUE(write_ice_check(credentials, {1, 2}).empty()) << "21 characters";
}

TEST(IceCheck, PriorityRisesAndStaysInItsRange) {
  EXPECT_GT(check_priority(0), 0x782001ffu) << "above libnice's host candidates";
  for (std::uint32_t number = 0; number < 25535; ++number) {
    ASSERT_LT(check_priority(number), check_priority(number + 1)) << number;
  }
  EXPECT_EQ(check_priority(25535), check_priority(0xffffffffu));
  EXPECT_LT(check_priority(0xffffffffu), 1u << 31) << "RFC 8445 section 5.1.2";
}

TEST(IceCheck, CredentialsComeFromMediaThenSession) {
  const std::string remote_pwd = "a=ice-pwd:abcdefghijklmnopqrstuv\r\n";
  const SdpPtr local =
      parse(description("", "a=ice-ufrag:LoCl\r\na=ice-pwd:zyxwvutsrqponmlkjihgfe\r\n"));
  const SdpPtr by_media =
      parse(description("a=ice-ufrag:other\r\n", "a=ice-ufrag:ReMo+/12\r\n" + remote_pwd));
  const SdpPtr by_session = parse(description("a=ice-ufrag:ReMo+/12\r\n" + remote_pwd, ""));
  for (const GstSDPMessage* remote : {by_media.get(), by_session.get()}) {
    const auto found = ice_credentials(local.get(), remote);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->local_ufrag, "LoCl");
    EXPECT_EQ(found->remote_ufrag, "ReMo+/12");
    EXPECT_EQ(found->remote_password, "abcdefghijklmnopqrstuv");
  }
}

TEST(IceCheck, MissingOrHostileCredentialsAreNone) {
  const SdpPtr local = parse(description("", "a=ice-ufrag:LoCl\r\n"));
  for (const char* lines :
       {"", "a=ice-ufrag:ReMo\r\n", "a=ice-pwd:abcdefghijklmnopqrstuv\r\n",
        "a=ice-ufrag\r\na=ice-pwd\r\n", "a=ice-ufrag:ReMo\r\na=ice-pwd:short\r\n",
        "a=ice-ufrag:Re:Mo\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\n"}) {
    const SdpPtr remote = parse(description("", lines));
    EXPECT_FALSE(ice_credentials(local.get(), remote.get())) << lines;
  }
  EXPECT_FALSE(ice_credentials(nullptr, local.get()));
  EXPECT_FALSE(ice_credentials(local.get(), nullptr));
}

}  // namespace
}  // namespace farwheel
