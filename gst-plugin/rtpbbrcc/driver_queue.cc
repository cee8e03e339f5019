#include "rtpbbrcc/driver_queue.h"

#include <arpa/inet.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/qdisc.h>
#include <netlink/route/route.h>
#include <netlink/route/tc.h>
#include <sys/socket.h>

#include <array>
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
struct MessageDeleter {
  void operator()(nl_msg* message) const { nlmsg_free(message); }
};

// A numeric address; family AF_UNSPEC where it is none.
struct NumericAddress {
  explicit NumericAddress(const std::string& text) {
    for (const int candidate : {AF_INET, AF_INET6}) {
      if (inet_pton(candidate, text.c_str(), bytes.data()) == 1) family = candidate;
    }
  }
  int size() const { return family == AF_INET ? 4 : 16; }

  int family = AF_UNSPEC;
  std::array<unsigned char, 16> bytes = {};
};

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

  // The interface by which a packet from `local` (any, if empty) reaches `peer`, by the kernel's
  // own routing decision, rules included; 0: none. Sends nothing.
  static int route_towards(const NumericAddress& peer, const NumericAddress& local) {
    const std::unique_ptr<nl_sock, SocketDeleter> socket(nl_socket_alloc());
    const std::unique_ptr<nl_msg, MessageDeleter> request(nlmsg_alloc_simple(RTM_GETROUTE, 0));
    if (!socket || !request || nl_connect(socket.get(), NETLINK_ROUTE) < 0) return 0;
    const auto bits = [](const NumericAddress& address) {
      return static_cast<unsigned char>(address.size() * 8);
    };
    const bool from_local = local.family == peer.family;
    rtmsg head = {};
    head.rtm_family = static_cast<unsigned char>(peer.family);
    head.rtm_dst_len = bits(peer);
    head.rtm_src_len = from_local ? bits(local) : 0;
    if (nlmsg_append(request.get(), &head, sizeof(head), NLMSG_ALIGNTO) < 0 ||
        nla_put(request.get(), RTA_DST, peer.size(), peer.bytes.data()) < 0 ||
        (from_local && nla_put(request.get(), RTA_SRC, local.size(), local.bytes.data()) < 0)) {
      return 0;
    }
    int index = 0;
    nl_socket_modify_cb(socket.get(), NL_CB_VALID, NL_CB_CUSTOM, &Netlink::on_route, &index);
    if (nl_send_auto(socket.get(), request.get()) < 0 || nl_recvmsgs_default(socket.get()) < 0) {
      return 0;
    }
    return index;
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

  static int on_route(nl_msg* message, void* index) {
    const nlattr* oif = nlmsg_find_attr(nlmsg_hdr(message), sizeof(rtmsg), RTA_OIF);
    if (oif != nullptr && nla_len(oif) >= static_cast<int>(sizeof(std::uint32_t))) {
      *static_cast<int*>(index) = static_cast<int>(nla_get_u32(oif));
    }
    return NL_OK;
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

DriverQueue::DriverQueue() : netlink_(std::make_unique<Netlink>()) {}
DriverQueue::~DriverQueue() = default;

void DriverQueue::set_interface(const std::string& name) {
  wanted_ = name;
  resolved_at_ = Timestamp::infinite_past();
}

void DriverQueue::set_path(const SendAddress& path) {
  path_ = path;
  resolved_at_ = Timestamp::infinite_past();
}

void DriverQueue::resolve(Timestamp now) {
  if (now - resolved_at_ < kResolveAgain) return;
  resolved_at_ = now;
  if (!wanted_.empty()) {
    index_ = static_cast<int>(if_nametoindex(wanted_.c_str()));
  } else {
    index_ = 0;
    const NumericAddress peer(path_.peer);
    const NumericAddress local(path_.local);
    if (peer.family != AF_UNSPEC) {
      index_ = Netlink::route_towards(peer, local);
      // A source that is none of ours (a relay's) has no route.
      if (index_ == 0) index_ = Netlink::route_towards(peer, NumericAddress({}));
    }
    if (index_ == 0) index_ = Netlink::default_route();
  }
  char name[IF_NAMESIZE] = {};
  current_.clear();
  if (index_ != 0 && if_indextoname(static_cast<unsigned>(index_), name) != nullptr) {
    current_ = name;
  }
}

std::optional<DataSize> DriverQueue::read(Timestamp now) {
  if (!netlink_->usable()) return std::nullopt;
  resolve(now);
  if (index_ == 0) return std::nullopt;
  return netlink_->backlog(index_);
}

}  // namespace farwheel
