#include "webrtc/vehicle_settings.h"

#include "webrtc/property_values.h"

namespace farwheel {
namespace {

void set_if_known(GstElement* element, const char* name, const std::string& text) {
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(element), name)) {
    gst_util_set_object_arg(G_OBJECT(element), name, text.c_str());
  }
}

}  // namespace

void install_vehicle_properties(GObjectClass* object) {
  const VehicleSettings defaults;
  const auto ready = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                              GST_PARAM_MUTABLE_READY);
  const auto playing = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                GST_PARAM_MUTABLE_PLAYING);
  const auto text = [object](guint id, const char* name, const char* nick, const char* blurb,
                             const char* value, GParamFlags flags) {
    g_object_class_install_property(object, id,
                                    g_param_spec_string(name, nick, blurb, value, flags));
  };
  const auto rate = [object, playing](guint id, const char* name, const char* nick,
                                      const char* blurb, guint value) {
    g_object_class_install_property(
        object, id, g_param_spec_uint(name, nick, blurb, 1000, G_MAXUINT, value, playing));
  };
  text(kPropWhipEndpoint, "whip-endpoint", "WHIP endpoint",
       "Base URL of the station, to which /whip/<vehicle-id> is added, or the whole endpoint",
       "http://127.0.0.1:8080", ready);
  text(kPropAuthToken, "auth-token", "Auth token",
       "Bearer token for the station (reads back as \"(set)\")", nullptr, ready);
  text(kPropVehicleId, "vehicle-id", "Vehicle ID",
       "Name of this vehicle: 1 to 64 letters, digits, '.', '_' or '-'", "vehicle", ready);
  text(kPropStunServer, "stun-server", "STUN server", "stun://host:port; empty: none", "", ready);
  g_object_class_install_property(
      object, kPropTurnServers,
      gst_param_spec_array(
          "turn-servers", "TURN servers", "turn(s)://user:password@host:port, any number of them",
          g_param_spec_string("turn-server", "TURN server", "One TURN server", nullptr, ready),
          ready));
  rate(kPropMinBitrate, "min-bitrate", "Minimum bitrate",
       "Least sum of all feeds' target bitrates, in bit/s", defaults.min_bitrate);
  rate(kPropMaxBitrate, "max-bitrate", "Maximum bitrate",
       "Greatest sum of all feeds' target bitrates, in bit/s", defaults.max_bitrate);
  rate(kPropStartBitrate, "start-bitrate", "Start bitrate",
       "Bitrate until the path has been measured, in bit/s", defaults.start_bitrate);
  g_object_class_install_property(
      object, kPropDoRetransmission,
      g_param_spec_boolean("do-retransmission", "Do retransmission",
                           "Send lost packets again when the station asks for them", TRUE, ready));
  text(kPropAlgorithm, "algorithm", "Algorithm", "As rtpbbrcc's property of this name",
       "adaptive-bbr2", playing);
  text(kPropStartup, "startup", "Startup", "As rtpbbrcc's property of this name", "fbe", playing);
  text(kPropUplink, "uplink", "Uplink",
       "Interface to send over from now on, for an application that knows better than routes and "
       "silence (a modem's signal); empty: no wish",
       "", playing);
  text(kPropParams, "params", "Parameters", "As rtpbbrcc's property of this name", "", playing);
  g_object_class_install_property(
      object, kPropAdjustEncoders,
      g_param_spec_boolean("adjust-encoders", "Adjust encoders",
                           "As rtpbbrcc's property of this name", TRUE, playing));
  text(kPropTxInterface, "tx-interface", "Transmit interface",
       "As rtpbbrcc's property of this name", "", playing);
  text(kPropUnitLog, "unit-log", "Unit log",
       "File that gets a line for each unit captured and sent, see docs/link-run.md; empty: none",
       "", ready);
  g_object_class_install_property(
      object, kPropStats,
      g_param_spec_boxed(
          "stats", "Statistics", "Structure application/x-farwheelsink-stats, see docs/stats.md",
          GST_TYPE_STRUCTURE, static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

void set_vehicle_property(VehicleSettings* settings, guint id, const GValue* value) {
  VehicleSettings& s = *settings;
  switch (id) {
    case kPropWhipEndpoint:
      s.whip_endpoint = text_of(value);
      break;
    case kPropAuthToken:
      s.auth_token = text_of(value);
      break;
    case kPropVehicleId:
      s.vehicle_id = text_of(value);
      break;
    case kPropStunServer:
      s.ice.stun = text_of(value);
      break;
    case kPropTurnServers:
      s.ice.turn = turn_servers_of(value);
      break;
    case kPropMinBitrate:
      s.min_bitrate = g_value_get_uint(value);
      break;
    case kPropMaxBitrate:
      s.max_bitrate = g_value_get_uint(value);
      break;
    case kPropStartBitrate:
      s.start_bitrate = g_value_get_uint(value);
      break;
    case kPropDoRetransmission:
      s.do_retransmission = g_value_get_boolean(value);
      break;
    case kPropAlgorithm:
      s.algorithm = text_of(value);
      break;
    case kPropStartup:
      s.startup = text_of(value);
      break;
    case kPropUplink:
      s.uplink = text_of(value);
      break;
    case kPropParams:
      s.params = text_of(value);
      break;
    case kPropAdjustEncoders:
      s.adjust_encoders = g_value_get_boolean(value);
      break;
    case kPropTxInterface:
      s.tx_interface = text_of(value);
      break;
    case kPropUnitLog:
      s.unit_log = text_of(value);
      break;
    default:
      break;
  }
}

void get_vehicle_property(const VehicleSettings& s, guint id, GValue* value) {
  switch (id) {
    case kPropWhipEndpoint:
      g_value_set_string(value, s.whip_endpoint.c_str());
      break;
    case kPropAuthToken:
      g_value_set_string(value, s.auth_token.empty() ? nullptr : "(set)");
      break;
    case kPropVehicleId:
      g_value_set_string(value, s.vehicle_id.c_str());
      break;
    case kPropStunServer:
      g_value_set_string(value, s.ice.stun.c_str());
      break;
    case kPropTurnServers:
      set_turn_servers(value, s.ice.turn);
      break;
    case kPropMinBitrate:
      g_value_set_uint(value, s.min_bitrate);
      break;
    case kPropMaxBitrate:
      g_value_set_uint(value, s.max_bitrate);
      break;
    case kPropStartBitrate:
      g_value_set_uint(value, s.start_bitrate);
      break;
    case kPropDoRetransmission:
      g_value_set_boolean(value, s.do_retransmission);
      break;
    case kPropAlgorithm:
      g_value_set_string(value, s.algorithm.c_str());
      break;
    case kPropStartup:
      g_value_set_string(value, s.startup.c_str());
      break;
    case kPropUplink:
      g_value_set_string(value, s.uplink.c_str());
      break;
    case kPropParams:
      g_value_set_string(value, s.params.c_str());
      break;
    case kPropAdjustEncoders:
      g_value_set_boolean(value, s.adjust_encoders);
      break;
    case kPropTxInterface:
      g_value_set_string(value, s.tx_interface.c_str());
      break;
    case kPropUnitLog:
      g_value_set_string(value, s.unit_log.c_str());
      break;
    default:
      break;
  }
}

void pass_to_controller(const VehicleSettings& s, GstElement* controller) {
  set_if_known(controller, "algorithm", s.algorithm);
  set_if_known(controller, "startup", s.startup);
  set_if_known(controller, "min-bitrate", std::to_string(s.min_bitrate));
  set_if_known(controller, "max-bitrate", std::to_string(s.max_bitrate));
  set_if_known(controller, "start-bitrate", std::to_string(s.start_bitrate));
  set_if_known(controller, "adjust-encoders", s.adjust_encoders ? "true" : "false");
  if (!s.params.empty()) set_if_known(controller, "params", s.params);
  if (!s.tx_interface.empty()) set_if_known(controller, "tx-interface", s.tx_interface);
}

}  // namespace farwheel
