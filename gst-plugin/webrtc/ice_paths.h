// The pairs of addresses that a connected session could use, and the choice among them, which
// libnice does not make: it nominates once and stays. After the first choice of ours it is guarded:
// libnice goes back to a pair of higher priority whenever a check comes in over it.
// Calls come from the session's EventLoop or a data channel's thread; the guard runs where the
// agent emits. No lock of ours is held in the agent's calls.
#pragma once

#include <nice/agent.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/gst_ptr.h"
#include "webrtc/uplink_plan.h"

namespace farwheel {

struct IcePath {
  NiceAddress local;
  NiceAddress remote;
  std::string local_foundation;
  std::string remote_foundation;
  std::uint32_t local_priority = 0;
  UplinkPlan::Uplink uplink;  // of all() alone
};

class IcePaths {
 public:
  enum class Side { kVehicle, kStation };
  // `agent` is a NiceAgent or null.
  IcePaths(GObjectPtr<GObject> agent, Side side);
  ~IcePaths();
  IcePaths(const IcePaths&) = delete;
  IcePaths& operator=(const IcePaths&) = delete;

  // One a local address that has a route to the peer: to the selected remote address where it can.
  std::vector<IcePath> all() const;
  // The peer is reached from an address that the session does not have: a new one would.
  bool has_new_address() const;
  // Index into all() of the selected pair's local address; empty: none selected, or not among them.
  std::optional<std::size_t> current(const std::vector<IcePath>& paths) const;
  // False: the agent refuses.
  bool use(const IcePath& path);
  // The station's side of it: the vehicle says that it sends from this address now; behind a NAT,
  // from a candidate that its check of this priority made. False: nobody known is there.
  struct Sender {
    std::string address;
    unsigned port = 0;
    std::uint32_t priority = 0;
  };
  bool follow(const Sender& sender);

 private:
  struct Guard;
  NiceAgent* agent() const;

  const GObjectPtr<GObject> agent_;
  const std::shared_ptr<Guard> guard_;
  gulong handler_ = 0;
};

}  // namespace farwheel
