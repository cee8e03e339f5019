// The backlog of the queueing discipline of the interface that our packets leave by, read over
// rtnetlink (libnl-route-3). Every call is a few system calls that never wait; not thread-safe.
// Where it can't be read (no netlink, no such interface) nothing is said.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "rtpbbrcc/send_address.h"
#include "units/data.h"

namespace farwheel {

class DriverQueue {
 public:
  DriverQueue();
  ~DriverQueue();
  DriverQueue(const DriverQueue&) = delete;
  DriverQueue& operator=(const DriverQueue&) = delete;

  // Empty: the interface by which packets on `path` leave, or else the default route's.
  void set_interface(const std::string& name);
  void set_path(const SendAddress& path);

  // What waits in the root queueing discipline now. A found interface is looked up again every 2 s,
  // as routes change.
  std::optional<DataSize> read(Timestamp now);
  // The interface that is read; empty while there is none.
  const std::string& interface() const { return current_; }

 private:
  class Netlink;
  void resolve(Timestamp now);

  std::unique_ptr<Netlink> netlink_;
  std::string wanted_;
  SendAddress path_;
  std::string current_;
  int index_ = 0;
  Timestamp resolved_at_ = Timestamp::infinite_past();
};

}  // namespace farwheel
