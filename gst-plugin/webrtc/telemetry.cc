#include "webrtc/telemetry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace farwheel {
namespace {

using Json = nlohmann::json;

enum class FieldType { kString, kUint, kUint64, kInt64, kDouble, kBoolean };
struct Field {
  const char* name;
  FieldType type;
};

// The first table of docs/stats.md.
constexpr Field kStateFields[] = {
    {"algorithm", FieldType::kString},
    {"startup", FieldType::kString},
    {"state", FieldType::kString},
    {"limited-by", FieldType::kString},
    {"target-bps", FieldType::kUint64},
    {"pacing-bps", FieldType::kUint64},
    {"bw-bps", FieldType::kUint64},
    {"max-bw-bps", FieldType::kUint64},
    {"delivered-bps", FieldType::kUint64},
    {"rtt-ms", FieldType::kDouble},
    {"min-rtt-ms", FieldType::kDouble},
    {"max-rtt-ms", FieldType::kDouble},
    {"queue-delay-ms", FieldType::kDouble},
    {"pacer-queue-ms", FieldType::kDouble},
    {"cwnd-bytes", FieldType::kUint64},
    {"inflight-bytes", FieldType::kUint64},
    {"inflight-hi-bytes", FieldType::kUint64},
    {"packet-size-bound-bytes", FieldType::kUint64},
    {"loss", FieldType::kDouble},
    {"silent", FieldType::kBoolean},
    {"app-limited", FieldType::kBoolean},
    {"fbe-estimate-bps", FieldType::kUint64},
    {"fbe-confidence", FieldType::kDouble},
    {"fbe-done", FieldType::kBoolean},
    {"packets-sent", FieldType::kUint64},
    {"packets-delivered", FieldType::kUint64},
    {"packets-lost", FieldType::kUint64},
    {"packets-unknown", FieldType::kUint64},
    {"bytes-sent", FieldType::kUint64},
    {"bytes-delivered", FieldType::kUint64},
    {"reports", FieldType::kUint64},
    {"driver-queue-bytes", FieldType::kUint64},
    {"tx-interface", FieldType::kString},
    {"owd-raw-min-ns", FieldType::kInt64},
    {"owd-raw-p50-ns", FieldType::kInt64},
};
constexpr Field kFeedFields[] = {
    {"ssrc", FieldType::kUint},
    {"name", FieldType::kString},
    {"kind", FieldType::kString},
    {"target-bps", FieldType::kUint64},
    {"sent-bps", FieldType::kUint64},
    {"packets-sent", FieldType::kUint64},
    {"units-sent", FieldType::kUint64},
    {"units-dropped", FieldType::kUint64},
    {"keyframes-requested", FieldType::kUint64},
    {"encoder", FieldType::kString},
};
constexpr std::size_t kMaxFeeds = 16;
constexpr std::size_t kMaxString = 64;

std::string json_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Text of ours, and of a peer's that is shown to a person: short, printable ASCII.
std::optional<std::string> as_text(const Json& value) {
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > kMaxString) return std::nullopt;
  for (const char c : text) {
    if (c < 0x20 || c > 0x7e) return std::nullopt;
  }
  return text;
}

std::optional<std::int64_t> as_int64(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return std::nullopt;
}

std::optional<std::int64_t> int64_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::nullopt : as_int64(*found);
}

void take_field(const Field& field, const Json& value, GstStructure* out) {
  switch (field.type) {
    case FieldType::kString:
      if (const auto text = as_text(value)) {
        gst_structure_set(out, field.name, G_TYPE_STRING, text->c_str(), nullptr);
      }
      break;
    case FieldType::kUint:
      if (value.is_number_unsigned() && value.get<std::uint64_t>() <= G_MAXUINT) {
        gst_structure_set(out, field.name, G_TYPE_UINT,
                          static_cast<guint>(value.get<std::uint64_t>()), nullptr);
      }
      break;
    case FieldType::kUint64:
      if (value.is_number_unsigned()) {
        gst_structure_set(out, field.name, G_TYPE_UINT64,
                          static_cast<guint64>(value.get<std::uint64_t>()), nullptr);
      }
      break;
    case FieldType::kInt64:
      if (const auto number = as_int64(value)) {
        gst_structure_set(out, field.name, G_TYPE_INT64, static_cast<gint64>(*number), nullptr);
      }
      break;
    case FieldType::kDouble:
      if (value.is_number() && std::isfinite(value.get<double>())) {
        gst_structure_set(out, field.name, G_TYPE_DOUBLE, value.get<double>(), nullptr);
      }
      break;
    case FieldType::kBoolean:
      if (value.is_boolean()) {
        gst_structure_set(out, field.name, G_TYPE_BOOLEAN, static_cast<gboolean>(value.get<bool>()),
                          nullptr);
      }
      break;
  }
}

template <std::size_t count>
GstStructurePtr take_fields(const char* name, const Field (&fields)[count], const Json& object) {
  GstStructurePtr structure(gst_structure_new_empty(name));
  for (const Field& field : fields) {
    const auto found = object.find(json_name(field.name));
    if (found != object.end()) take_field(field, *found, structure.get());
  }
  return structure;
}

void take_feeds(const Json& feeds, GstStructure* out) {
  if (!feeds.is_array() || feeds.size() > kMaxFeeds) return;
  GValue array = G_VALUE_INIT;
  g_value_init(&array, GST_TYPE_ARRAY);
  for (const Json& feed : feeds) {
    if (!feed.is_object()) continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed(&value, take_fields("feed", kFeedFields, feed).release());
    gst_value_array_append_and_take_value(&array, &value);
  }
  gst_structure_take_value(out, "feeds", &array);
}

