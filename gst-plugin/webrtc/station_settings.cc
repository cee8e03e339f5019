#include "webrtc/station_settings.h"

#include "webrtc/property_values.h"

namespace farwheel {
void install_station_properties(GObjectClass* object) {
  const StationSettings defaults;
  const auto ready = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                              GST_PARAM_MUTABLE_READY);
  g_object_class_install_property(
      object, kStationPropListen,
      g_param_spec_string("listen", "Listen",
                          "host:port of the WHIP server; port 0 takes any free one (see stats)",
                          defaults.listen.c_str(), ready));
  g_object_class_install_property(
      object, kStationPropAuthToken,
      g_param_spec_string("auth-token", "Auth token",
                          "Bearer token that a vehicle must show (reads back as \"(set)\")",
                          nullptr, ready));
  g_object_class_install_property(object, kStationPropStunServer,
                                  g_param_spec_string("stun-server", "STUN server",
                                                      "stun://host:port; empty: none", "", ready));
  g_object_class_install_property(
      object, kStationPropTurnServers,
      gst_param_spec_array(
          "turn-servers", "TURN servers", "turn(s)://user:password@host:port, any number of them",
          g_param_spec_string("turn-server", "TURN server", "One TURN server", nullptr, ready),
          ready));
  g_object_class_install_property(
      object, kStationPropLatency,
      g_param_spec_uint("latency", "Latency",
                        "How long a missing packet is waited for at least, in ms; longer while a "
                        "retransmission can bring it in time. Nothing else waits",
                        0, 10000, defaults.latency_ms, ready));
  g_object_class_install_property(
      object, kStationPropUnitLog,
      g_param_spec_string("unit-log", "Unit log",
                          "File that gets a line for each packet and unit that arrived, see "
                          "docs/link-run.md; empty: none",
                          "", ready));
  g_object_class_install_property(
      object, kStationPropStats,
      g_param_spec_boxed(
          "stats", "Statistics", "Structure application/x-farwheelsrc-stats, see docs/stats.md",
          GST_TYPE_STRUCTURE, static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

void set_station_property(StationSettings* settings, guint id, const GValue* value) {
  switch (id) {
    case kStationPropListen:
      settings->listen = text_of(value);
      break;
    case kStationPropAuthToken:
      settings->auth_token = text_of(value);
      break;
    case kStationPropStunServer:
      settings->ice.stun = text_of(value);
      break;
    case kStationPropTurnServers:
      settings->ice.turn = turn_servers_of(value);
      break;
    case kStationPropLatency:
      settings->latency_ms = g_value_get_uint(value);
      break;
    case kStationPropUnitLog:
      settings->unit_log = text_of(value);
      break;
    default:
      break;
  }
}

void get_station_property(const StationSettings& s, guint id, GValue* value) {
  switch (id) {
    case kStationPropListen:
      g_value_set_string(value, s.listen.c_str());
      break;
    case kStationPropAuthToken:
      g_value_set_string(value, s.auth_token.empty() ? nullptr : "(set)");
      break;
    case kStationPropStunServer:
      g_value_set_string(value, s.ice.stun.c_str());
      break;
    case kStationPropTurnServers:
      set_turn_servers(value, s.ice.turn);
      break;
    case kStationPropLatency:
      g_value_set_uint(value, s.latency_ms);
      break;
    case kStationPropUnitLog:
      g_value_set_string(value, s.unit_log.c_str());
      break;
    default:
      break;
  }
}

}  // namespace farwheel
