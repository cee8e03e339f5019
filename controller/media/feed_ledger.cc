#include "media/feed_ledger.h"

#include <algorithm>

namespace farwheel {
namespace {

// Mean packet size before any is seen: one full packet.
constexpr DataSize kFullPacket = DataSize::from_bytes(1246);
// An encoder within this share of its target follows it; VBV and frame sizes make up the rest.
constexpr double kFollows = 0.8;

DataRate rate(const WindowedSum& bytes, Timestamp now) {
  const std::int64_t sum = bytes.sum(now);
  if (sum == 0) return DataRate::zero();
  return DataSize::from_bytes(sum) / bytes.covered(now);
}

}  // namespace

FeedLedger::Feed* FeedLedger::find(FeedId id) {
  const auto feed =
      std::find_if(feeds_.begin(), feeds_.end(), [id](const Feed& f) { return f.id == id; });
  return feed == feeds_.end() ? nullptr : &*feed;
}

const FeedLedger::Feed* FeedLedger::find(FeedId id) const {
  return const_cast<FeedLedger*>(this)->find(id);
}

void FeedLedger::set_feed(FeedId id, const FeedConfig& config) {
  Feed* feed = find(id);
  if (feed == nullptr) feed = &feeds_.emplace_back(Feed{id, config});
  feed->config = config;
  if (!(config.weight > 0)) feed->config.weight = 1;
}

void FeedLedger::remove_feed(FeedId id) {
  std::erase_if(feeds_, [id](const Feed& feed) { return feed.id == id; });
}

void FeedLedger::on_queued(Timestamp now, const QueuedPacket& packet) {
  Feed* feed = find(packet.feed);
  if (feed == nullptr || packet.kind == FrameKind::kRetransmission) return;
  feed->queued.add(now, packet.size.bytes());
  feed->packets.add(now, 1);
  feed->radar.add(now, packet.size.bytes());
}

void FeedLedger::on_sent(Timestamp now, const SentPacket& packet) {
  Feed* feed = find(packet.feed);
  if (feed == nullptr) return;
  feed->sent.add(now, packet.size.bytes());
  ++feed->packets_sent;
}

void FeedLedger::on_key_request(FeedId id) {
  if (Feed* feed = find(id)) ++feed->key_frames_requested;
}

double FeedLedger::share(Timestamp now) const {
  std::int64_t bytes = 0;
  std::int64_t packets = 0;
  for (const Feed& feed : feeds_) {
    if (feed.config.kind != FeedKind::kCamera) continue;
    bytes += feed.queued.sum(now);
    packets += feed.packets.sum(now);
  }
  return payload_share(packets > 0 ? DataSize::from_bytes(bytes / packets) : kFullPacket);
}

void FeedLedger::targets(Timestamp now, MediaBudget budget, const FeedQueues& queues,
                         std::vector<FeedTarget>& targets) const {
  radars_.clear();
  cameras_.clear();
  for (const Feed& feed : feeds_) {
    if (feed.config.kind == FeedKind::kRadar) {
      radars_.push_back({feed.id, std::min(rate(feed.radar, now), feed.config.max_bitrate)});
    } else {
      cameras_.push_back({feed.id, feed.config.weight, feed.config.min_bitrate,
                          std::max(feed.config.min_bitrate, feed.config.max_bitrate),
                          queues.backlog(feed.id)});
    }
  }
  budget.payload_share = share(now);
  split_budget(budget, radars_, cameras_, targets);
}

bool FeedLedger::cameras_are_the_limit(Timestamp now, std::span<const FeedTarget> targets,
                                       DataRate max_sum) const {
  DataRate wanted = DataRate::zero();
  DataRate sum = DataRate::zero();
  DataRate produced = DataRate::zero();
  bool at_maxima = true;
  for (const FeedTarget& target : targets) {
    const Feed* feed = find(target.feed);
    sum += target.bitrate;
    if (feed == nullptr || feed->config.kind != FeedKind::kCamera) continue;
    wanted += target.bitrate;
    produced += rate(feed->queued, now);
    at_maxima = at_maxima && target.bitrate >= feed->config.max_bitrate;
  }
  return at_maxima || sum >= max_sum || produced < wanted * kFollows;
}

FeedSnapshot FeedLedger::snapshot(Timestamp now, FeedId id, const FeedQueues& queues) const {
  FeedSnapshot snapshot;
  const Feed* feed = find(id);
  if (feed == nullptr) return snapshot;
  snapshot.produced = rate(feed->queued, now);
  snapshot.sent = rate(feed->sent, now);
  snapshot.queued = queues.bytes(id);
  snapshot.packets_sent = feed->packets_sent;
  snapshot.units_dropped = queues.units_dropped(id);
  snapshot.key_frames_requested = feed->key_frames_requested;
  return snapshot;
}

}  // namespace farwheel
