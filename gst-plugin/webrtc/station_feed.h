// One received feed of a session: depayloader (and decoder of the radar's coding) into the lasting
// FeedOutlet, with capture times carried past the depayloader. Made before media can flow, linked
// to webrtcbin's pad when that appears.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "support/gst_ptr.h"
#include "webrtc/capture_times.h"
#include "webrtc/feed_outlet.h"
#include "webrtc/sdp_edits.h"
#include "webrtc/unit_log.h"

namespace farwheel {

// A capture time by the vehicle's wall clock (ns since 1970) on our clock.
using FromVehicleWall = std::function<std::optional<CaptureStamp>(std::uint64_t unix_ns)>;

// The capture time (vehicle's wall clock, ns since 1970) in an RTP packet's ntp-64 extension of
// this number; 0: it was not negotiated.
std::optional<std::uint64_t> capture_time_in(GstBuffer* packet, unsigned ntp64_id);

class StationFeed : public std::enable_shared_from_this<StationFeed> {
 public:
  struct Config {
    GstBin* bin = nullptr;
    GstElement* outlet = nullptr;
    FeedKind kind = FeedKind::kCamera;
    unsigned ntp64_id = 0;
    FromVehicleWall from_vehicle_wall;
    std::string name;
    std::shared_ptr<UnitLog> unit_log;  // never null
  };
  explicit StationFeed(Config config) : config_(std::move(config)) {}
  // Empty, or what is missing.
  std::string start();
  bool link(GstPad* webrtcbin_src);
  // Packets come but no picture does: asks for a key frame, now and then. A request may be lost
  // like anything else.
  void ask_if_stuck(GstClockTime now);
  void stop();

 private:
  using Hook = std::weak_ptr<StationFeed>;
  static GstPadProbeReturn on_rtp(GstPad* pad, GstPadProbeInfo* info, gpointer data);
  void read_capture_time(GstBuffer* buffer);

  const Config config_;
  std::vector<GstElement*> elements_;
  std::atomic<GstClockTime> last_rtp_{0};
  GstClockTime last_request_ = 0;
  std::mutex mutex_;  // captures_
  CaptureTimes captures_;
};

}  // namespace farwheel
