// How large a payloader cuts its packets, and what IP packets come of that.
#pragma once

#include <gst/gst.h>

#include "units/data.h"

namespace farwheel {

// What an IP packet has beyond a payloader's "mtu" (RTP header and payload): IPv4 and UDP 28,
// SRTP's tag 10, header extensions up to 20, the original sequence number of a retransmission 2.
inline constexpr std::int64_t kBeyondPayloader = 60;

// Whether it is a payloader in whose hands the size is.
bool has_packet_size(GstElement* element);
unsigned packet_size(GstElement* payloader);
// So that no IP packet is larger than `bound`; any thread, counts from the next buffer on.
void set_packet_size(GstElement* payloader, DataSize bound);

}  // namespace farwheel
