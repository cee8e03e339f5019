// Keeps a vehicle connected: attempt, watch, tear down, wait a little, again, for ever. Owns the
// WHIP client and at most one VehicleSession. Lives on the bin's EventLoop; snapshot()
// may be called from anywhere.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <mutex>
#include <string>

#include "webrtc/event_loop.h"
#include "webrtc/vehicle_session.h"
#include "webrtc/whip_client.h"

namespace farwheel {

struct VehicleLinkConfig {
  std::string endpoint;  // full URL, checked
  std::string auth_token;
  VehicleSessionConfig session;  // with all feeds, radar too
};

struct VehicleLinkSnapshot {
  const char* connection = "connecting";
  bool encrypted = false;
  std::string session_url;
  std::uint64_t sessions_total = 0;
  std::uint64_t datachannel_bytes = 0;
  std::uint64_t path_checks = 0;
  std::uint64_t uplink_changes = 0;
};

class VehicleLink : public std::enable_shared_from_this<VehicleLink> {
 public:
  struct Callbacks {
    // Why there is no connection; told once an outage, or when the reason changes.
    std::function<void(const std::string& why)> on_trouble;
    // The rate controller's stats now, or null.
    std::function<GstStructurePtr()> controller_stats;
  };

  VehicleLink(std::shared_ptr<EventLoop> loop, VehicleLinkConfig config, Callbacks callbacks);
  // On the loop.
  void start();
  // On the loop. `done` comes when the station has been told, or at once if there is nobody to
  // tell; wait for it with a bound.
  void stop(std::function<void()> done);
  // Another preferred interface, for this session and those to come. On the loop.
  void prefer_uplink(const std::string& interface);
  // An error message came from inside a session. Any thread.
  void on_session_error(GstObject* source, const std::string& text);

  VehicleLinkSnapshot snapshot() const;

 private:
  void attempt();
  void start_session(bool with_radar);
  void on_offer(const std::string& offer);
  void on_connected();
  void fail(const std::string& why);
  void retry_later();
  void end_session();
  void watch();
  // Nothing comes from the station: asks it by HTTP what became of the session.
  void watch_silence(GstClockTime now, GstClockTime silent_for);
  void on_session_asked(GstClockTime asked_at, const WhipReply& reply);

  std::shared_ptr<EventLoop> loop_;
  const VehicleLinkConfig config_;
  std::string uplink_;
  Callbacks callbacks_;
  std::unique_ptr<WhipClient> client_;
  std::shared_ptr<VehicleSession> session_;
  std::string session_url_;
  std::string last_trouble_;
  EventLoop::Timer watch_timer_;
  EventLoop::Timer retry_timer_;
  unsigned backoff_ms_ = 0;
  bool connected_ = false;
  bool slot_taken_ = false;
  bool stopped_ = false;
  bool asking_ = false;  // a reply about the session is awaited
  GstClockTime asked_at_ = 0;
  GstClockTime answered_at_ = GST_CLOCK_TIME_NONE;  // first, in the present silence
  GstClockTime since_ = 0;                          // of the attempt, or of the connection
  std::uint64_t earlier_channel_bytes_ = 0;
  std::uint64_t earlier_path_checks_ = 0;
  std::uint64_t earlier_uplink_changes_ = 0;

  mutable std::mutex mutex_;  // snapshot_
  VehicleLinkSnapshot snapshot_;
};

}  // namespace farwheel
