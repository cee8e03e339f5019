// The packets that wait for the pacer, one queue a feed: radar before cameras, bounded by time,
// whole frames dropped, a key frame never for the sake of a delta frame. Holds descriptors; the
// caller keeps the packets themselves under the token it gave.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "feedback/packet_result.h"
#include "pacing/ring_queue.h"
#include "units/data.h"

namespace farwheel {

enum class FeedKind { kCamera, kRadar };

enum class FrameKind {
  kKey,             // decodable alone
  kDelta,           // needs the frames before it
  kSweep,           // a radar sweep: decodable alone, stale quickly
  kRetransmission,  // a packet asked for again
};

struct FeedConfig {
  FeedKind kind = FeedKind::kCamera;
  // Share of what is left after the radar and the minima, relative to the other cameras. > 0.
  double weight = 1;
  DataRate min_bitrate = DataRate::from_kbps(150);
  DataRate max_bitrate = DataRate::from_mbps(8);
  // A unit that waited longer than this is dropped whole (a key frame: after three times this).
  TimeDelta max_queue_time = TimeDelta::from_millis(300);
};

struct QueuedPacket {
  // The caller's handle; given back exactly once, by next packet or by a drop.
  std::uint64_t token = 0;
  FeedId feed = 0;
  DataSize size = DataSize::zero();
  FrameKind kind = FrameKind::kDelta;
  // Last packet of its frame or sweep (RTP marker).
  bool ends_unit = false;
  Timestamp queued_at = Timestamp::infinite_past();
};

// What the queues gave up, and whether the feed needs a key frame because of it.
struct DroppedPacket {
  std::uint64_t token;
  FeedId feed;
};
inline constexpr std::size_t kUsualDrop = 512;  // packets; no bound
inline constexpr std::size_t kUsualFeeds = 8;
struct Drops {
  Drops() {
    packets.reserve(kUsualDrop);
    needs_key_frame.reserve(kUsualFeeds);
  }
  std::vector<DroppedPacket> packets;
  std::vector<FeedId> needs_key_frame;
};

// The two ways out: radar sweeps leave at once; what is asked for again, and cameras, are paced.
enum class Lane { kUnpaced, kPaced };

class FeedQueues {
 public:
  struct Config {
    // A feed is asked for a key frame no more often than this.
    TimeDelta key_request_interval = TimeDelta::from_millis(250);
    // A retransmission that waited longer is of no use to a jitter buffer any more.
    TimeDelta max_retransmission_wait = TimeDelta::from_millis(100);
    // A key frame may wait this many times max_queue_time: with none through, there is no picture.
    double key_frame_patience = 3;
  };

  void set_config(const Config& config) { config_ = config; }
  // Adds a feed or changes its settings; what it has queued stays.
  void set_feed(FeedId feed, const FeedConfig& config);
  void remove_feed(FeedId feed, Drops& drops);

  // Takes a packet; its token goes to drops if it cannot be of use (its feed is unknown or full, or
  // waits for a key frame).
  // True if a unit begins with it.
  bool push(const QueuedPacket& packet, Drops& drops);
  // Drops what waited too long, and says which feeds are due to be asked for a key frame.
  void expire(Timestamp now, Drops& drops);
  // Drops everything that waits in camera feeds whose picture cannot go on from it: those that wait
  // for a key frame, or have none queued since `fresh_since`. They are due to be asked for one.
  void restart_cameras(Timestamp fresh_since, Drops& drops);
  // Asks every camera for a key frame that nothing broke: the rate allows a sharper picture.
  void ask_for_key_frames(Timestamp now, Drops& drops);
  void clear(Drops& drops);

  // The packet that pop() would take, or nullptr.
  const QueuedPacket* head(Lane lane) const;
  QueuedPacket pop(Lane lane);
  // True if the paced head belongs to a unit of which part has left, or to a feed of which no unit
  // has left whole yet: what waits for its end waits for this packet.
  bool head_is_awaited() const;

  bool empty() const { return packets_ == 0; }
  std::int64_t packets() const { return packets_; }
  DataSize bytes() const { return bytes_; }
  // What a feed has queued, and what was left of it when its newest unit began: the part that the
  // pacer was too slow for.
  DataSize bytes(FeedId feed) const;
  DataSize backlog(FeedId feed) const;
  // Units dropped since the feed was added.
  std::int64_t units_dropped(FeedId feed) const;
  bool awaits_key_frame(FeedId feed) const;

 private:
  struct Unit {
    FrameKind kind = FrameKind::kDelta;
    Timestamp queued_at = Timestamp::infinite_past();
    DataSize bytes = DataSize::zero();  // still queued
    std::int64_t packets = 0;           // still queued
    bool complete = false;
    bool begun = false;  // part of it has left
  };
  struct Feed {
    FeedId id = 0;
    FeedConfig config;
    RingQueue<QueuedPacket> packets;
    RingQueue<Unit> units;
    RingQueue<QueuedPacket> retransmissions;
    DataSize bytes = DataSize::zero();  // without retransmissions
    DataSize left = DataSize::zero();   // of it, when the newest unit began
    bool unit_has_left = false;         // whole, to its end
    bool awaits_key = false;            // deltas are of no use until a key frame comes
    bool discards_unit = false;         // the unit that is still arriving was dropped
    FrameKind discarded_kind = FrameKind::kDelta;
    Timestamp last_key_request = Timestamp::infinite_past();
    double served = 0;  // bytes over weight, on the cameras' common scale
    std::int64_t units_dropped = 0;
  };

  Feed* find(FeedId id);
  const Feed* find(FeedId id) const;
  void drop_head_unit(Feed& feed, Drops& drops);
  void drop_to_key(Feed& feed, Drops& drops);
  void drop_retransmissions(Feed& feed, Drops& drops);
  void drop_oldest_retransmission(Feed& feed, Drops& drops);
  void expire_feed(Feed& feed, Timestamp now, Drops& drops);
  bool is_useless(Feed& feed, const QueuedPacket& packet);
  const Feed* next_radar() const;
  const Feed* next_camera() const;
  const Feed* next_retransmission() const;
  bool retransmission_first() const;

  Config config_;
  std::vector<Feed> feeds_;
  std::int64_t packets_ = 0;
  DataSize bytes_ = DataSize::zero();
  double served_ = 0;              // of the camera served last: where a feed that was idle joins
  std::optional<FeedId> current_;  // camera whose unit is being sent
  bool retransmitted_last_ = false;
};

}  // namespace farwheel
