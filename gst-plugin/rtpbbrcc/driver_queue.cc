#include "rtpbbrcc/driver_queue.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netdb.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/qdisc.h>
#include <netlink/route/route.h>
#include <netlink/route/tc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <limits>

namespace farwheel {
namespace {

constexpr TimeDelta kResolveAgain = TimeDelta::from_seconds(2);

struct SocketDeleter {
  void operator()(nl_sock* socket) const { nl_socket_free(socket); }
};
struct CacheDeleter {
  void operator()(nl_cache* cache) const { nl_cache_free(cache); }
};
struct AddressesDeleter {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
  void operator()(ifaddrs* list) const { freeifaddrs(list); }
};

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

bool same_address(const sockaddr* a, const sockaddr* b) {
  if (a->sa_family != b->sa_family) return false;
  if (a->sa_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in*>(a)->sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in*>(b)->sin_addr.s_addr;
  }
  return std::memcmp(&reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr,
                     &reinterpret_cast<const sockaddr_in6*>(b)->sin6_addr, sizeof(in6_addr)) == 0;
}

}  // namespace

class DriverQueue::Netlink {
 public:
  Netlink() { connect(); }

  bool usable() const { return socket_ != nullptr; }

  // A dump, though one queue is wanted: the kernel answers a request for a single one only when it
  // was set up by hand (has a handle), and the default one is the common case.
  std::optional<DataSize> backlog(int index) {
    tcmsg request = {};
    request.tcm_family = AF_UNSPEC;
    found_.reset();
    index_ = index;
    if (nl_send_simple(socket_.get(), RTM_GETQDISC, NLM_F_DUMP, &request, sizeof(request)) < 0 ||
        nl_recvmsgs_default(socket_.get()) < 0) {
      connect();
      return std::nullopt;
    }
    return found_;
  }

  // The default route's interface in the main table with the best metric; 0: none.
  static int default_route() {
    const std::unique_ptr<nl_sock, SocketDeleter> socket(nl_socket_alloc());
    if (!socket || nl_connect(socket.get(), NETLINK_ROUTE) < 0) return 0;
    nl_cache* raw = nullptr;
    if (rtnl_route_alloc_cache(socket.get(), AF_UNSPEC, 0, &raw) < 0) return 0;
    const std::unique_ptr<nl_cache, CacheDeleter> routes(raw);
    int index = 0;
    std::uint32_t best = std::numeric_limits<std::uint32_t>::max();
    for (nl_object* object = nl_cache_get_first(routes.get()); object != nullptr;
         object = nl_cache_get_next(object)) {
      auto* route = reinterpret_cast<rtnl_route*>(object);
      const nl_addr* destination = rtnl_route_get_dst(route);
      if (rtnl_route_get_table(route) != RT_TABLE_MAIN ||
          rtnl_route_get_type(route) != RTN_UNICAST || destination == nullptr ||
          nl_addr_get_prefixlen(destination) != 0 || rtnl_route_get_nnexthops(route) < 1) {
        continue;
      }
      const std::uint32_t metric = rtnl_route_get_priority(route);
      if (index != 0 && metric >= best) continue;
      best = metric;
      index = rtnl_route_nh_get_ifindex(rtnl_route_nexthop_n(route, 0));
    }
    return index;
  }

 private:
  // Anew after a fault, so that no late answer is taken for the next one.
  void connect() {
    socket_.reset(nl_socket_alloc());
    if (!socket_) return;
    if (nl_connect(socket_.get(), NETLINK_ROUTE) < 0) {
      socket_.reset();
      return;
    }
    // The kernel answers inside the calls: there is never anything to wait for.
    nl_socket_set_nonblocking(socket_.get());
    nl_socket_modify_cb(socket_.get(), NL_CB_VALID, NL_CB_CUSTOM, &Netlink::on_message, this);
  }

  static int on_message(nl_msg* message, void* data) {
    auto& self = *static_cast<Netlink*>(data);
    if (nlmsg_datalen(nlmsg_hdr(message)) < static_cast<int>(sizeof(tcmsg))) return NL_SKIP;
    const auto* head = static_cast<const tcmsg*>(nlmsg_data(nlmsg_hdr(message)));
    if (head->tcm_ifindex != self.index_ || head->tcm_parent != TC_H_ROOT) return NL_SKIP;
    nl_msg_parse(
        message,
        [](nl_object* object, void* netlink) {
          auto* tc = TC_CAST(reinterpret_cast<rtnl_qdisc*>(object));
          static_cast<Netlink*>(netlink)->found_ = DataSize::from_bytes(
              static_cast<std::int64_t>(rtnl_tc_get_stat(tc, RTNL_TC_BACKLOG)));
        },
        data);
    return NL_OK;
  }

  std::unique_ptr<nl_sock, SocketDeleter> socket_;
  int index_ = 0;
  std::optional<DataSize> found_;
};

std::string interface_towards(const std::string& address) {
  addrinfo hints = {};
  hints.ai_flags = AI_NUMERICHOST;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* raw = nullptr;
  if (address.empty() || getaddrinfo(address.c_str(), "9", &hints, &raw) != 0) return {};
  const std::unique_ptr<addrinfo, AddressesDeleter> peer(raw);
  const FileDescriptor fd(socket(peer->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage local = {};
  socklen_t size = sizeof(local);
  if (fd.get() < 0 || connect(fd.get(), peer->ai_addr, peer->ai_addrlen) != 0 ||
      getsockname(fd.get(), reinterpret_cast<sockaddr*>(&local), &size) != 0) {
    return {};
  }
  ifaddrs* raw_interfaces = nullptr;
  if (getifaddrs(&raw_interfaces) != 0) return {};
  const std::unique_ptr<ifaddrs, AddressesDeleter> interfaces(raw_interfaces);
  for (const ifaddrs* entry = interfaces.get(); entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr != nullptr &&
        same_address(entry->ifa_addr, reinterpret_cast<const sockaddr*>(&local))) {
      return entry->ifa_name;
    }
  }
  return {};
}

DriverQueue::DriverQueue() : netlink_(std::make_unique<Netlink>()) {}
DriverQueue::~DriverQueue() = default;

void DriverQueue::set_interface(const std::string& name) {
  wanted_ = name;
  resolved_at_ = Timestamp::infinite_past();
}

void DriverQueue::set_peer(const std::string& address) {
  peer_ = address;
  resolved_at_ = Timestamp::infinite_past();
}

void DriverQueue::resolve(Timestamp now) {
  if (now - resolved_at_ < kResolveAgain) return;
  resolved_at_ = now;
  current_ = wanted_.empty() ? interface_towards(peer_) : wanted_;
  index_ = static_cast<int>(if_nametoindex(current_.c_str()));
  if (current_.empty()) {
    index_ = Netlink::default_route();
    char name[IF_NAMESIZE] = {};
    if (index_ != 0 && if_indextoname(static_cast<unsigned>(index_), name) != nullptr) {
      current_ = name;
    }
  }
  if (index_ == 0) current_.clear();
}

std::optional<DataSize> DriverQueue::read(Timestamp now) {
  if (!netlink_->usable()) return std::nullopt;
  resolve(now);
  if (index_ == 0) return std::nullopt;
  return netlink_->backlog(index_);
}

}  // namespace farwheel
