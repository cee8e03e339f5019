// Which of a machine's addresses can reach an address of the peer: by the main routing table, the
// only one that libnice's sockets follow (IP_UNICAST_IF). IPv4. Any thread; reads the table anew.
#pragma once

#include <nice/agent.h>

#include <string>
#include <vector>

namespace farwheel {

struct Ipv4Route {
  std::string interface;
  std::uint32_t destination = 0;  // in network order, as the mask
  std::uint32_t mask = 0;
};
// Of the text of /proc/net/route; lines that are no routes are left out.
std::vector<Ipv4Route> read_ipv4_routes(const std::string& text);

// Whether the interface that bears `local` has a route to `remote` that is up.
bool is_routed(const NiceAddress& local, const NiceAddress& remote);

}  // namespace farwheel
