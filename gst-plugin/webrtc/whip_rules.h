// Rules about WHIP addresses (RFC 9725): which endpoint a property names, whom plain HTTP may talk
// to, what a path means. No I/O; text from the network is hostile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace farwheel {

// Rel of the Link header by which a station says that it understands our radar m-section.
inline constexpr char kRadarLinkRel[] = "urn:ietf:params:whip:ext:farwheel:radar-klv";
inline constexpr std::size_t kMaxWhipBody = 64 * 1024;

// Either `url`, or in `error` what is wrong with which text and what to do.
struct UrlResult {
  std::string url;
  std::string error;
};

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;  // 0: any free one
};
struct ListenResult {
  ListenAddress address;
  std::string error;
};

struct WhipPath {
  std::string vehicle_id;
  std::string session;  // empty: the endpoint itself
};

// localhost, 127.0.0.0/8 or ::1, with or without brackets.
bool is_loopback_host(std::string_view host);
// 1 to 64 characters of A-Z a-z 0-9 . _ - and no dot in front.
bool is_vehicle_id(std::string_view id);
// `base` plus /whip/<vehicle-id>; a base that has /whip/<something> already is taken as it is.
UrlResult whip_endpoint_url(std::string_view base, std::string_view vehicle_id);
// A Location header seen at `request_url`; plain HTTP may not lead away from loopback.
UrlResult resolve_location(const std::string& request_url, const std::string& location);
// "host:port", "[::1]:port"; only loopback while there is no TLS.
ListenResult parse_listen(std::string_view text);
// /whip/<id> and /whip/<id>/<session>.
std::optional<WhipPath> parse_whip_path(std::string_view path);
// Whether one of a Link header's links has our radar's rel.
bool links_radar(std::string_view link_header);
// "Bearer <token>" compared without telling by time how much was right.
bool bearer_matches(std::string_view authorization, std::string_view token);

}  // namespace farwheel
