// What the emulator must know of an IPv4 packet that passes: is it UDP, which ports, is it RTP
// (RFC 7983, RFC 5761: (S)RTP headers are readable), and a port written anew. Reads only what lies
// inside the bytes given; no fragments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace farwheel::link {

// IPv4 and UDP headers, as MediaLink counts payload without them.
inline constexpr std::int64_t kIpUdpHeaders = 28;

struct UdpView {
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::span<const std::uint8_t> payload;
};
// Empty: not IPv4, not UDP, a later fragment, or shorter than its own headers say.
std::optional<UdpView> view_udp(std::span<const std::uint8_t> packet);

struct RtpHeader {
  std::uint8_t payload_type = 0;
  std::uint16_t sequence = 0;
  std::uint32_t ssrc = 0;
};
// Empty: not RTP (STUN, DTLS, RTCP, TURN or nothing of ours).
std::optional<RtpHeader> view_rtp(std::span<const std::uint8_t> udp_payload);

// In a packet for which view_udp() gives something. The UDP checksum is kept right (RFC 1624).
void set_source_port(std::span<std::uint8_t> packet, std::uint16_t port);
void set_destination_port(std::span<std::uint8_t> packet, std::uint16_t port);

}  // namespace farwheel::link
