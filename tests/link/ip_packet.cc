#include "ip_packet.h"

#include <cstddef>

namespace farwheel::link {
namespace {

constexpr std::size_t kLeastIpHeader = 20;
constexpr std::size_t kUdpHeader = 8;
constexpr std::uint8_t kUdp = 17;
constexpr std::size_t kSourcePort = 0;
constexpr std::size_t kDestinationPort = 2;
constexpr std::size_t kChecksum = 6;
constexpr std::size_t kRtpHeader = 12;

std::uint16_t read16(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

void write16(std::span<std::uint8_t> bytes, std::size_t at, std::uint16_t value) {
  bytes[at] = static_cast<std::uint8_t>(value >> 8);
  bytes[at + 1] = static_cast<std::uint8_t>(value);
}

std::size_t ip_header(std::span<const std::uint8_t> packet) {
  return static_cast<std::size_t>(packet[0] & 0x0f) * 4;
}

void set_port(std::span<std::uint8_t> packet, std::size_t which, std::uint16_t port) {
  const std::span<std::uint8_t> udp = packet.subspan(ip_header(packet));
  const std::uint16_t before = read16(udp, which);
  write16(udp, which, port);
  const std::uint16_t checksum = read16(udp, kChecksum);
  if (checksum == 0) return;  // none was made
  // RFC 1624, equation 3.
  std::uint32_t sum = static_cast<std::uint16_t>(~checksum) +
                      static_cast<std::uint32_t>(static_cast<std::uint16_t>(~before)) + port;
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  const auto fresh = static_cast<std::uint16_t>(~sum);
  write16(udp, kChecksum, fresh == 0 ? 0xffff : fresh);
}

}  // namespace

std::optional<UdpView> view_udp(std::span<const std::uint8_t> packet) {
  if (packet.size() < kLeastIpHeader || packet[0] >> 4 != 4 || packet[9] != kUdp) {
    return std::nullopt;
  }
  const bool later_fragment = (read16(packet, 6) & 0x1fff) != 0;
  const std::size_t header = ip_header(packet);
  if (later_fragment || header < kLeastIpHeader || packet.size() < header + kUdpHeader) {
    return std::nullopt;
  }
  const std::span<const std::uint8_t> udp = packet.subspan(header);
  return UdpView{.source_port = read16(udp, kSourcePort),
                 .destination_port = read16(udp, kDestinationPort),
                 .payload = udp.subspan(kUdpHeader)};
}

std::optional<RtpHeader> view_rtp(std::span<const std::uint8_t> payload) {
  if (payload.size() < kRtpHeader || payload[0] < 128 || payload[0] > 191) return std::nullopt;
  if (payload[1] >= 192 && payload[1] <= 223) return std::nullopt;  // RTCP
  return RtpHeader{
      .payload_type = static_cast<std::uint8_t>(payload[1] & 0x7f),
      .sequence = read16(payload, 2),
      .ssrc = static_cast<std::uint32_t>(read16(payload, 8)) << 16 | read16(payload, 10)};
}

void set_source_port(std::span<std::uint8_t> packet, std::uint16_t port) {
  set_port(packet, kSourcePort, port);
}

void set_destination_port(std::span<std::uint8_t> packet, std::uint16_t port) {
  set_port(packet, kDestinationPort, port);
}

}  // namespace farwheel::link
