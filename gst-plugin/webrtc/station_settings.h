// farwheelsrc's properties as values. No lock.
#pragma once

#include <gst/gst.h>

#include <string>

#include "webrtc/ice_setup.h"

namespace farwheel {

enum StationProperty : guint {
  kStationPropListen = 1,
  kStationPropAuthToken,
  kStationPropStunServer,
  kStationPropTurnServers,
  kStationPropLatency,
  kStationPropUnitLog,
  kStationPropStats,  // read-only, not a setting
};

struct StationSettings {
  std::string listen = "127.0.0.1:8080";
  std::string auth_token;
  IceServers ice;
  guint latency_ms = 20;
  std::string unit_log;
};

void install_station_properties(GObjectClass* object);
void set_station_property(StationSettings* settings, guint id, const GValue* value);
void get_station_property(const StationSettings& settings, guint id, GValue* value);

}  // namespace farwheel
