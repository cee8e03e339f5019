// The station in virtual time: a receiver's clock, transport-wide reports every 10 ms as
// farwheelsrc has it (twcc-feedback-interval), requests for lost packets, and for a key frame where
// they did not help. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "feedback/feedback_adapter.h"
#include "media/media_config.h"
#include "media/media_link.h"
#include "pacing/feed_queues.h"
#include "path/random.h"
#include "sim/event_queue.h"

namespace farwheel::lab::media {

class StationModel {
 public:
  // What goes back to the vehicle; each takes the link's way back.
  struct Replies {
    std::function<void(std::span<const ReportedPacket>)> report;
    std::function<void(FeedId, std::int64_t rtp_sequence)> resend;
    std::function<void(FeedId)> key_frame;
  };
  StationModel(sim::EventQueue& events, MediaLink& link, const MediaConfig& config,
               std::size_t vehicle, Replies replies);

  void set_flow(std::size_t flow) { flow_ = flow; }
  // A packet of the transport's number `number` came; `sequence`: its feed's own, as first sent.
  // `is_camera`: what is missing before it is worth asking for. True if it came for the first time.
  bool on_packet(PacketNumber number, FeedId feed, std::int64_t sequence, FeedKind kind);
  // A key frame is whole from `first` on: nothing before it is needed any more.
  void on_key_frame(FeedId feed, std::int64_t first);

 private:
  struct Missing {
    std::int64_t sequence;
    Timestamp since;
    Timestamp asked_at;
    int asked;
  };
  struct Stream {
    std::vector<bool> got;
    std::int64_t next = 0;  // one past the highest that came
    std::int64_t needed_from = 0;
    std::vector<Missing> missing;
    Timestamp key_asked_at = Timestamp::infinite_past();
    bool watched = false;
  };
  Stream& stream(FeedId feed);
  std::int64_t receiver_ns() const;
  void report();
  void watch(FeedId feed);
  void look_after(FeedId feed);

  sim::EventQueue& events_;
  MediaLink& link_;
  Replies replies_;
  std::size_t flow_ = 0;
  double clock_rate_;
  std::int64_t clock_offset_ns_;
  TimeDelta grid_phase_ = TimeDelta::zero();
  TimeDelta retry_;
  std::vector<ReportedPacket> pending_;
  PacketNumber next_to_report_ = 0;
  std::vector<PacketNumber> received_;  // since the last report
  std::vector<std::int64_t> received_ns_;
  bool report_due_ = false;
  std::vector<Stream> streams_;
};

}  // namespace farwheel::lab::media