Json to_json(const GValue* value);

gboolean add_field(GQuark name, const GValue* value, gpointer data) {
  Json json = to_json(value);
  if (!json.is_null()) (*static_cast<Json*>(data))[json_name(g_quark_to_string(name))] = json;
  return TRUE;
}

Json to_json(const GValue* value) {
  if (G_VALUE_HOLDS_STRING(value)) {
    const char* text = g_value_get_string(value);
    return text ? Json(text) : Json();
  }
  if (G_VALUE_HOLDS_BOOLEAN(value)) return Json(g_value_get_boolean(value) != FALSE);
  if (G_VALUE_HOLDS_UINT64(value)) return Json(g_value_get_uint64(value));
  if (G_VALUE_HOLDS_INT64(value)) return Json(g_value_get_int64(value));
  if (G_VALUE_HOLDS_UINT(value)) return Json(g_value_get_uint(value));
  if (G_VALUE_HOLDS_INT(value)) return Json(g_value_get_int(value));
  if (G_VALUE_HOLDS_DOUBLE(value)) {
    const double number = g_value_get_double(value);
    return std::isfinite(number) ? Json(number) : Json();
  }
  if (GST_VALUE_HOLDS_STRUCTURE(value)) {
    Json object = Json::object();
    gst_structure_foreach(gst_value_get_structure(value), add_field, &object);
    return object;
  }
  if (GST_VALUE_HOLDS_ARRAY(value)) {
    Json list = Json::array();
    for (guint i = 0; i < gst_value_array_get_size(value); ++i) {
      list.push_back(to_json(gst_value_array_get_value(value, i)));
    }
    return list;
  }
  return Json();
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Brackets nested deeper than any message of ours; checked before parsing, so that no recursion
// of a parser or destructor can be driven by a peer.
bool nests_too_deep(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > 8) return true;
  }
  return false;
}

Message read_state(const Json& json) {
  StateMessage state;
  const auto vehicle = json.find("vehicle");
  const auto mono = int64_at(json, "mono_ns");
  const auto real = int64_at(json, "real_ns");
  if (int64_at(json, "v") != 1 || vehicle == json.end() || !mono || !real) return {};
  const auto text = as_text(*vehicle);
  if (!text) return {};
  state.vehicle = *text;
  state.mono_ns = *mono;
  state.real_ns = *real;
  state.controller = take_fields("controller", kStateFields, json);
  if (const auto feeds = json.find("feeds"); feeds != json.end()) {
    take_feeds(*feeds, state.controller.get());
  }
  return state;
}

Message read_path(const Json& json) {
  const auto address = json.find("address");
  const auto port = int64_at(json, "port");
  const auto priority = int64_at(json, "priority");
  if (address == json.end() || !address->is_string() || !port || !priority) return {};
  const auto& text = address->get_ref<const std::string&>();
  if (int64_at(json, "v") != 1 || text.empty() || text.size() > kMaxString || *port < 1 ||
      *port > 65535 || *priority < 0 || *priority > 0x7fffffff) {
    return {};
  }
  return PathMessage{text, static_cast<std::uint16_t>(*port),
                     static_cast<std::uint32_t>(*priority)};
}

}  // namespace

Message read_message(std::string_view text) {
  if (text.size() > kMaxMessageBytes || nests_too_deep(text)) return {};
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  const auto type = json.find("type");
  if (type == json.end() || !type->is_string()) return {};
  const auto& name = type->get_ref<const std::string&>();
  if (name == "state") return read_state(json);
  if (name == "path") return read_path(json);
  const auto id = int64_at(json, "id");
  const auto t1 = int64_at(json, "t1");
  if (!id || *id < 0 || !t1) return {};
  if (name == "ping") return PingMessage{static_cast<std::uint64_t>(*id), *t1};
  if (name != "pong") return {};
  const auto t2 = int64_at(json, "t2");
  const auto t3 = int64_at(json, "t3");
  const auto real = int64_at(json, "real_ns");
  if (!t2 || !t3 || !real) return {};
  return PongMessage{static_cast<std::uint64_t>(*id), *t1, *t2, *t3, *real};
}

std::string write_message(const PingMessage& ping) {
  return dump(Json{{"type", "ping"}, {"id", ping.id}, {"t1", ping.t1}});
}

std::string write_message(const PongMessage& pong) {
  return dump(Json{{"type", "pong"},
                   {"id", pong.id},
                   {"t1", pong.t1},
                   {"t2", pong.t2},
                   {"t3", pong.t3},
                   {"real_ns", pong.real_ns}});
}

std::string write_message(const PathMessage& path) {
  return dump(Json{{"type", "path"},
                   {"v", 1},
                   {"address", path.address},
                   {"port", path.port},
                   {"priority", path.priority}});
}

std::string write_state(const StateHeader& header, const GstStructure* stats) {
  Json json = Json::object();
  if (stats) gst_structure_foreach(stats, add_field, &json);
  json["type"] = "state";
  json["v"] = 1;
  json["vehicle"] = header.vehicle;
  json["mono_ns"] = header.mono_ns;
  json["real_ns"] = header.real_ns;
  return dump(json);
}

}  // namespace farwheel
