#include "webrtc/route_events.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace farwheel {
namespace {

int open_socket() {
  const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (fd < 0) return -1;
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE;
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

// What they say is left unread: the tables tell it whole. An overrun is news as well.
void drain(int fd) {
  std::array<char, 8192> buffer;
  while (recv(fd, buffer.data(), buffer.size(), 0) > 0) {
  }
}

}  // namespace

RouteEvents::RouteEvents(EventLoop& loop, std::function<void()> changed) : fd_(open_socket()) {
  if (fd_ < 0) return;
  source_ = loop.call_when_readable(fd_, [fd = fd_, changed = std::move(changed)] {
    drain(fd);
    changed();
  });
}

RouteEvents::~RouteEvents() {
  source_.cancel();
  if (fd_ >= 0) close(fd_);
}

}  // namespace farwheel
