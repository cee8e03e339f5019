#include "rtpbbrcc/rtp_packet_view.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace farwheel {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Version 2, marker, payload type 96, number 0x1234, SSRC 0x0a0b0c0d; the given extension elements.
Bytes packet(const Bytes& extensions, const Bytes& payload) {
  Bytes bytes = {0x80, 0xe0, 0x12, 0x34, 0, 0, 0, 1, 0x0a, 0x0b, 0x0c, 0x0d};
  if (!extensions.empty()) {
    bytes[0] |= 0x10;
    const auto words = static_cast<std::uint8_t>((extensions.size() + 3) / 4);
    for (const int byte : {0xbe, 0xde, 0, int{words}})
      bytes.push_back(static_cast<std::uint8_t>(byte));
    for (const std::uint8_t byte : extensions) bytes.push_back(byte);
    bytes.resize(16 + 4 * std::size_t{words});
  }
  for (const std::uint8_t byte : payload) bytes.push_back(byte);
  return bytes;
}

TEST(RtpPacketView, ReadsHeaderExtensionAndPayload) {
  const Bytes bytes = packet({0x11, 0xaa, 0xbb}, {0x65, 1, 2});
  const auto view = view_rtp_packet(bytes, bytes.size());
  ASSERT_TRUE(view);
  EXPECT_EQ(view->ssrc, 0x0a0b0c0du);
  EXPECT_EQ(view->sequence_number, 0x1234);
  EXPECT_EQ(view->payload_type, 96);
  EXPECT_TRUE(view->marker);
  EXPECT_EQ(view->payload_offset, 20u);
  EXPECT_EQ(view->payload.size(), 3u);
  EXPECT_TRUE(has_one_byte_extension(*view, 1));
  EXPECT_FALSE(has_one_byte_extension(*view, 2));
}

TEST(RtpPacketView, FindsAnElementBehindOthersAndPadding) {
  const Bytes bytes = packet({0x20, 0xaa, 0x00, 0x00, 0x31, 1, 2}, {});
  const auto view = view_rtp_packet(bytes, bytes.size());
  ASSERT_TRUE(view);
  EXPECT_TRUE(has_one_byte_extension(*view, 2));
  EXPECT_TRUE(has_one_byte_extension(*view, 3));
  EXPECT_FALSE(has_one_byte_extension(*view, 1));
}

TEST(RtpPacketView, AnElementThatOverrunsIsNotThere) {
  const Bytes bytes = packet({0x1f, 0xaa, 0xbb}, {});
  const auto view = view_rtp_packet(bytes, bytes.size());
  ASSERT_TRUE(view);
  EXPECT_FALSE(has_one_byte_extension(*view, 1));
}

TEST(RtpPacketView, ElementsBehindTheStopElementDoNotCount) {
  const Bytes bytes = packet({0xf0, 0x11, 1, 2}, {});
  const auto view = view_rtp_packet(bytes, bytes.size());
  ASSERT_TRUE(view);
  EXPECT_FALSE(has_one_byte_extension(*view, 1));
}

TEST(RtpPacketView, RefusesWhatIsShorterThanItsHeaderSays) {
  const Bytes whole = packet({0x11, 0xaa, 0xbb}, {0x65});
  for (std::size_t size = 0; size < 20; ++size) {
    EXPECT_FALSE(view_rtp_packet(std::span(whole).first(size), size)) << size;
  }
  Bytes other_version = whole;
  other_version[0] = 0x40;
  EXPECT_FALSE(view_rtp_packet(other_version, other_version.size()));
  Bytes many_sources = packet({}, {1, 2, 3});
  many_sources[0] |= 0x0f;
  EXPECT_FALSE(view_rtp_packet(many_sources, many_sources.size()));
}

TEST(RtpPacketView, TakesThePeekOfALongerPacket) {
  const Bytes bytes = packet({0x11, 0xaa, 0xbb}, Bytes(1000, 0x41));
  const auto view = view_rtp_packet(std::span(bytes).first(kRtpPeekSize), bytes.size());
  ASSERT_TRUE(view);
  EXPECT_TRUE(has_one_byte_extension(*view, 1));
  EXPECT_EQ(view->payload.size(), kRtpPeekSize - 20);
}

TEST(RtpPacketView, ReadsNothingOutsideWhateverItIsGiven) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    // On the heap and no byte longer, so that a sanitizer sees a read past the end.
    Bytes bytes(random() % 64);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    if (!bytes.empty() && random() % 2 == 0) bytes[0] = 0x90;
    const auto view = view_rtp_packet(bytes, bytes.size());
    if (!view) continue;
    EXPECT_LE(view->payload_offset + view->payload.size(), bytes.size());
    for (std::uint8_t id = 1; id < 15; ++id) has_one_byte_extension(*view, id);
    is_h264_key_payload(view->payload);
    original_sequence_number(*view);
  }
}

TEST(H264Payload, KnowsKeyFramesInEachPacketKind) {
  EXPECT_TRUE(is_h264_key_payload(Bytes{0x65, 0}));         // single IDR slice
  EXPECT_TRUE(is_h264_key_payload(Bytes{0x67, 0}));         // sequence parameters
  EXPECT_FALSE(is_h264_key_payload(Bytes{0x41, 0}));        // another slice
  EXPECT_TRUE(is_h264_key_payload(Bytes{0x7c, 0x85, 0}));   // FU-A, first fragment of IDR
  EXPECT_TRUE(is_h264_key_payload(Bytes{0x7c, 0x45, 0}));   // and its last
  EXPECT_FALSE(is_h264_key_payload(Bytes{0x7c, 0x81, 0}));  // FU-A of another
  EXPECT_TRUE(is_h264_key_payload(Bytes{0x78, 0, 1, 0x06, 0, 1, 0x67}));  // STAP-A: SEI, then SPS
  EXPECT_FALSE(is_h264_key_payload(Bytes{0x78, 0, 1, 0x06, 0, 1, 0x41}));
  EXPECT_FALSE(is_h264_key_payload(Bytes{0x78, 0, 0, 0, 0, 0, 0}));
  EXPECT_FALSE(is_h264_key_payload(Bytes{0x7c}));
  EXPECT_FALSE(is_h264_key_payload(Bytes{}));
}

}  // namespace
}  // namespace farwheel
