// Reads rtpsession's custom upstream event RTPTWCCPackets (GStreamer 1.22):
//   RTPTWCCPackets{ packets=GValueArray of RTPTWCCPacket{ seqnum=uint, local-ts=uint64,
//   remote-ts=uint64, payload-type=uchar, size=uint, lost=boolean } }
// with GST_CLOCK_TIME_NONE for an unknown time. It may come from anywhere, so nothing of it is
// trusted: an entry that is not of this form is left out and counted.
#pragma once

#include <gst/gst.h>

#include <vector>

#include "feedback/feedback_adapter.h"

namespace farwheel {

struct TwccEvent {
  std::vector<ReportedPacket> packets;
  int odd_entries = 0;
};

bool is_twcc_event(GstEvent* event);
TwccEvent read_twcc_event(GstEvent* event);

}  // namespace farwheel
