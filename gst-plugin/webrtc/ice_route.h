// Which of a machine's addresses can reach an address of the peer: by the main routing table, the
// only one that libnice's sockets follow (IP_UNICAST_IF). IPv4.
#pragma once

#include <nice/agent.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace farwheel {

struct Ipv4Route {
  std::string interface;
  std::uint32_t destination = 0;  // in network order, as the mask
  std::uint32_t mask = 0;
  std::uint32_t metric = 0;
};
// Of the text of /proc/net/route; lines that are no routes are left out.
std::vector<Ipv4Route> read_ipv4_routes(const std::string& text);

// The kernel's table and addresses as they were when it was made. Not changed after; any thread.
class Ipv4Routes {
 public:
  Ipv4Routes();
  // How the interface that bears `local` reaches `remote`: its most special route there. Null: it
  // has none that is up. Holds as long as this.
  const Ipv4Route* find(const NiceAddress& local, const NiceAddress& remote) const;

  // An interface that is up has an address from which `remote` is reached and which is none of
  // `known`.
  bool has_other_than(const std::vector<NiceAddress>& known, const NiceAddress& remote) const;

 private:
  struct Interface {
    std::uint32_t address = 0;  // in network order
    std::string name;
  };
  const Ipv4Route* find(const Interface& from, std::uint32_t to) const;

  std::vector<Ipv4Route> routes_;
  std::vector<Interface> interfaces_;
};

}  // namespace farwheel
