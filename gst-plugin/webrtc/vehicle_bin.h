// What farwheelsink does, behind its GObject: pads and feeds, the loop, the link to the station.
// State changes come from the application's thread and wait for the loop; the loop never waits for
// them.
#pragma once

#include <gst/gst.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "support/gst_ptr.h"
#include "webrtc/event_loop.h"
#include "webrtc/unit_log.h"
#include "webrtc/vehicle_feed.h"
#include "webrtc/vehicle_link.h"
#include "webrtc/vehicle_settings.h"

namespace farwheel {

class VehicleBin {
 public:
  explicit VehicleBin(GstElement* element) : element_(element) {}

  void set_property(guint id, const GValue* value);
  void get_property(guint id, GValue* value);
  GstPad* request_pad(GstPadTemplate* pad_template, const char* name);
  void release_pad(GstPad* pad);
  // The endpoint is checked here, so that a bad one fails the change to PAUSED.
  bool prepare();
  // Connects, and keeps connected, until pause().
  void play();
  void pause();
  void unprepare();
  // Takes apart what caps had built; streaming must have stopped.
  void reset_feeds();
  // For dispose.
  void remove_feeds();
  void on_session_error(GstObject* source, const std::string& text);

 private:
  void start_link();
  void start_link_when_ready();
  void on_eos();
  GstElement* make_rate_controller();
  void tell_path_changed();
  GstStructurePtr controller_stats();
  GstStructure* stats();

  GstElement* element_;
  std::mutex mutex_;  // all but what is said to be on the loop
  VehicleSettings settings_;
  std::string endpoint_;
  std::map<std::string, std::unique_ptr<VehicleFeed>> feeds_;
  std::shared_ptr<EventLoop> loop_;
  std::shared_ptr<VehicleLink> link_;
  GstElementPtr controller_;
  VehicleLinkSnapshot last_;
  // Open from prepare() to unprepare(), if a file was asked for.
  const std::shared_ptr<UnitLog> unit_log_ = std::make_shared<UnitLog>();
  bool warned_no_controller_ = false;
  // On the loop.
  bool waiting_for_caps_ = false;
  EventLoop::Timer caps_timer_;
};

}  // namespace farwheel
