// A vehicle in virtual time: cameras that follow their targets, a radar, and the product's
// SendController driven as rtpbbrcc drives it: packets queued at capture, sent when it says so, a
// tick every 10 ms and after each report, encoders set then. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "media/camera_model.h"
#include "media/media_config.h"
#include "media/media_link.h"
#include "media/station_model.h"
#include "media/unit_log.h"
#include "send_controller.h"
#include "sim/event_queue.h"

namespace farwheel::lab::media {

class VehicleModel {
 public:
  // RTP 12, extensions 16, FU-A 2, SRTP tag 10: what is not the encoder's in a packet.
  static constexpr std::int64_t kHeaders = 40;
  // UDP payload of a full packet.
  static constexpr std::int64_t kPacket = 1200;
  // IP and UDP, which the controller counts; what is below them it can't see.
  static constexpr std::int64_t kCounted = 28;

  VehicleModel(sim::EventQueue& events, MediaLink& link, const MediaConfig& config,
               std::size_t index);

  const VehicleLog& log() const { return log_; }
  std::size_t flow() const { return flow_; }
  // Empty, or what is wrong with the parameters asked for.
  const std::string& fault() const { return fault_; }
  // Takes from the controller what it counted itself. To be called once, at the end.
  VehicleLog finish();

 private:
  struct Waiting {
    FeedId feed;
    std::int64_t sequence;
    std::int64_t bytes;  // UDP payload
    bool is_retransmission;
  };
  struct Packet {  // by its feed's sequence
    std::int32_t unit;
    std::int32_t bytes;
    bool arrived = false;
    bool dropped = false;
  };
  struct Flight {  // by its transport number
    Timestamp sent = Timestamp::infinite_past();
    FeedId feed = 0;
    std::int64_t sequence = 0;
  };
  struct Feed {
    FeedKind kind;
    std::optional<CameraModel> camera;
    std::vector<Packet> packets;
    double weight = 1;
  };

  FeedConfig feed_config(const Feed& feed) const;
  ControllerConfig controller_config() const;
  bool is_paused() const;
  void capture(FeedId feed);
  void sweep(FeedId feed);
  void queue_unit(FeedId feed, std::int64_t bytes, FrameKind kind);
  void resend(FeedId feed, std::int64_t sequence);
  void pump();
  void send(std::uint64_t token);
  void control();
  void tick();
  void write_series();
  void wake_at(Timestamp when);
  void on_arrival(PacketNumber number);

  sim::EventQueue& events_;
  MediaLink& link_;
  const MediaConfig& config_;
  std::size_t index_;
  SendController controller_;
  std::string fault_;
  std::size_t flow_ = 0;
  std::unique_ptr<StationModel> station_;
  std::vector<Feed> feeds_;
  std::unordered_map<std::uint64_t, Waiting> waiting_;
  std::vector<Flight> flights_;
  std::uint64_t next_token_ = 1;
  std::optional<Timestamp> wake_;
  VehicleLog log_;
};

}  // namespace farwheel::lab::media
