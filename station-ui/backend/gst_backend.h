// The real backend: farwheelsrc, and behind each of its pads a decoder or the radar's sink.
// Everything that may wait (loading GStreamer, state changes, the network) happens in a thread of
// its own with its own main context; pads come and go in farwheelsrc's threads.
#pragma once

#include <gst/gst.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backend/camera_branch.h"
#include "backend/radar_branch.h"
#include "backend/station_backend.h"
#include "support/gst_ptr.h"

namespace farwheel::station {

struct GstBackendOptions {
  std::string listen;    // ADDRESS:PORT
  std::string token;     // empty: none asked
  std::string unit_log;  // farwheelsrc's property
};

class GstBackend : public StationBackend {
  Q_OBJECT

 public:
  explicit GstBackend(GstBackendOptions options, QObject* parent = nullptr);
  // Joins the thread: stop() first, and wait for `stopped`.
  ~GstBackend() override;

  void start() override;
  void stop() override;

 private:
  struct Branches {
    std::map<GstPad*, std::unique_ptr<CameraBranch>> cameras;
    std::map<GstPad*, std::unique_ptr<RadarBranch>> radars;
  };

  void run();
  bool build();
  void tear_down();
  void read_figures();
  void on_message(GstMessage* message);
  void add_pad(GstPad* pad);
  void add_camera(GstPad* pad, const std::string& name);
  void add_radar(GstPad* pad);
  void remove_pad(GstPad* pad);
  void give_up(const std::string& what);

  static void on_pad_added(GstElement* source, GstPad* pad, gpointer self);
  static void on_pad_removed(GstElement* source, GstPad* pad, gpointer self);

  GstBackendOptions options_;
  std::thread thread_;
  GMainContext* context_;
  GMainLoop* loop_;
  // The backend's thread only.
  GstElementPtr pipeline_;
  GstElement* source_ = nullptr;  // owned by the pipeline
  std::uint64_t skipped_before_ = 0;
  std::optional<Nanoseconds> overloaded_at_;
  // Pads come in farwheelsrc's threads. Never held while elements change state.
  std::mutex mutex_;
  Branches branches_;
  std::map<std::string, std::shared_ptr<FrameMailbox>> mailboxes_;
};

}  // namespace farwheel::station
