#include "webrtc/property_values.h"

namespace farwheel {

std::string text_of(const GValue* value) {
  const char* text = g_value_get_string(value);
  return text ? text : "";
}

std::vector<std::string> turn_servers_of(const GValue* value) {
  std::vector<std::string> servers;
  for (guint i = 0; i < gst_value_array_get_size(value); ++i) {
    const GValue* item = gst_value_array_get_value(value, i);
    if (G_VALUE_HOLDS_STRING(item)) servers.push_back(text_of(item));
  }
  return servers;
}

void set_turn_servers(GValue* value, const std::vector<std::string>& servers) {
  for (const std::string& server : servers) {
    GValue item = G_VALUE_INIT;
    g_value_init(&item, G_TYPE_STRING);
    g_value_set_string(&item, server.c_str());
    gst_value_array_append_and_take_value(value, &item);
  }
}

}  // namespace farwheel
