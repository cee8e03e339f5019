#include "webrtc/ice_check.h"

#include <stun/stunagent.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "webrtc/sdp_edits.h"

namespace farwheel {
namespace {

constexpr std::size_t kLeastUfrag = 4;
constexpr std::size_t kLeastPassword = 22;
constexpr std::size_t kMostCredential = 256;
// Two fragments of 256 bytes and all other attributes are under 620.
constexpr std::size_t kMostMessage = 1024;
constexpr std::uint32_t kFirstLocalPreference = 40000;
constexpr std::uint32_t kHighestLocalPreference = 65535;

bool is_ice_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/';
}

bool is_credential(std::string_view text, std::size_t least) {
  return text.size() >= least && text.size() <= kMostCredential &&
         std::all_of(text.begin(), text.end(), is_ice_char);
}

bool are_usable(const IceCredentials& credentials) {
  return is_credential(credentials.local_ufrag, kLeastUfrag) &&
         is_credential(credentials.remote_ufrag, kLeastUfrag) &&
         is_credential(credentials.remote_password, kLeastPassword);
}

std::string attribute(const GstSDPMessage* sdp, const char* name) {
  if (!sdp || gst_sdp_message_medias_len(sdp) == 0) return {};
  const char* value = sdp_attribute(sdp, gst_sdp_message_get_media(sdp, 0), name);
  return value ? value : "";
}

}  // namespace

std::optional<IceCredentials> ice_credentials(const GstSDPMessage* local,
                                              const GstSDPMessage* remote) {
  IceCredentials found{attribute(local, "ice-ufrag"), attribute(remote, "ice-ufrag"),
                       attribute(remote, "ice-pwd")};
  if (!are_usable(found)) return std::nullopt;
  return found;
}

std::uint32_t check_priority(std::uint32_t number) {
  const std::uint32_t preference =
      kFirstLocalPreference + std::min(number, kHighestLocalPreference - kFirstLocalPreference);
  return kIceCheckType << 24 | preference << 8 | (256 - kIceComponent);
}

std::vector<std::uint8_t> write_ice_check(const IceCredentials& credentials,
                                          const IceCheck& check) {
  if (!are_usable(credentials)) return {};
  static constexpr std::array<std::uint16_t, 5> kKnown = {
      STUN_ATTRIBUTE_USERNAME, STUN_ATTRIBUTE_PRIORITY, STUN_ATTRIBUTE_USE_CANDIDATE,
      STUN_ATTRIBUTE_ICE_CONTROLLING, 0};
  // It remembers what it sent until the reply comes, which is libnice's to read: one a message.
  StunAgent agent{};
  stun_agent_init(&agent, kKnown.data(), STUN_COMPATIBILITY_RFC5389,
                  static_cast<StunAgentUsageFlags>(STUN_AGENT_USAGE_SHORT_TERM_CREDENTIALS |
                                                   STUN_AGENT_USAGE_USE_FINGERPRINT));
  std::vector<std::uint8_t> bytes(kMostMessage);
  StunMessage message{};
  const std::string username = credentials.remote_ufrag + ":" + credentials.local_ufrag;
  if (!stun_agent_init_request(&agent, &message, bytes.data(), bytes.size(), STUN_BINDING) ||
      stun_message_append_flag(&message, STUN_ATTRIBUTE_USE_CANDIDATE) !=
          STUN_MESSAGE_RETURN_SUCCESS ||
      stun_message_append32(&message, STUN_ATTRIBUTE_PRIORITY, check.priority) !=
          STUN_MESSAGE_RETURN_SUCCESS ||
      stun_message_append64(&message, STUN_ATTRIBUTE_ICE_CONTROLLING, check.tie_breaker) !=
          STUN_MESSAGE_RETURN_SUCCESS ||
      stun_message_append_bytes(&message, STUN_ATTRIBUTE_USERNAME, username.data(),
                                username.size()) != STUN_MESSAGE_RETURN_SUCCESS) {
    return {};
  }
  const auto* key = reinterpret_cast<const std::uint8_t*>(credentials.remote_password.data());
  // It keeps the key's address, and is gone before the key is.
  bytes.resize(
      stun_agent_finish_message(&agent, &message, key, credentials.remote_password.size()));
  return bytes;
}

}  // namespace farwheel
