// RTP packets and transport-wide reports as rtpbbrcc meets them.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <vector>

#include "rtpbbrcc/stream_context.h"
#include "support/gst_ptr.h"

namespace farwheel::test {

inline constexpr char kRtpCaps[] =
    "application/x-rtp,media=(string)video,clock-rate=(int)90000,encoding-name=(string)H264,"
    "payload=(int)96,extmap-1=(string)http://www.ietf.org/id/"
    "draft-holmer-rmcat-transport-wide-cc-extensions-01";

struct PacketSpec {
  std::uint32_t ssrc = 0x1111;
  std::uint8_t payload_type = 96;
  std::uint16_t sequence_number = 0;
  bool marker = false;
  std::size_t payload_size = 1000;
  // First byte of the payload; 0x65 is an IDR slice, 0x41 another.
  std::uint8_t nal = 0x41;
  // Id of a transport-wide extension element; 0: none. With one, the packet counts as in flight
  // until a report names it, and before the first report few may be.
  std::uint8_t twcc_id = 0;
};

GstBufferPtr make_packet(const PacketSpec& spec);

struct ReportEntry {
  guint sequence_number = 0;
  guint64 local_ns = GST_CLOCK_TIME_NONE;
  guint64 remote_ns = GST_CLOCK_TIME_NONE;
  bool lost = false;
};
GstEventPtr make_report(const std::vector<ReportEntry>& entries);

std::uint16_t sequence_number_of(GstBuffer* buffer);
std::uint32_t ssrc_of(GstBuffer* buffer);

}  // namespace farwheel::test
