// IPv4 packets for the tests of the emulator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulated_link.h"

namespace farwheel::link {

struct TestPacket {
  std::size_t bytes = 1230;
  std::uint16_t source = 5000;
  std::uint16_t destination = 6000;
  std::uint8_t first = 0x80;  // of the UDP payload
  std::uint8_t second = 96;
  std::uint8_t mark = 0;
};

inline Packet make_packet(const TestPacket& test) {
  Packet packet(test.bytes, 0);
  packet[0] = 0x45;
  packet[9] = 17;
  packet[20] = static_cast<std::uint8_t>(test.source >> 8);
  packet[21] = static_cast<std::uint8_t>(test.source);
  packet[22] = static_cast<std::uint8_t>(test.destination >> 8);
  packet[23] = static_cast<std::uint8_t>(test.destination);
  if (test.bytes > 40) {
    packet[28] = test.first;
    packet[29] = test.second;
    packet[39] = 7;  // SSRC
    packet.back() = test.mark;
  }
  return packet;
}

// The sum that a receiver makes over ports, checksum and payload; right is 0xffff. The pseudo
// header is constant under what the emulator changes, so it is left out of both sides.
inline std::uint16_t udp_sum(const Packet& packet) {
  std::uint32_t sum = 0;
  for (std::size_t i = 20; i < packet.size(); i += 2) {
    sum += static_cast<std::uint32_t>(packet[i] << 8);
    if (i + 1 < packet.size()) sum += packet[i + 1];
  }
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

inline void write_checksum(Packet& packet) {
  packet[26] = packet[27] = 0;
  const auto sum = static_cast<std::uint16_t>(~udp_sum(packet));
  packet[26] = static_cast<std::uint8_t>(sum >> 8);
  packet[27] = static_cast<std::uint8_t>(sum);
}

}  // namespace farwheel::link
