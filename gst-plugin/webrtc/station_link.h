// The station's WHIP endpoint with the one session that it may hold: who is admitted, who takes
// over, when a session counts as dead. Lives on the bin's EventLoop; snapshot() from anywhere.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "webrtc/event_loop.h"
#include "webrtc/session_slot.h"
#include "webrtc/station_session.h"
#include "webrtc/whip_server.h"

namespace farwheel {

struct StationLinkConfig {
  GstBin* bin = nullptr;
  ListenAddress listen;
  std::string auth_token;
  IceServers ice;
  unsigned latency_ms = 20;
  bool takes_radar = false;
  std::shared_ptr<UnitLog> unit_log;                         // never null
  std::function<GstElement*(const OfferedFeed&)> outlet_of;  // called on the loop
};

struct StationLinkSnapshot {
  std::string listening;
  const char* connection = "waiting";
  std::string vehicle_id;
  std::uint64_t sessions = 0;
  std::uint64_t sessions_total = 0;
  StationSessionReport report;  // of the present session; empty without one
};

class StationLink : public std::enable_shared_from_this<StationLink> {
 public:
  StationLink(std::shared_ptr<EventLoop> loop, StationLinkConfig config);
  // Empty, or why it cannot listen.
  [[nodiscard]] std::string start();
  void stop();
  // Offers are refused with 503 until then, and again afterwards.
  void set_playing(bool playing);
  void on_session_error(GstObject* source, const std::string& text);
  StationLinkSnapshot snapshot() const;

 private:
  enum class Ending { kWaiting, kLost };
  void on_offer(const std::string& vehicle_id, const std::string& offer,
                std::shared_ptr<WhipResponder> responder);
  bool knows(const WhipPath& path) const;
  bool on_delete(const WhipPath& path);
  void end_session(Ending ending);
  void watch();

  std::shared_ptr<EventLoop> loop_;
  const StationLinkConfig config_;
  std::unique_ptr<WhipServer> server_;
  std::string session_id_;
  EventLoop::Timer watch_timer_;
  bool playing_ = false;

  mutable std::mutex mutex_;  // the rest; session_ is changed on the loop only
  std::shared_ptr<StationSession> session_;
  std::string listening_;
  std::string vehicle_id_;
  Ending ending_ = Ending::kWaiting;
  std::uint64_t sessions_total_ = 0;
};

}  // namespace farwheel
