// What every webrtcbin of ours needs before it negotiates: no UPnP, no ICE over TCP, servers, and a
// candidate where only loopback exists. The object must be kept until webrtcbin is gone: dropping
// the reference that the ice-agent property gives destroys the agent inside webrtcbin 1.22.
//
// libnice's consent checks (RFC 7675) stay off: docs/decisions.md, Paths.
#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

#include "support/gst_ptr.h"

namespace farwheel {

struct IceServers {
  std::string stun;               // stun://host:port, empty: none
  std::vector<std::string> turn;  // turn://user:password@host:port
};

GstObjectPtr<GstObject> set_up_ice(GstElement* webrtcbin, const IceServers& servers);
// The NiceAgent inside what set_up_ice() gave; null: there is none.
GObjectPtr<GObject> nice_agent_of(GstObject* ice);
// Whether no interface but loopback is up with an address.
bool only_loopback_exists();

}  // namespace farwheel
