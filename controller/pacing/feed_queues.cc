#include "pacing/feed_queues.h"

#include <algorithm>

namespace farwheel {
namespace {

// Packets that one feed may have queued, whatever their age: bounds memory against a payloader that
// runs away while time stands still.
constexpr std::size_t kMaxPackets = 8192;
// A camera may run this far ahead of another's share before it has to pause inside a frame.
constexpr double kQuantumBytes = 16000;

}  // namespace

FeedQueues::Feed* FeedQueues::find(FeedId id) {
  for (Feed& feed : feeds_) {
    if (feed.id == id) return &feed;
  }
  return nullptr;
}

const FeedQueues::Feed* FeedQueues::find(FeedId id) const {
  return const_cast<FeedQueues*>(this)->find(id);
}

void FeedQueues::set_feed(FeedId id, const FeedConfig& config) {
  Feed* feed = find(id);
  if (feed == nullptr) {
    feed = &feeds_.emplace_back();
    feed->id = id;
    feed->served = served_;
  }
  feed->config = config;
  if (!(config.weight > 0)) feed->config.weight = 1;
}

void FeedQueues::remove_feed(FeedId id, Drops& drops) {
  Feed* feed = find(id);
  if (feed == nullptr) return;
  while (!feed->units.empty()) drop_head_unit(*feed, drops);
  drop_retransmissions(*feed, drops);
  if (current_ == id) current_.reset();
  feeds_.erase(feeds_.begin() + (feed - feeds_.data()));
}

// A packet that nobody could use: the rest of a dropped unit, or a delta after a break. A key frame
// ends the wait.
bool FeedQueues::is_useless(Feed& feed, const QueuedPacket& packet) {
  if (feed.discards_unit) {
    // A kind other than the dropped unit's means that its end was never marked: a new unit begins.
    const bool is_rest = packet.kind == feed.discarded_kind;
    if (!is_rest || packet.ends_unit) feed.discards_unit = false;
    if (is_rest) return true;
  }
  if (!feed.awaits_key || packet.kind == FrameKind::kSweep) return false;
  if (packet.kind == FrameKind::kKey) {
    feed.awaits_key = false;
    return false;
  }
  if (packet.ends_unit) ++feed.units_dropped;
  return true;
}

bool FeedQueues::push(const QueuedPacket& packet, Drops& drops) {
  Feed* feed = find(packet.feed);
  if (feed == nullptr) {
    drops.packets.push_back({packet.token, packet.feed});
    return false;
  }
  if (packet.kind == FrameKind::kRetransmission) {
    if (feed->retransmissions.size() >= kMaxPackets) {
      drops.packets.push_back({packet.token, packet.feed});
      return false;
    }
    feed->retransmissions.push_back(packet);
    ++packets_;
    bytes_ += packet.size;
    return false;
  }
  if (feed->packets.size() >= kMaxPackets) drop_to_key(*feed, drops);
  if (is_useless(*feed, packet)) {
    drops.packets.push_back({packet.token, packet.feed});
    return false;
  }
  if (feed->packets.empty() && feed->config.kind == FeedKind::kCamera) {
    feed->served = std::max(feed->served, served_);
  }
  const bool begins = feed->units.empty() || feed->units.back().complete;
  if (begins) {
    feed->left = feed->bytes;
    feed->units.push_back({.kind = packet.kind, .queued_at = packet.queued_at});
  }
  Unit& unit = feed->units.back();
  if (packet.kind == FrameKind::kKey) unit.kind = FrameKind::kKey;
  unit.bytes += packet.size;
  ++unit.packets;
  unit.complete = packet.ends_unit;
  feed->packets.push_back(packet);
  feed->bytes += packet.size;
  ++packets_;
  bytes_ += packet.size;
  return begins;
}

void FeedQueues::drop_head_unit(Feed& feed, Drops& drops) {
  Unit& unit = feed.units.front();
  for (; unit.packets > 0; --unit.packets) {
    const QueuedPacket& packet = feed.packets.front();
    drops.packets.push_back({packet.token, packet.feed});
    feed.bytes -= packet.size;
    bytes_ -= packet.size;
    --packets_;
    feed.packets.pop_front();
  }
  if (!unit.complete) {
    feed.discards_unit = true;
    feed.discarded_kind = unit.kind;
  }
  feed.units.pop_front();
  ++feed.units_dropped;
  if (current_ == feed.id) current_.reset();
}

void FeedQueues::drop_retransmissions(Feed& feed, Drops& drops) {
  while (!feed.retransmissions.empty()) drop_oldest_retransmission(feed, drops);
}

void FeedQueues::drop_oldest_retransmission(Feed& feed, Drops& drops) {
  const QueuedPacket& packet = feed.retransmissions.front();
  drops.packets.push_back({packet.token, packet.feed});
  bytes_ -= packet.size;
  --packets_;
  feed.retransmissions.pop_front();
}

// Gives up the head unit and everything that cannot be decoded without it: up to the next key
// frame.
void FeedQueues::drop_to_key(Feed& feed, Drops& drops) {
  if (feed.units.empty()) return;
  const bool is_sweep = feed.units.front().kind == FrameKind::kSweep;
  drop_head_unit(feed, drops);
  if (is_sweep) return;
  while (!feed.units.empty() && feed.units.front().kind == FrameKind::kDelta) {
    drop_head_unit(feed, drops);
  }
  // What was lost of frames before the break can no more complete a picture in time.
  drop_retransmissions(feed, drops);
  feed.awaits_key = feed.units.empty();
}

void FeedQueues::expire_feed(Feed& feed, Timestamp now, Drops& drops) {
  while (!feed.retransmissions.empty() &&
         now - feed.retransmissions.front().queued_at > config_.max_retransmission_wait) {
    drop_oldest_retransmission(feed, drops);
  }
  while (!feed.units.empty()) {
    const Unit& unit = feed.units.front();
    if (unit.packets == 0) return;
    const bool is_key = unit.kind == FrameKind::kKey;
    const TimeDelta limit = is_key ? feed.config.max_queue_time * config_.key_frame_patience
                                   : feed.config.max_queue_time;
    if (now - unit.queued_at <= limit) return;
    drop_to_key(feed, drops);
  }
}

void FeedQueues::expire(Timestamp now, Drops& drops) {
  for (Feed& feed : feeds_) {
    expire_feed(feed, now, drops);
    if (!feed.awaits_key) continue;
    if (now - feed.last_key_request < config_.key_request_interval) continue;
    feed.last_key_request = now;
    drops.needs_key_frame.push_back(feed.id);
  }
}

void FeedQueues::restart_cameras(Timestamp fresh_since, Drops& drops) {
  for (Feed& feed : feeds_) {
    if (feed.config.kind != FeedKind::kCamera) continue;
    // Everything before a fresh key frame goes; a stream that never had a break keeps nothing old.
    while (!feed.units.empty()) {
      const Unit& unit = feed.units.front();
      if (unit.kind == FrameKind::kKey && unit.queued_at >= fresh_since) break;
      drop_head_unit(feed, drops);
    }
    drop_retransmissions(feed, drops);
    if (feed.units.empty()) feed.awaits_key = true;
  }
}

void FeedQueues::ask_for_key_frames(Timestamp now, Drops& drops) {
  for (Feed& feed : feeds_) {
    if (feed.config.kind != FeedKind::kCamera || feed.awaits_key) continue;
    if (now - feed.last_key_request < config_.key_request_interval) continue;
    feed.last_key_request = now;
    drops.needs_key_frame.push_back(feed.id);
  }
}

void FeedQueues::clear(Drops& drops) {
  for (Feed& feed : feeds_) {
    while (!feed.units.empty()) drop_head_unit(feed, drops);
    drop_retransmissions(feed, drops);
    feed.discards_unit = false;
  }
}

const FeedQueues::Feed* FeedQueues::next_radar() const {
  const Feed* oldest = nullptr;
  for (const Feed& feed : feeds_) {
    if (feed.config.kind != FeedKind::kRadar || feed.packets.empty()) continue;
    if (!oldest || feed.packets.front().queued_at < oldest->packets.front().queued_at)
      oldest = &feed;
  }
  return oldest;
}

// Start-time fair queueing (Goyal et al., SIGCOMM 1996) by frames: the camera that was served least
// for its weight, but a frame once begun goes on until it ends or its feed runs a quantum ahead.
const FeedQueues::Feed* FeedQueues::next_camera() const {
  const Feed* least = nullptr;
  const Feed* current = nullptr;
  for (const Feed& feed : feeds_) {
    if (feed.config.kind != FeedKind::kCamera || feed.packets.empty()) continue;
    if (current_ == feed.id) current = &feed;
    if (!least || feed.served < least->served) least = &feed;
  }
  if (current == nullptr) return least;
  const double ahead = (current->served - least->served) * current->config.weight;
  return ahead < kQuantumBytes ? current : least;
}

const FeedQueues::Feed* FeedQueues::next_retransmission() const {
  const Feed* oldest = nullptr;
  for (const Feed& feed : feeds_) {
    if (feed.retransmissions.empty()) continue;
    if (!oldest ||
        feed.retransmissions.front().queued_at < oldest->retransmissions.front().queued_at) {
      oldest = &feed;
    }
  }
  return oldest;
}

// What was lost goes first, but never more than every second packet: a peer that asks for
// everything again must not silence the cameras.
bool FeedQueues::retransmission_first() const {
  if (next_retransmission() == nullptr) return false;
  return !retransmitted_last_ || next_camera() == nullptr;
}

const QueuedPacket* FeedQueues::head(Lane lane) const {
  if (lane == Lane::kUnpaced) {
    const Feed* radar = next_radar();
    return radar ? &radar->packets.front() : nullptr;
  }
  if (retransmission_first()) return &next_retransmission()->retransmissions.front();
  const Feed* camera = next_camera();
  return camera ? &camera->packets.front() : nullptr;
}

bool FeedQueues::head_is_awaited() const {
  if (retransmission_first()) return false;
  const Feed* camera = next_camera();
  return camera != nullptr && (!camera->unit_has_left || camera->units.front().begun);
}

QueuedPacket FeedQueues::pop(Lane lane) {
  const bool is_retransmission = lane == Lane::kPaced && retransmission_first();
  const Feed* chosen = is_retransmission        ? next_retransmission()
                       : lane == Lane::kUnpaced ? next_radar()
                                                : next_camera();
  if (chosen == nullptr) return {};
  Feed& feed = *find(chosen->id);
  if (lane == Lane::kPaced) retransmitted_last_ = is_retransmission;
  RingQueue<QueuedPacket>& queue = is_retransmission ? feed.retransmissions : feed.packets;
  const QueuedPacket packet = queue.front();
  queue.pop_front();
  --packets_;
  bytes_ -= packet.size;
  if (is_retransmission) return packet;
  feed.bytes -= packet.size;
  Unit& unit = feed.units.front();
  unit.bytes -= packet.size;
  --unit.packets;
  unit.begun = true;
  const bool ended = unit.packets == 0 && unit.complete;
  if (ended) {
    feed.units.pop_front();
    feed.unit_has_left = true;
  }
  if (lane == Lane::kPaced) {
    served_ = feed.served;
    feed.served += static_cast<double>(packet.size.bytes()) / feed.config.weight;
    if (ended) {
      current_.reset();
    } else {
      current_ = feed.id;
    }
  }
  return packet;
}

DataSize FeedQueues::bytes(FeedId id) const {
  const Feed* feed = find(id);
  return feed ? feed->bytes : DataSize::zero();
}

DataSize FeedQueues::backlog(FeedId id) const {
  const Feed* feed = find(id);
  return feed ? std::min(feed->bytes, feed->left) : DataSize::zero();
}

std::int64_t FeedQueues::units_dropped(FeedId id) const {
  const Feed* feed = find(id);
  return feed ? feed->units_dropped : 0;
}

bool FeedQueues::awaits_key_frame(FeedId id) const {
  const Feed* feed = find(id);
  return feed != nullptr && feed->awaits_key;
}

}  // namespace farwheel
