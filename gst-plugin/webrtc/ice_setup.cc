#include "webrtc/ice_setup.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

namespace farwheel {

bool only_loopback_exists() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return true;
  bool found = false;
  for (const ifaddrs* entry = first; entry && !found; entry = entry->ifa_next) {
    if (!entry->ifa_addr || (entry->ifa_flags & IFF_LOOPBACK) || !(entry->ifa_flags & IFF_UP)) {
      continue;
    }
    const int family = entry->ifa_addr->sa_family;
    found = family == AF_INET || family == AF_INET6;
  }
  freeifaddrs(first);
  return !found;
}

GObjectPtr<GObject> nice_agent_of(GstObject* ice) {
  GObject* agent = nullptr;
  if (ice) g_object_get(ice, "agent", &agent, nullptr);
  return GObjectPtr<GObject>(agent);
}

GstObjectPtr<GstObject> set_up_ice(GstElement* webrtcbin, const IceServers& servers) {
  if (!servers.stun.empty()) {
    g_object_set(webrtcbin, "stun-server", servers.stun.c_str(), nullptr);
  }
  for (const std::string& turn : servers.turn) {
    gboolean added = FALSE;
    g_signal_emit_by_name(webrtcbin, "add-turn-server", turn.c_str(), &added);
    if (!added) {
      GST_WARNING_OBJECT(webrtcbin,
                         "turn server is not of the form turn://user:password@host:port");
    }
  }
  GObject* ice = nullptr;
  g_object_get(webrtcbin, "ice-agent", &ice, nullptr);
  if (!ice) return nullptr;
  g_object_set(ice, "ice-tcp", FALSE, nullptr);
  // UPnP costs 200 ms of gathering a side, sends multicast, and leaks in gssdp.
  const GObjectPtr<GObject> agent = nice_agent_of(GST_OBJECT(ice));
  if (agent) g_object_set(agent.get(), "upnp", FALSE, nullptr);
  if (only_loopback_exists()) {
    gboolean added = FALSE;
    g_signal_emit_by_name(ice, "add-local-ip-address", "127.0.0.1", &added);
  }
  return GstObjectPtr<GstObject>(GST_OBJECT(ice));
}

}  // namespace farwheel
