#include "vehicle_report.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace farwheel {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

nlohmann::json value_to_json(const GValue* value) {
  if (G_VALUE_HOLDS_STRING(value)) {
    const char* text = g_value_get_string(value);
    return text != nullptr ? nlohmann::json(text) : nlohmann::json();
  }
  if (G_VALUE_HOLDS_BOOLEAN(value)) return g_value_get_boolean(value) != FALSE;
  if (G_VALUE_HOLDS_INT(value)) return g_value_get_int(value);
  if (G_VALUE_HOLDS_UINT(value)) return g_value_get_uint(value);
  if (G_VALUE_HOLDS_INT64(value)) return g_value_get_int64(value);
  if (G_VALUE_HOLDS_UINT64(value)) return g_value_get_uint64(value);
  if (G_VALUE_HOLDS_DOUBLE(value)) return g_value_get_double(value);
  if (GST_VALUE_HOLDS_STRUCTURE(value)) return to_json(gst_value_get_structure(value));
  if (GST_VALUE_HOLDS_ARRAY(value)) {
    auto list = nlohmann::json::array();
    for (guint i = 0; i < gst_value_array_get_size(value); ++i) {
      list.push_back(value_to_json(gst_value_array_get_value(value, i)));
    }
    return list;
  }
  return nullptr;
}

gboolean add_field(GQuark field, const GValue* value, gpointer object) {
  std::string name = g_quark_to_string(field);
  std::replace(name.begin(), name.end(), '-', '_');
  (*static_cast<nlohmann::json*>(object))[name] = value_to_json(value);
  return TRUE;
}

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

}  // namespace

nlohmann::json to_json(const GstStructure* structure) {
  auto object = nlohmann::json::object();
  if (structure != nullptr) gst_structure_foreach(structure, &add_field, &object);
  return object;
}

std::int64_t process_start_unix_ns() {
  // proc(5): field 22 of stat, in clock ticks since boot; the name in field 2 may hold blanks.
  std::ifstream file("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 2)));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  std::int64_t ticks = 0;
  if (!(fields >> ticks)) return clock_ns(CLOCK_REALTIME);
  const std::int64_t booted_at = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
  return booted_at + ticks * (kNsPerSecond / sysconf(_SC_CLK_TCK));
}

}  // namespace farwheel
