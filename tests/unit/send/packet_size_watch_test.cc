#include "feedback/packet_size_watch.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace farwheel {
namespace {

using Fate = PacketResult::Fate;
constexpr TimeDelta kRtt = TimeDelta::from_millis(50);

// A camera's frames of `packets` full packets and a rest of 400 bytes, 33 ms apart; the path
// decides by size and number what arrives.
struct Frames {
  using Path = std::function<Fate(std::int64_t bytes, PacketNumber number)>;

  // The number of the frame at whose report the bound fell; -1: at none.
  int send(int frames, Path path) {
    for (int frame = 0; frame < frames; ++frame) {
      FeedbackReport report;
      report.received_at = at + kRtt;
      for (int i = 0; i <= packets; ++i) {
        const std::int64_t bytes = i < packets ? full : 400;
        PacketResult result{
            {number, DataSize::from_bytes(bytes), 0, at + TimeDelta::from_millis(i)}};
        result.fate = path(bytes, number++);
        if (result.fate == Fate::kDelivered) result.rtt = kRtt + queue;
        report.packets.push_back(result);
      }
      at += TimeDelta::from_millis(33);
      if (watch.on_report(report, kRtt)) return frame;
    }
    return -1;
  }

  PacketSizeWatch watch;
  std::int64_t full = 1176;
  int packets = 3;
  TimeDelta queue = TimeDelta::zero();
  PacketNumber number = 0;
  Timestamp at = Timestamp::from_millis(0);
};

Frames::Path swallows_above(std::int64_t mtu) {
  return [mtu](std::int64_t bytes, PacketNumber) {
    return bytes > mtu ? Fate::kLost : Fate::kDelivered;
  };
}

TEST(PacketSizeWatch, KnowsNoBoundWhileAllArrives) {
  Frames frames;
  EXPECT_EQ(frames.send(1000, swallows_above(1500)), -1);
  EXPECT_FALSE(frames.watch.bound());
}

TEST(PacketSizeWatch, FindsABlackHoleWithinATenthOfASecondOfFrames) {
  Frames frames;
  EXPECT_EQ(frames.send(30, swallows_above(1500)), -1);
  const int frame = frames.send(30, swallows_above(1000));
  EXPECT_GE(frame, 3) << "by a single frame";
  EXPECT_LE(frame, 4);
  EXPECT_EQ(frames.watch.bound(), DataSize::from_bytes(1000));
}

TEST(PacketSizeWatch, WhatIsStillUnderWayDoesNotLowerItAgain) {
  Frames frames;
  ASSERT_GE(frames.send(30, swallows_above(1000)), 0);
  EXPECT_EQ(frames.send(30, swallows_above(1000)), -1);
  EXPECT_EQ(frames.watch.bound(), DataSize::from_bytes(1000));
}

TEST(PacketSizeWatch, GoesDownStepByStepToTheLast) {
  Frames frames;
  frames.full = 1246;
  for (const std::int64_t step : PacketSizeWatch::kSteps) {
    ASSERT_GE(frames.send(30, swallows_above(500)), 0) << step;
    EXPECT_EQ(frames.watch.bound(), DataSize::from_bytes(step));
    frames.full = step - 4;
  }
  EXPECT_EQ(frames.send(60, swallows_above(500)), -1) << "there is no smaller step";
}

TEST(PacketSizeWatch, ALossOfEverythingIsNoBlackHole) {
  Frames frames;
  EXPECT_EQ(frames.send(100, swallows_above(0)), -1);
}

TEST(PacketSizeWatch, OneLargePacketThatArrivesClearsThePath) {
  // The first packet of every other frame, which is large.
  Frames frames;
  EXPECT_EQ(frames.send(300,
                        [](std::int64_t bytes, PacketNumber number) {
                          return bytes > 1000 && number % 8 != 4 ? Fate::kLost : Fate::kDelivered;
                        }),
            -1);
}

TEST(PacketSizeWatch, AFullQueueWithRoomForSmallOnesIsNoBlackHole) {
  Frames frames;
  frames.queue = TimeDelta::from_millis(200);
  EXPECT_EQ(frames.send(100, swallows_above(1000)), -1);
}

TEST(PacketSizeWatch, WhatNoReportNamedProvesNothing) {
  Frames frames;
  EXPECT_EQ(frames.send(100,
                        [](std::int64_t bytes, PacketNumber) {
                          return bytes > 1000 ? Fate::kUnknown : Fate::kDelivered;
                        }),
            -1);
}

TEST(PacketSizeWatch, HeavyRandomLossIsNoBlackHole) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Frames frames;
    frames.packets = 10;
    std::mt19937 random(seed);
    // 20 % of 60 s.
    EXPECT_EQ(frames.send(1800,
                          [&random](std::int64_t, PacketNumber) {
                            return random() % 5 == 0 ? Fate::kLost : Fate::kDelivered;
                          }),
              -1)
        << "seed " << seed;
  }
}

TEST(PacketSizeWatch, AnotherPathIsUnknownAgain) {
  Frames frames;
  ASSERT_GE(frames.send(30, swallows_above(1000)), 0);
  frames.watch.reset();
  EXPECT_FALSE(frames.watch.bound());
  EXPECT_EQ(frames.send(100, swallows_above(1500)), -1);
}

}  // namespace
}  // namespace farwheel
