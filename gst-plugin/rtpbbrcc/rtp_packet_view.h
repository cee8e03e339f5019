// What the pacer must know of one RTP packet: RFC 3550 section 5.1, RFC 8285 one-byte header
// extensions, and from the payload whether it begins a decodable picture (RFC 6184). Reads only
// what lies inside the bytes given; needs just the beginning of a packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace farwheel {

struct RtpPacketView {
  std::uint32_t ssrc = 0;
  std::uint16_t sequence_number = 0;
  std::uint8_t payload_type = 0;
  bool marker = false;
  // Offset of the payload, header extension included.
  std::size_t payload_offset = 0;
  // The one-byte extension elements, without the 4 bytes that introduce them.
  std::span<const std::uint8_t> one_byte_extensions;
  // As much of the payload as was given.
  std::span<const std::uint8_t> payload;
};

// How much of a packet covers everything read here, for any header without more than 15 CSRC and
// 40 words of extensions.
inline constexpr std::size_t kRtpPeekSize = 256;

// `bytes` is the beginning of a packet of `packet_size` bytes. Empty when it is not RTP version 2
// or shorter than its own header says.
std::optional<RtpPacketView> view_rtp_packet(std::span<const std::uint8_t> bytes,
                                             std::size_t packet_size);

// True if an extension element with this id (1..14) is there.
bool has_one_byte_extension(const RtpPacketView& packet, std::uint8_t id);

// True for the payload of a packet that begins or continues an IDR picture or bears parameter sets.
bool is_h264_key_payload(std::span<const std::uint8_t> payload);

// RFC 4588: the sequence number that a retransmission repeats. Empty when the payload is too short.
std::optional<std::uint16_t> original_sequence_number(const RtpPacketView& packet);

}  // namespace farwheel
