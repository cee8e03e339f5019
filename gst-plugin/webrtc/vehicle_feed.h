// One request pad of farwheelsink with what hangs on it up to the FeedGate: built when the first
// caps tell what comes in, taken apart at READY. Its streaming thread never waits for the network;
// a source that isn't live is paced by the clock.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "support/gst_ptr.h"
#include "webrtc/feed_gate.h"
#include "webrtc/sdp_edits.h"

namespace farwheel {

struct VehicleFeedConfig {
  std::string name;  // "video_0"
  FeedStream stream;
  std::function<std::uint64_t()> start_bitrate;  // bit/s, for an encoder of ours
  std::shared_ptr<UnitLog> unit_log;
};

class VehicleFeed {
 public:
  struct Callbacks {
    std::function<void()> on_caps;
    std::function<void()> on_eos;
  };
  // Adds its fixed elements and the ghost pad to `bin`.
  VehicleFeed(GstElement* bin, VehicleFeedConfig config, Callbacks callbacks);
  ~VehicleFeed();
  VehicleFeed(const VehicleFeed&) = delete;
  VehicleFeed& operator=(const VehicleFeed&) = delete;

  GstPad* pad() const { return ghost_; }
  GstElement* gate() const { return gate_; }
  const VehicleFeedConfig& config() const { return config_; }
  bool has_caps() const;
  // What cuts its packets; null before the first caps.
  GstElementPtr payloader() const;
  bool at_eos() const { return eos_; }
  // Takes the dynamic part away; streaming must have stopped.
  void reset();

 private:
  static GstPadProbeReturn on_entry_event(GstPad* pad, GstPadProbeInfo* info, gpointer data);
  bool build(GstPad* entry_src, GstCaps* caps);
  std::vector<GstElement*> make_chain(const GstStructure* caps, std::string* missing) const;

  GstElement* bin_;
  const VehicleFeedConfig config_;
  Callbacks callbacks_;
  GstElement* entry_ = nullptr;  // capsfilter that says what the pad takes
  GstElement* gate_ = nullptr;
  GstPad* ghost_ = nullptr;
  mutable std::mutex mutex_;  // chain_
  std::vector<GstElement*> chain_;
  std::atomic<bool> eos_{false};
};

// A payloader's "mtu" where nothing is known of the path.
inline constexpr unsigned kPayloaderMtu = 1120;

// What pads of a kind take.
const char* feed_caps_text(FeedKind kind);

}  // namespace farwheel
