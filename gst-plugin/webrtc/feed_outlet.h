// FeedOutlet: the element behind each pad of farwheelsrc. It stays while sessions come and go: each
// session gets an input pad of its own, and what comes out is one continuous stream (one
// stream-start, one segment, caps only when they change, DISCONT and a key frame first after a
// change of session). No flow result goes back into a session: a pad that nobody linked is no
// fault. It answers the latency query by itself, so that it is the same with and without a vehicle.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "support/gst_ptr.h"
#include "webrtc/sdp_edits.h"

namespace farwheel {

// On the station's monotonic clock.
struct CaptureStamp {
  GstClockTime capture = 0;
  GstClockTime error = 0;
};
// Asked on the streaming thread for each unit, by its timestamp.
using CaptureOf = std::function<std::optional<CaptureStamp>(GstClockTime pts)>;

struct FeedOutletConfig {
  FeedKind kind = FeedKind::kCamera;
  std::string name;
  GstClockTime latency = 0;
};

struct FeedOutletCounts {
  std::uint64_t units = 0;
  GstClockTime last_unit = 0;  // monotonic clock, 0: never
};

// A floating element with a pad "src".
GstElement* make_feed_outlet(const FeedOutletConfig& config);
// A fresh input in place of the last one, which stays harmless until it is unlinked by whoever
// linked it. The pad belongs to the element.
GstPad* new_outlet_input(GstElement* outlet, CaptureOf capture_of);
// Takes the input away; what still arrives there is dropped.
void close_outlet_input(GstElement* outlet);
// Sends a key-frame request into the present session.
void request_outlet_key(GstElement* outlet);
FeedOutletCounts outlet_counts(GstElement* outlet);

}  // namespace farwheel
