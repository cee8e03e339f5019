// Property values that the vehicle's and the station's bin read and write alike.
#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

namespace farwheel {

// Empty where the property was set to NULL.
std::string text_of(const GValue* value);

// Property `turn-servers`, a GstValueArray of strings. Items that are no strings are left out.
std::vector<std::string> turn_servers_of(const GValue* value);
void set_turn_servers(GValue* value, const std::vector<std::string>& servers);

}  // namespace farwheel
