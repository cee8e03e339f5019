#include "rtpbbrcc/rtp_packet_view.h"

namespace farwheel {
namespace {

std::uint16_t read_u16(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

std::uint32_t read_u32(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint32_t>(read_u16(bytes, at)) << 16 | read_u16(bytes, at + 2);
}

// NAL unit types of RFC 6184 section 5.2 and H.264 table 7-1.
constexpr std::uint8_t kIdrSlice = 5;
constexpr std::uint8_t kSequenceParameters = 7;
constexpr std::uint8_t kPictureParameters = 8;
constexpr std::uint8_t kStapA = 24;
constexpr std::uint8_t kFuA = 28;

bool is_key_nal(std::uint8_t first_byte) {
  const std::uint8_t type = first_byte & 0x1f;
  return type == kIdrSlice || type == kSequenceParameters || type == kPictureParameters;
}

}  // namespace

std::optional<RtpPacketView> view_rtp_packet(std::span<const std::uint8_t> bytes,
                                             std::size_t packet_size) {
  constexpr std::size_t kFixedHeader = 12;
  constexpr std::uint16_t kOneByteProfile = 0xbede;
  if (bytes.size() < kFixedHeader || bytes.size() > packet_size) return std::nullopt;
  if (bytes[0] >> 6 != 2) return std::nullopt;
  RtpPacketView packet;
  packet.marker = (bytes[1] & 0x80) != 0;
  packet.payload_type = bytes[1] & 0x7f;
  packet.sequence_number = read_u16(bytes, 2);
  packet.ssrc = read_u32(bytes, 8);
  std::size_t offset = kFixedHeader + std::size_t{4} * (bytes[0] & 0x0f);
  if ((bytes[0] & 0x10) != 0) {
    if (offset + 4 > bytes.size()) return std::nullopt;
    const std::size_t size = std::size_t{4} * read_u16(bytes, offset + 2);
    const bool one_byte = read_u16(bytes, offset) == kOneByteProfile;
    offset += 4;
    if (offset + size > packet_size) return std::nullopt;
    // A header longer than what was given is legal; its extensions just go unread.
    if (one_byte && offset + size <= bytes.size()) {
      packet.one_byte_extensions = bytes.subspan(offset, size);
    }
    offset += size;
  }
  if (offset > packet_size) return std::nullopt;
  packet.payload_offset = offset;
  if (offset < bytes.size()) packet.payload = bytes.subspan(offset);
  return packet;
}

bool has_one_byte_extension(const RtpPacketView& packet, std::uint8_t id) {
  constexpr std::uint8_t kStop = 15;
  const auto bytes = packet.one_byte_extensions;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::uint8_t element_id = bytes[at] >> 4;
    if (element_id == 0) {  // one byte of padding
      ++at;
      continue;
    }
    if (element_id == kStop) return false;
    const std::size_t size = std::size_t{1} + (bytes[at] & 0x0f);
    if (at + 1 + size > bytes.size()) return false;
    if (element_id == id) return true;
    at += 1 + size;
  }
  return false;
}

bool is_h264_key_payload(std::span<const std::uint8_t> payload) {
  if (payload.empty()) return false;
  const std::uint8_t type = payload[0] & 0x1f;
  // Each fragment repeats the type of the unit it is part of.
  if (type == kFuA) return payload.size() >= 2 && is_key_nal(payload[1]);
  if (type != kStapA) return is_key_nal(payload[0]);
  std::size_t at = 1;
  while (at + 2 < payload.size()) {
    const std::size_t size = read_u16(payload, at);
    if (size == 0) return false;
    if (is_key_nal(payload[at + 2])) return true;
    at += 2 + size;
  }
  return false;
}

std::optional<std::uint16_t> original_sequence_number(const RtpPacketView& packet) {
  if (packet.payload.size() < 2) return std::nullopt;
  return read_u16(packet.payload, 0);
}

}  // namespace farwheel
