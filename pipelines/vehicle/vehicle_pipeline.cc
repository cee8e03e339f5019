#include "vehicle_pipeline.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "radar_files.h"
#include "road_scene.h"

namespace farwheel {
namespace {

constexpr char kTestSource[] = "test";

GstElementPtr make_element(const char* factory) {
  GstElementPtr element(gst_element_factory_make(factory, nullptr));
  if (!element) {
    throw std::runtime_error(std::string("there is no element '") + factory +
                             "': run pipelines/install, and set GST_PLUGIN_PATH to where "
                             "libgstfarwheel.so is (`meson devenv -C build` does)");
  }
  gst_object_ref_sink(element.get());
  return element;
}

void set_property(GstElement* element, const std::string& setting) {
  const auto equals = setting.find('=');
  const std::string name = setting.substr(0, equals);
  if (equals == std::string::npos) {
    throw std::runtime_error("--set " + setting + ": not NAME=VALUE");
  }
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(element), name.c_str()) == nullptr) {
    throw std::runtime_error("--set " + setting + ": farwheelsink has no property '" + name +
                             "'; see gst-inspect-1.0 farwheelsink");
  }
  gst_util_set_object_arg(G_OBJECT(element), name.c_str(), setting.c_str() + equals + 1);
}

GstBufferPtr allocate(std::size_t size) {
  return GstBufferPtr(gst_buffer_new_allocate(nullptr, size, nullptr));
}

}  // namespace

VehiclePipeline::VehiclePipeline(const VehicleOptions& options, OnError on_error)
    : on_error_(std::move(on_error)), pipeline_(gst_pipeline_new("vehicle")) {
  gst_object_ref_sink(pipeline_.get());
  sink_ = add("farwheelsink");
  g_object_set(sink_, "whip-endpoint", options.endpoint.c_str(), "vehicle-id",
               options.vehicle_id.c_str(), nullptr);
  for (const std::string& setting : options.properties) set_property(sink_, setting);
  for (std::size_t i = 0; i < options.cameras.size(); ++i) {
    add_camera(options.cameras[i], "video_" + std::to_string(i), options);
  }
  for (std::size_t i = 0; i < options.radars.size(); ++i) {
    add_radar(options.radars[i], "radar_" + std::to_string(i), options);
  }
  const GstObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_.get()));
  watch_ = gst_bus_add_watch(bus.get(), &VehiclePipeline::on_message, this);
}

VehiclePipeline::~VehiclePipeline() {
  for (const auto& source : timed_sources_) source->stop();
  for (const auto& player : players_) player->stop();
  gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  if (watch_ != 0) g_source_remove(watch_);
}

GstElement* VehiclePipeline::add(GstElementPtr element, GstElement* upstream) {
  GstElement* raw = element.get();
  gst_bin_add(GST_BIN(pipeline_.get()), raw);
  if (upstream != nullptr && !gst_element_link(upstream, raw)) {
    throw std::runtime_error(std::string("cannot link ") + GST_ELEMENT_NAME(upstream) + " to " +
                             GST_ELEMENT_NAME(raw));
  }
  return raw;
}

GstElement* VehiclePipeline::add(const char* factory, GstElement* upstream) {
  return add(make_element(factory), upstream);
}

void VehiclePipeline::connect_feed(GstElement* last, const std::string& feed) {
  GstElement* valve = add("valve", last);
  valves_.push_back(valve);
  if (!gst_element_link_pads(valve, "src", sink_, feed.c_str())) {
    throw std::runtime_error("farwheelsink takes no feed '" + feed + "'");
  }
}

void VehiclePipeline::add_camera(const std::string& what, const std::string& feed,
                                 const VehicleOptions& options) {
  if (what.rfind("/dev/", 0) == 0) {
    GstElement* source = add("v4l2src");
    g_object_set(source, "device", what.c_str(), nullptr);
    connect_feed(add("videoconvert", add("decodebin3", source)), feed);
    return;
  }
  if (what != kTestSource) {
    if (!std::filesystem::is_regular_file(what)) {
      throw std::runtime_error("--camera " + what + ": no such file");
    }
    GstElement* source = add(make_live_appsrc(feed.c_str(), nullptr));
    players_.push_back(std::make_unique<FilePlayer>(what, GST_APP_SRC(source), on_error_));
    connect_feed(source, feed);
    return;
  }
  GstElement* source = add(make_live_appsrc(
      feed.c_str(), GstCapsPtr(gst_caps_new_simple(
                        "video/x-raw", "format", G_TYPE_STRING, "I420", "width", G_TYPE_INT,
                        options.width, "height", G_TYPE_INT, options.height, "framerate",
                        GST_TYPE_FRACTION, static_cast<int>(options.fps), 1, nullptr))));
  auto scene = std::make_shared<RoadScene>(options.width, options.height);
  timed_sources_.push_back(std::make_unique<TimedSource>(
      GST_APP_SRC(source), options.fps, [scene](std::uint64_t, double seconds) {
        GstBufferPtr buffer = allocate(scene->frame_size());
        GstMapInfo map;
        if (!gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE)) return GstBufferPtr();
        scene->draw(seconds, {map.data, map.size});
        gst_buffer_unmap(buffer.get(), &map);
        return buffer;
      }));
  connect_feed(source, feed);
}

void VehiclePipeline::add_radar(const std::string& what, const std::string& feed,
                                const VehicleOptions& options) {
  if (what == kTestSource) {
    GstElement* source = add("radartestsrc");
    g_object_set(source, "rate", options.radar_hz, nullptr);
    connect_feed(source, feed);
    return;
  }
  auto files = std::make_shared<const std::vector<std::string>>(read_radar_files(what));
  GstElement* source = add(make_live_appsrc(
      feed.c_str(), GstCapsPtr(gst_caps_from_string("application/x-pcd, parsed=true"))));
  timed_sources_.push_back(std::make_unique<TimedSource>(
      GST_APP_SRC(source), options.radar_hz, [files](std::uint64_t number, double) {
        const std::string& file = (*files)[number % files->size()];
        GstBufferPtr buffer = allocate(file.size());
        gst_buffer_fill(buffer.get(), 0, file.data(), file.size());
        return buffer;
      }));
  connect_feed(add("radarpcdparse", source), feed);
}

void VehiclePipeline::start() {
  gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  for (const auto& source : timed_sources_) source->start();
  for (const auto& player : players_) player->start();
}

void VehiclePipeline::stop_feeds() {
  for (GstElement* valve : valves_) g_object_set(valve, "drop", TRUE, nullptr);
}

GstStructurePtr VehiclePipeline::stats() const {
  GstStructure* structure = nullptr;
  g_object_get(sink_, "stats", &structure, nullptr);
  return GstStructurePtr(structure);
}

gboolean VehiclePipeline::on_message(GstBus*, GstMessage* message, gpointer self) {
  auto* vehicle = static_cast<VehiclePipeline*>(self);
  GError* error = nullptr;
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error(message, &error, nullptr);
      vehicle->on_error_(std::string(GST_OBJECT_NAME(message->src)) + ": " + error->message);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning(message, &error, nullptr);
      g_printerr("farwheel-vehicle: %s: %s\n", GST_OBJECT_NAME(message->src), error->message);
      break;
    default:
      break;
  }
  const GErrorPtr owned(error);
  return G_SOURCE_CONTINUE;
}

}  // namespace farwheel
