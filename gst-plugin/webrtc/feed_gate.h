// FeedGate: the element at the end of a vehicle's feed, between payloader and webrtcbin. Sessions
// come and go behind it; the feed never notices: closed, it drops; open, it writes the capture time
// into the ntp-64 extension and pushes, and no flow error of a dying session goes upstream. It
// keeps EOS (a session must survive it) and upstream TWCC events (nothing before it has a use for
// them). Calls from any thread; the callbacks run on the streaming thread.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "support/gst_ptr.h"
#include "webrtc/sdp_edits.h"
#include "webrtc/unit_log.h"

namespace farwheel {

struct FeedGateCallbacks {
  std::function<void()> on_caps;  // the first caps, or others
  std::function<void()> on_eos;
};

struct FeedStream {
  FeedKind kind = FeedKind::kCamera;
  unsigned payload = 96;
  std::uint32_t ssrc = 0;
};

// A floating element with pads "sink" and "src" (application/x-rtp).
GstElement* make_feed_gate(const FeedStream& stream, FeedGateCallbacks callbacks);

// From now on key frames (then everything) go to the session behind. Asks the encoder for one.
void open_feed_gate(GstElement* gate);
void close_feed_gate(GstElement* gate);
// The profile-level-id that the payloader named last; empty: not yet any caps.
std::string feed_gate_profile(GstElement* gate);
bool feed_gate_has_caps(GstElement* gate);
// What webrtcbin is told of a feed, in the codec preferences and as caps: what cannot change while
// a session runs. A camera that restarts with another profile must not be refused by the caps.
GstCapsPtr sent_feed_caps(const FeedStream& stream);
// Before the payloader: drops whole units that would be useless behind the gate.
void gate_units_at(GstElement* gate, GstPad* payloader_sink);
// Where buffers enter the feed: remembers capture times that they bear as timestamp/x-unix.
void read_capture_times_at(GstElement* gate, GstPad* entry);
// From now on `log`, while it is open, is told what was captured and what was sent. Before buffers
// flow.
void log_units_of(GstElement* gate, std::shared_ptr<UnitLog> log, const std::string& feed);
// Frees the callbacks (they may hold what holds the gate). No callback runs after it returns.
void silence_feed_gate(GstElement* gate);

}  // namespace farwheel
