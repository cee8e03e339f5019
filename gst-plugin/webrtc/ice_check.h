// A STUN binding request as an ICE agent sends it to check a pair (RFC 8445 section 7.1, RFC 8489),
// for a path that has to be checked at once: libnice has no call for that. Pure; any thread.
#pragma once

#include <gst/sdp/sdp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace farwheel {

// A bundle has one stream with one component.
inline constexpr unsigned kIceStream = 1;
inline constexpr unsigned kIceComponent = 1;
// Type preference of our checks' priority, which no candidate has by itself.
inline constexpr std::uint32_t kIceCheckType = 126;

struct IceCredentials {
  std::string local_ufrag;
  std::string remote_ufrag;
  std::string remote_password;
};

// Of the first media section of each side (a bundle has one transport), else of the session part.
// None where one is missing or not as RFC 8839 section 5.4 wants it.
std::optional<IceCredentials> ice_credentials(const GstSDPMessage* local,
                                              const GstSDPMessage* remote);

// PRIORITY of check number `number` of a session. Above that of any candidate, and higher each
// time: the controlled side of libnice changes its pair for a higher priority only.
std::uint32_t check_priority(std::uint32_t number);

struct IceCheck {
  std::uint32_t priority = 0;
  std::uint64_t tie_breaker = 0;
};
// The controlling side's request with USE-CANDIDATE, ready to be sent. Empty: the credentials
// cannot be used.
std::vector<std::uint8_t> write_ice_check(const IceCredentials& credentials, const IceCheck& check);

}  // namespace farwheel
