// One webrtcbin on the station, from a vehicle's offer to teardown. Lives on the bin's EventLoop;
// webrtcbin's callbacks hop there, but for pads (linked where they appear, before media) and
// data-channel messages (their time of arrival is the point). Never reused.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "support/gst_ptr.h"
#include "webrtc/event_loop.h"
#include "webrtc/ice_paths.h"
#include "webrtc/ice_setup.h"
#include "webrtc/receive_counters.h"
#include "webrtc/repair_wait.h"
#include "webrtc/rtp_setup.h"
#include "webrtc/sdp_edits.h"
#include "webrtc/session_clock.h"
#include "webrtc/station_feed.h"
#include "webrtc/telemetry.h"
#include "webrtc/unit_log.h"

typedef struct _GstWebRTCDataChannel GstWebRTCDataChannel;

namespace farwheel {

struct StationSessionConfig {
  GstBin* bin = nullptr;  // outlives the session
  std::string vehicle_id;
  IceServers ice;
  unsigned latency_ms = 20;  // jitter buffers' least
  OfferResult offer;
  // The lasting outlet of a feed of the offer, never null.
  std::function<GstElement*(const OfferedFeed&)> outlet_of;
  std::shared_ptr<UnitLog> unit_log;  // never null
};

// What a session knows about itself; ages count from the monotonic clock.
struct StationSessionReport {
  bool connected = false;
  bool encrypted = false;
  GstClockTime connected_at = 0;
  GstClockTime last_media = 0;  // 0: none yet
  GstClockTime last_state = 0;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;
  std::uint64_t throughput_bps = 0;
  std::uint64_t channel_bytes = 0;
  std::optional<double> loss;
  std::optional<ClockEstimate> clock;
  std::optional<std::int64_t> clock_rtt_ns;
  std::optional<double> skew_ppm;
  std::optional<TimeWithError> one_way_delay;
  GstStructurePtr controller;  // null: no state message yet
};

class StationSession : public std::enable_shared_from_this<StationSession> {
 public:
  struct Callbacks {
    std::function<void(std::string answer)> on_answer;
    std::function<void(std::string why)> on_failed;
  };
  StationSession(std::shared_ptr<EventLoop> loop, StationSessionConfig config, Callbacks callbacks);
  void start();
  void stop();
  // Pings at their times, looks whether keys are in use. Every 25 ms or so, on the loop.
  void tick();
  bool contains(GstObject* object) const;
  const std::string& vehicle_id() const { return config_.vehicle_id; }
  GstClockTime created_at() const { return created_at_; }
  // The last RTP packet, 0: none. Any thread, as report().
  GstClockTime last_media() const { return last_media_; }
  StationSessionReport report() const;

 private:
  struct Hook;
  void connect_signals();
  void on_remote_set(const std::string& error);
  void on_answer_created(const GstStructure* reply, const std::string& error);
  void publish_answer();
  void on_state();
  void fail(const std::string& why);
  void on_pad(GstPad* pad);
  void on_packet(GstBuffer* buffer);
  void log_packet(GstBuffer* buffer) const;
  void on_channel(GstWebRTCDataChannel* channel);
  void on_channel_message(const char* text);
  void set_repair();
  void follow(const PathMessage& path);

  std::shared_ptr<EventLoop> loop_;
  StationSessionConfig config_;
  Callbacks callbacks_;
  RepairWait repair_wait_;
  const GstClockTime created_at_;
  std::shared_ptr<RtpSetup> rtp_setup_;
  GstElement* webrtcbin_ = nullptr;  // owned by the bin
  GstObjectPtr<GstObject> ice_agent_;
  std::map<unsigned, std::shared_ptr<StationFeed>> feeds_;  // by m-line; fixed once started
  EventLoop::Timer gather_timeout_;
  bool answer_published_ = false;
  GstClockTime next_ping_ = 0;
  SessionClock clock_;
  std::atomic<bool> encrypted_{false};
  std::atomic<GstClockTime> connected_at_{0};
  std::atomic<GstClockTime> last_media_{0};
  std::atomic<std::uint64_t> channel_bytes_{0};

  mutable std::mutex mutex_;  // the rest
  GObjectPtr<GstWebRTCDataChannel> channel_;
  std::shared_ptr<IcePaths> ice_paths_;
  ReceiveCounters counters_;
  GstStructurePtr controller_;
  GstClockTime last_state_ = 0;
};

}  // namespace farwheel
