#include "webrtc/whip_rules.h"

#include <gio/gio.h>

#include <algorithm>
#include <charconv>

#include "support/gst_ptr.h"

namespace farwheel {
namespace {

constexpr char kTlsHint[] =
    "plain HTTP goes over loopback only; HTTPS comes with the options tls-certificate and "
    "tls-fingerprint in a later version";

using UriPtr = std::unique_ptr<GUri, Deleter<g_uri_unref>>;

UriPtr parse_uri(const std::string& text) {
  return UriPtr(g_uri_parse(text.c_str(), G_URI_FLAGS_NONE, nullptr));
}

std::string check_http(GUri* uri, const std::string& text) {
  const std::string_view scheme = g_uri_get_scheme(uri);
  if (scheme != "http") {
    return "'" + text + "' is not an http:// address: " + kTlsHint;
  }
  const char* host = g_uri_get_host(uri);
  if (!host || !*host) return "'" + text + "' names no host: write http://127.0.0.1:8080";
  if (!is_loopback_host(host)) {
    return "'" + text + "' is not on this machine's loopback: " + kTlsHint;
  }
  return {};
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (host == "localhost") return true;
  const std::string text(host);
  GObjectPtr<GInetAddress> address(g_inet_address_new_from_string(text.c_str()));
  return address && g_inet_address_get_is_loopback(address.get());
}

bool is_vehicle_id(std::string_view id) {
  if (id.empty() || id.size() > 64 || id.front() == '.') return false;
  return std::all_of(id.begin(), id.end(),
                     [](char c) { return g_ascii_isalnum(c) || c == '.' || c == '_' || c == '-'; });
}

UrlResult whip_endpoint_url(std::string_view base, std::string_view vehicle_id) {
  std::string text(base);
  UriPtr uri = parse_uri(text);
  if (!uri) return {{}, "'" + text + "' is no URL: write http://127.0.0.1:8080"};
  if (std::string error = check_http(uri.get(), text); !error.empty()) return {{}, error};
  if (g_uri_get_query(uri.get()) || g_uri_get_fragment(uri.get())) {
    return {{}, "'" + text + "' has a query or fragment; a WHIP endpoint has none"};
  }
  while (text.ends_with('/')) text.pop_back();
  const std::string path = g_uri_get_path(uri.get());
  const std::size_t at = path.rfind("/whip/");
  if (at != std::string::npos && path.size() > at + 6) return {text, {}};
  if (!is_vehicle_id(vehicle_id)) {
    return {{},
            "vehicle-id '" + std::string(vehicle_id) +
                "' must be 1 to 64 letters, digits, '.', '_' or '-'"};
  }
  if (text.ends_with("/whip")) text.resize(text.size() - 5);
  return {text + "/whip/" + std::string(vehicle_id), {}};
}

UrlResult resolve_location(const std::string& request_url, const std::string& location) {
  GErrorPtr error;
  GError* raw = nullptr;
  GCharPtr resolved(
      g_uri_resolve_relative(request_url.c_str(), location.c_str(), G_URI_FLAGS_NONE, &raw));
  error.reset(raw);
  if (!resolved) return {{}, "the server's Location '" + location + "' is no URL"};
  const std::string text = resolved.get();
  UriPtr uri = parse_uri(text);
  if (!uri) return {{}, "the server's Location '" + location + "' is no URL"};
  if (std::string problem = check_http(uri.get(), text); !problem.empty()) return {{}, problem};
  return {text, {}};
}

ListenResult parse_listen(std::string_view text) {
  const std::string shown(text);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return {{}, "listen '" + shown + "' has no port: write 127.0.0.1:8080"};
  }
  std::string_view host = text.substr(0, colon);
  const std::string_view port_text = text.substr(colon + 1);
  unsigned port = 0;
  const auto [end, status] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  if (status != std::errc() || end != port_text.data() + port_text.size() || port > 65535) {
    return {{}, "listen '" + shown + "' has no port from 0 to 65535: write 127.0.0.1:8080"};
  }
  if (!is_loopback_host(host)) {
    return {{}, "listen '" + shown + "' is not a loopback address: " + kTlsHint};
  }
  if (host.front() == '[') host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  return {{std::string(host), static_cast<std::uint16_t>(port)}, {}};
}

std::optional<WhipPath> parse_whip_path(std::string_view path) {
  constexpr std::string_view kPrefix = "/whip/";
  if (!path.starts_with(kPrefix)) return std::nullopt;
  path.remove_prefix(kPrefix.size());
  if (path.ends_with('/')) path.remove_suffix(1);
  WhipPath result;
  const std::size_t slash = path.find('/');
  result.vehicle_id = path.substr(0, slash);
  if (!is_vehicle_id(result.vehicle_id)) return std::nullopt;
  if (slash != std::string_view::npos) {
    result.session = path.substr(slash + 1);
    if (!is_vehicle_id(result.session)) return std::nullopt;
  }
  return result;
}

bool links_radar(std::string_view link_header) {
  const std::string quoted = std::string("rel=\"") + kRadarLinkRel + "\"";
  return link_header.find(quoted) != std::string_view::npos;
}

bool bearer_matches(std::string_view authorization, std::string_view token) {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() < kScheme.size() ||
      g_ascii_strncasecmp(authorization.data(), kScheme.data(), kScheme.size()) != 0) {
    return false;
  }
  authorization.remove_prefix(kScheme.size());
  unsigned difference = authorization.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < authorization.size(); ++i) {
    const char other = token.empty() ? '\0' : token[i % token.size()];
    difference |= static_cast<unsigned char>(authorization[i]) ^ static_cast<unsigned char>(other);
  }
  return difference == 0 && !token.empty();
}

}  // namespace farwheel
