// Tells that the kernel's links, IPv4 addresses or routes changed (rtnetlink). What they are now is
// read from the kernel's tables by whoever is told.
#pragma once

#include <functional>
#include <memory>

#include "webrtc/event_loop.h"

namespace farwheel {

class RouteEvents {
 public:
  // `changed` runs on the loop. Without the kernel's socket it never does (false from works()).
  RouteEvents(EventLoop& loop, std::function<void()> changed);
  ~RouteEvents();
  RouteEvents(const RouteEvents&) = delete;
  RouteEvents& operator=(const RouteEvents&) = delete;
  bool works() const { return fd_ >= 0; }

 private:
  int fd_;
  EventLoop::Timer source_;
};

}  // namespace farwheel
