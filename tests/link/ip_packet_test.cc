// What the emulator reads of packets and writes into them, and the NAT's memory.
#include "ip_packet.h"

#include <gtest/gtest.h>

#include <array>

#include "port_binding.h"
#include "test_packets.h"

namespace farwheel::link {
namespace {

TEST(IpPacket, ReadsPortsAndRtp) {
  const Packet packet = make_packet({});
  const auto udp = view_udp(packet);
  ASSERT_TRUE(udp);
  EXPECT_EQ(udp->source_port, 5000);
  EXPECT_EQ(udp->destination_port, 6000);
  EXPECT_EQ(udp->payload.size(), 1202u);
  const auto rtp = view_rtp(udp->payload);
  ASSERT_TRUE(rtp);
  EXPECT_EQ(rtp->payload_type, 96);
  EXPECT_EQ(rtp->ssrc, 7u);
}

TEST(IpPacket, TellsRtpFromAllElse) {
  const auto rtp = [](std::uint8_t first, std::uint8_t second) {
    const Packet packet = make_packet({.first = first, .second = second});
    return view_rtp(view_udp(packet)->payload).has_value();
  };
  EXPECT_TRUE(rtp(0x90, 96 | 0x80));
  EXPECT_FALSE(rtp(0x80, 200));  // RTCP
  EXPECT_FALSE(rtp(0, 1));       // STUN
  EXPECT_FALSE(rtp(22, 254));    // DTLS
}

TEST(IpPacket, RefusesWhatIsTooShortOrOther) {
  EXPECT_FALSE(view_udp({}));
  const Packet whole = make_packet({});
  for (std::size_t size = 0; size < 28; ++size) {
    EXPECT_FALSE(view_udp(std::span(whole).first(size))) << size;
  }
  EXPECT_FALSE(view_rtp(view_udp(std::span(whole).first(39))->payload));
  Packet other = whole;
  other[9] = 6;
  EXPECT_FALSE(view_udp(other));
  Packet fragment = whole;
  fragment[7] = 1;
  EXPECT_FALSE(view_udp(fragment));
  Packet long_header = make_packet({.bytes = 40});
  long_header[0] = 0x4f;
  EXPECT_FALSE(view_udp(long_header));
}

TEST(IpPacket, KeepsTheChecksumRight) {
  for (const std::uint16_t port : std::array<std::uint16_t, 4>{1, 5001, 6000, 65535}) {
    Packet packet = make_packet({.bytes = 101, .mark = 77});
    write_checksum(packet);
    ASSERT_EQ(udp_sum(packet), 0xffff);
    set_source_port(packet, port);
    EXPECT_EQ(view_udp(packet)->source_port, port);
    EXPECT_EQ(udp_sum(packet), 0xffff);
    set_destination_port(packet, static_cast<std::uint16_t>(port ^ 0x1234));
    EXPECT_EQ(udp_sum(packet), 0xffff);
  }
  Packet without = make_packet({});
  set_source_port(without, 9);
  EXPECT_EQ(without[26] + without[27], 0);
}

TEST(PortBinding, ForgetsItsFormerPorts) {
  PortBinding nat;
  EXPECT_EQ(nat.outward(5000), 5000);
  EXPECT_EQ(nat.inward(5000), 5000);
  EXPECT_EQ(nat.inward(4000), 4000);  // nothing is translated yet
  std::uint16_t before = 5000;
  for (int i = 0; i < 5; ++i) {
    nat.rebind();
    const std::uint16_t outside = nat.outward(5000);
    EXPECT_NE(outside, before);
    EXPECT_GE(outside, 1024);
    EXPECT_EQ(nat.inward(outside), 5000);
    EXPECT_FALSE(nat.inward(before));
    before = outside;
  }
}

}  // namespace
}  // namespace farwheel::link
