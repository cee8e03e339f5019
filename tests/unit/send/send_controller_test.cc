#include "send_controller.h"

#include <gtest/gtest.h>

#include "media_flow.h"

namespace farwheel {
namespace {

Timestamp at(double seconds) {
  return Timestamp::from_seconds(seconds);
}

TEST(SendController, CameraAndRadarFillALinkWithoutStanding) {
  sim::EventQueue events;
  sim::VirtualLink link(events, {.rate = DataRate::from_mbps(5)});
  sim::MediaFlow flow(events, link, {}, {});
  const FeedId camera = flow.add_camera({});
  const FeedId radar = flow.add_radar(13, 1200);
  events.run_until(at(30));
  const auto frames = flow.latencies(camera, at(5), at(29));
  const auto sweeps = flow.latencies(radar, at(5), at(29));
  ASSERT_GT(frames.size(), 600u);
  EXPECT_LT(flow.percentile(frames, 1), 300);
  EXPECT_LT(flow.percentile(sweeps, 0.99), 25 + 4 + 60);
  EXPECT_LT(flow.target(camera), DataRate::from_mbps(5));
  EXPECT_GT(flow.delivered(at(5), at(29)), DataRate::from_mbps(3.5));
  EXPECT_EQ(flow.tokens_lost_or_twice(), 0);
}

}  // namespace
}  // namespace farwheel
