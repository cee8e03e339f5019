// What we read from and write into session descriptions: checks of an offer before webrtcbin sees
// it (webrtcbin 1.22 crashes on some), the caps an answerer needs so that header extensions
// survive, the tool line. No state, any thread.
#pragma once

#include <gst/gst.h>
#include <gst/sdp/sdp.h>

#include <optional>
#include <string>
#include <vector>

#include "pacing/feed_queues.h"
#include "support/gst_ptr.h"

namespace farwheel {

inline constexpr char kTwccUri[] =
    "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";
inline constexpr char kNtp64Uri[] = "urn:ietf:params:rtp-hdrext:ntp-64";
inline constexpr unsigned kTwccExtensionId = 1;
inline constexpr unsigned kNtp64ExtensionId = 2;

using SdpPtr = std::unique_ptr<GstSDPMessage, Deleter<gst_sdp_message_free>>;

// An attribute of the section, or else of the session; null: neither has it.
const char* sdp_attribute(const GstSDPMessage* sdp, const GstSDPMedia* media, const char* name);

// "camera", "radar", and the pad's prefix "video_", "radar_".
const char* to_string(FeedKind kind);
const char* pad_prefix(FeedKind kind);

// One media section of an offer that we can answer.
struct OfferedFeed {
  FeedKind kind = FeedKind::kCamera;
  unsigned mline = 0;
  std::string name;       // pad name: the sender's own (msid) if it is one of ours, else by order
  GstCapsPtr codec_caps;  // for add-transceiver: payload, clock rate, the extensions we know
  unsigned ntp64_id = 0;  // extension id of ntp-64 in this section, 0: none
};
struct OfferResult {
  SdpPtr sdp;
  std::vector<OfferedFeed> feeds;
  bool has_data_channel = false;
  std::string error;  // not empty: refuse (RFC 9725: 400 or 422), says which section and why
};

// Takes only what we know to be safe: one bundle of H.264 video, KLV radar and a data channel.
OfferResult read_offer(const std::string& text);
// Whether a text is an answer that webrtcbin may see, for an offer with `sections` media sections.
SdpPtr read_answer(const std::string& text, unsigned sections, std::string* error);
// a=tool:farwheel <version> in the session part, instead of any other.
void set_tool(GstSDPMessage* sdp);
// Completes the fmtp of an H.264 payload type with profile-level-id (constrained baseline 3.1 where
// `profile` is empty) and level-asymmetry-allowed, which browsers want.
void set_profile(GstSDPMessage* sdp, unsigned payload, const std::string& profile);
std::string sdp_text(const GstSDPMessage* sdp);

}  // namespace farwheel
