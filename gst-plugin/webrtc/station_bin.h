// What farwheelsrc does, behind its GObject: the loop, the WHIP endpoint with its session, and the
// pads that outlast sessions.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "support/gst_ptr.h"
#include "webrtc/event_loop.h"
#include "webrtc/sdp_edits.h"
#include "webrtc/station_link.h"
#include "webrtc/station_settings.h"
#include "webrtc/unit_log.h"

namespace farwheel {

class StationBin {
 public:
  explicit StationBin(GstElement* element) : element_(element) {}
  void set_property(guint id, const GValue* value);
  void get_property(guint id, GValue* value);
  // False with an error posted: cannot listen.
  bool prepare();
  void set_playing(bool playing);
  void unprepare();
  void on_session_error(GstObject* source, const std::string& text);

 private:
  struct Outlet {
    std::string name;
    FeedKind kind = FeedKind::kCamera;
    GstElement* element = nullptr;  // owned by the bin
    GstPad* ghost = nullptr;
  };

  GstElement* outlet_of(const OfferedFeed& feed);
  GstStructure* stats();

  GstElement* element_;
  // Open from prepare() to unprepare(), if a file was asked for.
  const std::shared_ptr<UnitLog> unit_log_ = std::make_shared<UnitLog>();
  std::mutex mutex_;
  StationSettings settings_;
  std::vector<Outlet> outlets_;
  std::shared_ptr<EventLoop> loop_;
  std::shared_ptr<StationLink> link_;
};

}  // namespace farwheel
