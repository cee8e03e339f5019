// Finds out, from the elements before us, what a stream with a given SSRC and payload type is:
// walks upstream from our sink pad through funnels, rtprtxsend, queues, ghost pads and payloaders
// to the encoder. Takes object locks of the elements it passes and none of ours; call from the
// streaming thread that brought the stream's first packet, whose caps are then known all the way
// up.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <optional>
#include <string>

#include "pacing/feed_queues.h"
#include "support/gst_ptr.h"

namespace farwheel {

struct StreamOrigin {
  FeedKind kind = FeedKind::kCamera;
  bool is_h264 = false;
  // The branch's caps name this very SSRC.
  bool ssrc_is_certain = false;
  // RFC 4588 retransmissions of the stream(s) with this payload type.
  std::optional<std::uint8_t> retransmits_payload_type;
  // Name of the pad of farwheelsink through which the stream came, e.g. "video_0"; or empty.
  std::string pad_name;
  // The sink pad where the stream's own branch joins the others (of the funnel, or ours when there
  // is no funnel). An upstream event pushed from it reaches this stream's elements only. Null:
  // unknown.
  GstPadPtr branch;
  // What cuts the stream into packets; null: none that can be told how large.
  GstElementPtr payloader;
  // The video encoder nearest to us; null when there is none in the pipeline.
  GstElementPtr encoder;
};

StreamOrigin discover_stream(GstPad* sink_pad, std::uint32_t ssrc, std::uint8_t payload_type);

}  // namespace farwheel
