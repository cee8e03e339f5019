// One feed of a vehicle as the element sees it: its queue's name in the controller, where it comes
// from, what passed. Guarded by the element's mutex; `branch` and `encoder` lock themselves.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "encoder/encoder_bitrate.h"
#include "rtpbbrcc/encoder_yield.h"
#include "rtpbbrcc/feed_discovery.h"
#include "rtpbbrcc/rate_window.h"
#include "send_controller.h"

namespace farwheel {

struct Feed {
  FeedId id = 0;
  std::uint32_t ssrc = 0;
  std::uint8_t payload_type = 0;
  FeedKind kind = FeedKind::kCamera;
  bool is_h264 = false;
  std::string name;
  // Never null; what they refer to may be gone. Kept alive by whoever works with them unlocked.
  std::shared_ptr<GstWeak<GstPad>> branch;
  std::shared_ptr<GstWeak<GstElement>> payloader;
  // Null: none found. Used by the control thread alone.
  std::shared_ptr<EncoderBitrate> encoder;
  std::string encoder_name;

  std::uint16_t last_sequence_number = 0;
  // A key packet was seen in the unit that is arriving.
  bool unit_is_key = false;
  Timestamp last_packet_at = Timestamp::infinite_past();
  // False: silent for so long that the controller was told to forget it.
  bool in_controller = false;

  RateWindow produced;  // wire size, as queued
  EncoderYield encoder_yield;
  RateWindow sent;
  // Share of payload in what was queued, smoothed.
  double payload_share = 0.95;
  DataRate target = DataRate::zero();
  // Since when the encoder has produced much more than its target.
  Timestamp excess_since = Timestamp::infinite_future();
  bool ignores_target = false;

  std::int64_t packets_sent = 0;
  std::int64_t units_sent = 0;
  std::int64_t units_dropped = 0;
  std::int64_t key_frames_requested = 0;
};

// Which feed a packet belongs to.
struct StreamRoute {
  FeedId feed = 0;
  bool is_retransmission = false;
};

class FeedTable {
 public:
  // Null: the stream is new, discover it and call add().
  const StreamRoute* find(std::uint32_t ssrc) const;
  // A stream of an origin: a feed of its own, another name for a feed whose sender changed its
  // SSRC, or the retransmissions of one. `osn`: the sequence number that a retransmission repeats.
  StreamRoute add(std::uint32_t ssrc, std::uint8_t payload_type, const StreamOrigin& origin,
                  std::optional<std::uint16_t> osn);
  Feed& at(FeedId id) { return *feeds_[id]; }
  const Feed& at(FeedId id) const { return *feeds_[id]; }
  const std::vector<std::unique_ptr<Feed>>& all() const { return feeds_; }
  void clear();

 private:
  Feed* retransmitted_feed(std::uint8_t payload_type, std::optional<std::uint16_t> osn) const;
  std::string free_name(FeedKind kind) const;

  std::map<std::uint32_t, StreamRoute> routes_;
  std::vector<std::unique_ptr<Feed>> feeds_;
};

// The most streams one element tells apart: SSRCs are the sender's own, and more is a fault
// upstream.
inline constexpr std::size_t kMostFeeds = 64;

}  // namespace farwheel
