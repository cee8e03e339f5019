#include "webrtc/ice_route.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

namespace farwheel {
namespace {

constexpr unsigned kRouteUp = 1;        // RTF_UP
constexpr unsigned kRouteReject = 512;  // RTF_REJECT

std::uint32_t ipv4_of(const NiceAddress& address) {
  sockaddr_storage storage{};
  nice_address_copy_to_sockaddr(&address, reinterpret_cast<sockaddr*>(&storage));
  sockaddr_in in{};
  if (storage.ss_family != AF_INET) return 0;
  std::memcpy(&in, &storage, sizeof in);
  return in.sin_addr.s_addr;
}

}  // namespace

std::vector<Ipv4Route> read_ipv4_routes(const std::string& text) {
  std::vector<Ipv4Route> routes;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    Ipv4Route route;
    std::uint32_t gateway = 0;
    unsigned flags = 0;
    unsigned ignored = 0;
    words >> route.interface >> std::hex >> route.destination >> gateway >> flags >> std::dec;
    words >> ignored >> ignored >> route.metric;  // references, uses
    words >> std::hex >> route.mask;
    if (words && (flags & kRouteUp) != 0 && (flags & kRouteReject) == 0) routes.push_back(route);
  }
  return routes;
}

Ipv4Routes::Ipv4Routes() {
  std::ifstream file("/proc/thread-self/net/route");
  std::stringstream text;
  text << file.rdbuf();
  routes_ = read_ipv4_routes(text.str());
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return;
  for (const ifaddrs* each = first; each; each = each->ifa_next) {
    if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET) continue;
    if ((each->ifa_flags & IFF_UP) == 0 || (each->ifa_flags & IFF_LOOPBACK) != 0) continue;
    sockaddr_in in{};
    std::memcpy(&in, each->ifa_addr, sizeof in);
    interfaces_.push_back({in.sin_addr.s_addr, each->ifa_name});
  }
  freeifaddrs(first);
}

const Ipv4Route* Ipv4Routes::find(const Interface& from, std::uint32_t to) const {
  const auto rank = [](const Ipv4Route& route) {
    return std::pair(~ntohl(route.mask), route.metric);
  };
  const Ipv4Route* best = nullptr;
  for (const Ipv4Route& route : routes_) {
    if (route.interface != from.name || (to & route.mask) != route.destination) continue;
    if (!best || rank(route) < rank(*best)) best = &route;
  }
  return best;
}

const Ipv4Route* Ipv4Routes::find(const NiceAddress& local, const NiceAddress& remote) const {
  const std::uint32_t from = ipv4_of(local);
  const std::uint32_t to = ipv4_of(remote);
  if (from == 0 || to == 0) return nullptr;
  for (const Interface& own : interfaces_) {
    if (own.address == from) return find(own, to);
  }
  return nullptr;
}

bool Ipv4Routes::has_other_than(const std::vector<NiceAddress>& known,
                                const NiceAddress& remote) const {
  const std::uint32_t to = ipv4_of(remote);
  return to != 0 && std::any_of(interfaces_.begin(), interfaces_.end(), [&](const Interface& own) {
           const bool is_known =
               std::any_of(known.begin(), known.end(),
                           [&](const NiceAddress& each) { return ipv4_of(each) == own.address; });
           return !is_known && find(own, to);
         });
}

}  // namespace farwheel
