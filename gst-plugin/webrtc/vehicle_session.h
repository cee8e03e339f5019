// One webrtcbin on the vehicle, from offer to teardown. Lives on the bin's EventLoop; webrtcbin's
// callbacks hop there, but for data-channel messages, which are answered where they arrive (their
// time is the point). After stop() no callback comes. Sessions are never reused: webrtcbin 1.22 has
// no ICE restart.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/gst_ptr.h"
#include "webrtc/event_loop.h"
#include "webrtc/feed_gate.h"
#include "webrtc/ice_check.h"
#include "webrtc/ice_paths.h"
#include "webrtc/ice_setup.h"
#include "webrtc/path_check.h"
#include "webrtc/route_events.h"
#include "webrtc/rtp_setup.h"
#include "webrtc/sdp_edits.h"
#include "webrtc/uplink_choice.h"

typedef struct _GstWebRTCDataChannel GstWebRTCDataChannel;

namespace farwheel {

struct SessionFeed {
  std::string name;
  FeedStream stream;
  GstElement* gate = nullptr;  // outlives the session
};

struct VehicleSessionConfig {
  GstBin* bin = nullptr;  // outlives the session
  std::string vehicle_id;
  IceServers ice;
  bool retransmit = true;
  std::vector<SessionFeed> feeds;
  // Makes the element between payloads and the network, or null. Called on webrtcbin's thread.
  std::function<GstElement*()> make_rate_controller;
  // The path under the session is another one. On the loop.
  std::function<void()> path_changed;
  // The interface that the application prefers; empty: none.
  std::string uplink;
};

class VehicleSession : public std::enable_shared_from_this<VehicleSession> {
 public:
  struct Callbacks {
    std::function<void(std::string offer)> on_offer;
    std::function<void()> on_connected;
    std::function<void(std::string why)> on_failed;
  };

  VehicleSession(std::shared_ptr<EventLoop> loop, VehicleSessionConfig config, Callbacks callbacks);
  void start();
  void set_answer(const std::string& text);
  // Complete: threads joined, elements gone.
  void stop();
  void send_state(const GstStructure* controller_stats);

  // Whether a bus message comes from inside this session.
  bool contains(GstObject* object) const;
  bool is_encrypted() const { return webrtcbin_ && rtp_setup_->is_encrypted(webrtcbin_); }
  // Another preferred interface. On the loop.
  void prefer_uplink(const std::string& interface);
  // The last RTCP or data-channel message from the station, monotonic clock; 0: none yet.
  GstClockTime last_sign() const { return last_sign_; }
  std::uint64_t datachannel_bytes() const { return channel_bytes_; }
  std::uint64_t uplink_changes() const { return uplink_changes_; }
  // Checks of the path that silences of the station led to.
  std::uint64_t path_checks() const { return path_check_ ? path_check_->sent() : path_checks_; }

 private:
  struct Hook;
  void add_feed(const SessionFeed& feed);
  void add_channel();
  void on_offer_created(const GstStructure* reply, const std::string& error);
  void publish_offer();
  void on_state();
  void read_credentials(const GstSDPMessage* answer);
  void watch_path();
  void watch_uplinks(GstClockTime now);
  void plan_uplink();
  void change_uplink(const IcePath& path, const std::string& why);
  void tell_path(GstClockTime now);
  void fail(const std::string& why);
  void on_channel_message(GstWebRTCDataChannel* channel, const char* text);
  void send(GstWebRTCDataChannel* channel, const std::string& text);

  std::shared_ptr<EventLoop> loop_;
  VehicleSessionConfig config_;
  Callbacks callbacks_;
  std::shared_ptr<RtpSetup> rtp_setup_;
  GstElement* webrtcbin_ = nullptr;  // owned by the bin
  GstObjectPtr<GstObject> ice_agent_;
  GObjectPtr<GstWebRTCDataChannel> channel_;
  EventLoop::Timer gather_timeout_;
  EventLoop::Timer path_timer_;
  std::optional<IceCredentials> credentials_;
  std::unique_ptr<PathCheck> path_check_;  // while connected
  std::unique_ptr<IcePaths> ice_paths_;    // while connected
  UplinkChoice uplink_choice_;
  UplinkPlan uplink_plan_;
  bool has_uplink_ = false;  // or had
  std::unique_ptr<RouteEvents> route_events_;  // while connected
  std::optional<IcePath> told_path_;           // until the station is heard over it
  GstClockTime told_at_ = 0;
  std::uint64_t uplink_changes_ = 0;
  std::uint64_t path_checks_ = 0;  // of the one that was
  GstClockTime connected_at_ = 0;
  bool offer_published_ = false;
  bool connected_ = false;
  std::atomic<GstClockTime> last_sign_{0};
  std::atomic<std::uint64_t> channel_bytes_{0};
};

}  // namespace farwheel
