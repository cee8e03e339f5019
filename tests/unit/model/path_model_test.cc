#include "path/path_model.h"

#include <gtest/gtest.h>

#include "sim/model_flow.h"

namespace farwheel {
namespace {

// The link itself: one packet's serialisation and propagation, nothing else.
TEST(VirtualLink, DelaysAPacketBySerialisationAndHalfTheRtt) {
  sim::EventQueue events;
  sim::VirtualLink link(events, sim::LinkConfig{DataRate::from_mbps(5)});
  Timestamp arrived = Timestamp::infinite_past();
  const std::size_t flow = link.add_flow(
      sim::FlowConfig{}, [](const auto&) {},
      [&](const SentPacket&, Timestamp at) { arrived = at; });
  link.send(flow, SentPacket{0, DataSize::from_bytes(1250), 0, events.now()});
  events.run_until(Timestamp::from_seconds(1));
  EXPECT_EQ(arrived, Timestamp::from_millis(27));
}

TEST(VirtualLink, DropsWhatTheBufferCannotHold) {
  sim::EventQueue events;
  sim::LinkConfig config;
  config.buffer = DataSize::from_bytes(3000);
  sim::VirtualLink link(events, config);
  const std::size_t flow = link.add_flow(sim::FlowConfig{}, [](const auto&) {});
  for (PacketNumber n = 0; n < 5; ++n) {
    link.send(flow, SentPacket{n, DataSize::from_bytes(1000), 0, events.now()});
  }
  events.run_until(Timestamp::from_seconds(1));
  EXPECT_EQ(link.counters(flow).packets_delivered, 3);
  EXPECT_EQ(link.counters(flow).packets_dropped, 2);
}

}  // namespace
}  // namespace farwheel
