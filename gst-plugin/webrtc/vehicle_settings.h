// farwheelsink's properties as values: what each is called, set, read and handed to rtpbbrcc. No
// lock.
#pragma once

#include <gst/gst.h>

#include <string>

#include "webrtc/ice_setup.h"

namespace farwheel {

enum VehicleProperty : guint {
  kPropWhipEndpoint = 1,
  kPropAuthToken,
  kPropVehicleId,
  kPropStunServer,
  kPropTurnServers,
  kPropMinBitrate,
  kPropMaxBitrate,
  kPropStartBitrate,
  kPropDoRetransmission,
  kPropAlgorithm,
  kPropStartup,
  kPropParams,
  kPropAdjustEncoders,
  kPropTxInterface,
  kPropUplink,
  kPropUnitLog,
  kPropStats,  // read-only, not a setting
};

struct VehicleSettings {
  std::string whip_endpoint = "http://127.0.0.1:8080";
  std::string auth_token;
  std::string vehicle_id = "vehicle";
  IceServers ice;
  // bit/s
  guint min_bitrate = 150'000;
  guint max_bitrate = 8'000'000;
  guint start_bitrate = 1'000'000;
  gboolean do_retransmission = TRUE;
  std::string algorithm = "adaptive-bbr2";
  std::string startup = "fbe";
  std::string params;
  gboolean adjust_encoders = TRUE;
  std::string tx_interface;
  std::string uplink;
  std::string unit_log;
};

void install_vehicle_properties(GObjectClass* object);
void set_vehicle_property(VehicleSettings* settings, guint id, const GValue* value);
void get_vehicle_property(const VehicleSettings& settings, guint id, GValue* value);
// Sets those of its properties that `controller` has.
void pass_to_controller(const VehicleSettings& settings, GstElement* controller);

}  // namespace farwheel
