// The vehicle's pipeline: cameras and radars, each a feed of one farwheelsink.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "file_player.h"
#include "support/gst_ptr.h"
#include "timed_source.h"

namespace farwheel {

struct VehicleOptions {
  std::string endpoint;
  std::string vehicle_id;
  // Each: "test", a video device (/dev/video0), or a file.
  std::vector<std::string> cameras;
  // Each: "test", a PCD file, or a folder of them.
  std::vector<std::string> radars;
  double radar_hz = 13;
  // Of the test camera.
  int width = 1280;
  int height = 720;
  double fps = 30;
  // farwheelsink's properties, NAME=VALUE.
  std::vector<std::string> properties;
};

class VehiclePipeline {
 public:
  using OnError = std::function<void(const std::string&)>;

  // Throws std::runtime_error that names the option or the element at fault. `on_error` is called
  // on the default main context.
  VehiclePipeline(const VehicleOptions& options, OnError on_error);
  ~VehiclePipeline();
  VehiclePipeline(const VehiclePipeline&) = delete;
  VehiclePipeline& operator=(const VehiclePipeline&) = delete;

  void start();
  // Cameras and radars fall silent; the session lives on, so that what is under way arrives.
  void stop_feeds();
  // farwheelsink's `stats`; empty if it gives none.
  GstStructurePtr stats() const;

 private:
  void add_camera(const std::string& what, const std::string& feed, const VehicleOptions& options);
  void add_radar(const std::string& what, const std::string& feed, const VehicleOptions& options);
  // Adds the element, linked behind `upstream` if there is one. Owned by the pipeline.
  GstElement* add(GstElementPtr element, GstElement* upstream = nullptr);
  GstElement* add(const char* factory, GstElement* upstream = nullptr);
  void connect_feed(GstElement* last, const std::string& feed);
  static gboolean on_message(GstBus* bus, GstMessage* message, gpointer self);

  OnError on_error_;
  GstElementPtr pipeline_;
  GstElement* sink_ = nullptr;  // owned by the pipeline
  std::vector<GstElement*> valves_;
  std::vector<std::unique_ptr<TimedSource>> timed_sources_;
  std::vector<std::unique_ptr<FilePlayer>> players_;
  guint watch_ = 0;
};

}  // namespace farwheel
