#include "rtpbbrcc/feed.h"

#include <algorithm>

namespace farwheel {

const StreamRoute* FeedTable::find(std::uint32_t ssrc) const {
  const auto found = routes_.find(ssrc);
  return found == routes_.end() ? nullptr : &found->second;
}

Feed* FeedTable::retransmitted_feed(std::uint8_t payload_type,
                                    std::optional<std::uint16_t> osn) const {
  Feed* nearest = nullptr;
  std::uint16_t nearest_distance = 0;
  for (const auto& feed : feeds_) {
    if (feed->payload_type != payload_type) continue;
    const auto distance = static_cast<std::uint16_t>(feed->last_sequence_number - osn.value_or(0));
    if (nearest == nullptr || (osn && distance < nearest_distance)) {
      nearest = feed.get();
      nearest_distance = distance;
    }
  }
  return nearest;
}

std::string FeedTable::free_name(FeedKind kind) const {
  const std::string prefix = kind == FeedKind::kRadar ? "radar_" : "video_";
  for (std::size_t i = 0;; ++i) {
    const std::string name = prefix + std::to_string(i);
    if (std::none_of(feeds_.begin(), feeds_.end(),
                     [&](const auto& feed) { return feed->name == name; })) {
      return name;
    }
  }
}

StreamRoute FeedTable::add(std::uint32_t ssrc, std::uint8_t payload_type,
                           const StreamOrigin& origin, std::optional<std::uint16_t> osn) {
  if (origin.retransmits_payload_type) {
    if (const Feed* feed = retransmitted_feed(*origin.retransmits_payload_type, osn)) {
      return routes_[ssrc] = {feed->id, true};
    }
  }
  if (origin.branch && origin.ssrc_is_certain) {
    for (const auto& feed : feeds_) {
      const GstPadPtr branch = feed->branch->lock();
      if (branch.get() != origin.branch.get() || feed->payload_type != payload_type) continue;
      routes_.erase(feed->ssrc);
      feed->ssrc = ssrc;
      return routes_[ssrc] = {feed->id, false};
    }
  }
  if (feeds_.size() == kMostFeeds) return {feeds_.back()->id, false};
  auto feed = std::make_unique<Feed>();
  feed->id = static_cast<FeedId>(feeds_.size());
  feed->ssrc = ssrc;
  feed->payload_type = payload_type;
  feed->kind = origin.kind;
  feed->is_h264 = origin.is_h264;
  const bool name_taken = std::any_of(feeds_.begin(), feeds_.end(), [&](const auto& other) {
    return other->name == origin.pad_name;
  });
  feed->name = origin.pad_name.empty() || name_taken ? free_name(origin.kind) : origin.pad_name;
  feed->branch = std::make_shared<GstWeak<GstPad>>(origin.branch.get());
  feed->payloader = std::make_shared<GstWeak<GstElement>>(origin.payloader.get());
  if (origin.encoder) {
    feed->encoder = std::make_shared<EncoderBitrate>(origin.encoder.get());
    feed->encoder_name = feed->encoder->factory();
  }
  feeds_.push_back(std::move(feed));
  return routes_[ssrc] = {feeds_.back()->id, false};
}

void FeedTable::clear() {
  routes_.clear();
  feeds_.clear();
}

}  // namespace farwheel
