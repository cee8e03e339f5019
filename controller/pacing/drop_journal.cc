#include "pacing/drop_journal.h"

#include <algorithm>

namespace farwheel {
namespace {

// One event in a while tells of a hundred packets, since a log is read by people.
constexpr TimeDelta kReportInterval = TimeDelta::from_millis(100);

}  // namespace

// The first drop of a session finds its memory there, as all others do.
DropJournal::DropJournal() {
  tokens_.reserve(kUsualDrop);
  requests_.reserve(kUsualFeeds);
  unreported_.reserve(kUsualFeeds);
}

void DropJournal::count(const DroppedPacket& packet) {
  tokens_.push_back(packet.token);
  const auto known = std::find_if(unreported_.begin(), unreported_.end(),
                                  [&](const FramesDropped& d) { return d.feed == packet.feed; });
  if (known == unreported_.end()) {
    unreported_.push_back({packet.feed, 1});
  } else {
    ++known->packets;
  }
}

void DropJournal::report(Timestamp now, std::vector<ControllerEvent>& events) {
  if (unreported_.empty() || now - reported_at_ < kReportInterval) return;
  for (const FramesDropped& dropped : unreported_) events.push_back({now, dropped});
  unreported_.clear();
  reported_at_ = now;
}

void DropJournal::take(Timestamp now, Drops& drops, std::vector<ControllerEvent>& events) {
  for (const DroppedPacket& packet : drops.packets) count(packet);
  for (const FeedId feed : drops.needs_key_frame) {
    requests_.push_back(feed);
    events.push_back({now, KeyFrameWanted{feed}});
  }
  drops.packets.clear();
  drops.needs_key_frame.clear();
  report(now, events);
}

std::vector<std::uint64_t> DropJournal::take_tokens() {
  // A copy: what the next drop needs stays allocated.
  std::vector<std::uint64_t> taken(tokens_.begin(), tokens_.end());
  tokens_.clear();
  return taken;
}

std::vector<FeedId> DropJournal::take_key_frame_requests() {
  std::vector<FeedId> taken(requests_.begin(), requests_.end());
  requests_.clear();
  return taken;
}

}  // namespace farwheel
