#include "pacing/feed_queues.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sim/event_queue.h"

namespace farwheel {
namespace {

constexpr FeedId kFront = 0;
constexpr FeedId kRear = 1;
constexpr FeedId kRadar = 2;

Timestamp ms(std::int64_t value) {
  return Timestamp::from_millis(value);
}

class FeedQueuesTest : public ::testing::Test {
 protected:
  FeedQueuesTest() {
    queues.set_feed(kFront, {.kind = FeedKind::kCamera});
    queues.set_feed(kRear, {.kind = FeedKind::kCamera});
    queues.set_feed(kRadar,
                    {.kind = FeedKind::kRadar, .max_queue_time = TimeDelta::from_millis(50)});
  }

  // A whole unit of `packets` packets of 1000 bytes; tokens count up from `next_token`.
  void unit(std::int64_t at, FeedId feed, FrameKind kind, int packets) {
    for (int i = 0; i < packets; ++i) part(at, feed, kind, i + 1 == packets);
  }
  void part(std::int64_t at, FeedId feed, FrameKind kind, bool ends_unit) {
    queues.push({.token = next_token++,
                 .feed = feed,
                 .size = DataSize::from_bytes(1000),
                 .kind = kind,
                 .ends_unit = ends_unit,
                 .queued_at = ms(at)},
                drops);
  }
  void key(std::int64_t at, FeedId feed, int packets) { unit(at, feed, FrameKind::kKey, packets); }
  void delta(std::int64_t at, FeedId feed, int packets) {
    unit(at, feed, FrameKind::kDelta, packets);
  }

  // What leaves, in order, as "1 2 3"; then the queues are empty.
  std::string drained(Lane lane) {
    std::string text;
    while (queues.head(lane) != nullptr) {
      const std::uint64_t announced = queues.head(lane)->token;
      const std::uint64_t token = queues.pop(lane).token;
      EXPECT_EQ(token, announced);
      text += (text.empty() ? "" : " ") + std::to_string(token);
    }
    return text;
  }
  std::string dropped() {
    std::string text;
    for (const DroppedPacket& packet : drops.packets) {
      text += (text.empty() ? "" : " ") + std::to_string(packet.token);
    }
    drops.packets.clear();
    return text;
  }
  std::vector<FeedId> requests() { return std::exchange(drops.needs_key_frame, {}); }
  void expire(std::int64_t at) { queues.expire(ms(at), drops); }

  FeedQueues queues;
  Drops drops;
  std::uint64_t next_token = 1;
};

TEST_F(FeedQueuesTest, RadarHasALaneOfItsOwn) {
  key(0, kFront, 2);                               // 1 2
  unit(1, kRadar, FrameKind::kSweep, 2);           // 3 4
  unit(1, kFront, FrameKind::kRetransmission, 1);  // 5
  EXPECT_EQ(drained(Lane::kUnpaced), "3 4");
  EXPECT_EQ(drained(Lane::kPaced), "5 1 2");
}

TEST_F(FeedQueuesTest, RetransmissionsTakeAtMostEverySecondPlace) {
  key(0, kFront, 3);                                                          // 1 2 3
  for (int i = 0; i < 4; ++i) unit(0, kRear, FrameKind::kRetransmission, 1);  // 4 5 6 7
  EXPECT_EQ(drained(Lane::kPaced), "4 1 5 2 6 3 7");
}

TEST_F(FeedQueuesTest, RetransmissionsTooOldAreDropped) {
  unit(0, kFront, FrameKind::kRetransmission, 1);
  unit(60, kFront, FrameKind::kRetransmission, 1);
  expire(101);
  EXPECT_EQ(dropped(), "1");
  EXPECT_EQ(drained(Lane::kPaced), "2");
  EXPECT_TRUE(requests().empty());
}

TEST_F(FeedQueuesTest, AFrameIsNotInterleavedWithAnothers) {
  key(0, kFront, 4);     // 1-4
  key(0, kRear, 4);      // 5-8
  delta(33, kFront, 2);  // 9 10
  delta(33, kRear, 2);   // 11 12
  EXPECT_EQ(drained(Lane::kPaced), "1 2 3 4 5 6 7 8 9 10 11 12");
}

TEST_F(FeedQueuesTest, ALongFrameGivesWayAfterAQuantum) {
  key(0, kFront, 60);  // 1-60
  delta(0, kRear, 2);  // 61 62
  int place = 0;
  for (; queues.head(Lane::kPaced)->feed == kFront; ++place) queues.pop(Lane::kPaced);
  EXPECT_EQ(place, 16);
  EXPECT_EQ(queues.pop(Lane::kPaced).token, 61u);
  EXPECT_EQ(queues.pop(Lane::kPaced).token, 62u);
  EXPECT_EQ(queues.pop(Lane::kPaced).token, 17u);
}

TEST_F(FeedQueuesTest, WeightsShareABacklog) {
  queues.set_feed(kFront, {.kind = FeedKind::kCamera, .weight = 3});
  for (int i = 0; i < 400; ++i) {
    delta(0, kFront, 1);
    delta(0, kRear, 1);
  }
  std::map<FeedId, int> served;
  for (int i = 0; i < 400; ++i) ++served[queues.pop(Lane::kPaced).feed];
  EXPECT_NEAR(served[kFront], 300, 4);
}

TEST_F(FeedQueuesTest, AFeedThatWasIdleHasNoCredit) {
  for (int i = 0; i < 200; ++i) delta(0, kFront, 1);
  for (int i = 0; i < 100; ++i) (void)queues.pop(Lane::kPaced);
  for (int i = 0; i < 100; ++i) delta(0, kRear, 1);
  std::map<FeedId, int> served;
  for (int i = 0; i < 100; ++i) ++served[queues.pop(Lane::kPaced).feed];
  EXPECT_NEAR(served[kRear], 50, 2);
}

TEST_F(FeedQueuesTest, ALateDeltaTakesItsWholeFrameAndAllThatNeedsIt) {
  key(0, kFront, 1);     // 1
  delta(10, kFront, 3);  // 2 3 4
  delta(43, kFront, 2);  // 5 6
  delta(43, kRear, 1);   // 7
  EXPECT_EQ(queues.pop(Lane::kPaced).token, 1u);
  expire(310);
  EXPECT_EQ(dropped(), "");
  expire(311);
  EXPECT_EQ(dropped(), "2 3 4 5 6");
  EXPECT_EQ(requests(), std::vector<FeedId>{kFront});
  EXPECT_EQ(queues.units_dropped(kFront), 2);
  EXPECT_EQ(drained(Lane::kPaced), "7");
}

TEST_F(FeedQueuesTest, ABreakTakesWhatIsSentAgainForFramesBeforeIt) {
  delta(0, kFront, 1);                               // 1
  unit(290, kFront, FrameKind::kRetransmission, 1);  // 2
  unit(290, kRear, FrameKind::kRetransmission, 1);   // 3
  expire(301);
  EXPECT_EQ(dropped(), "1 2");
  EXPECT_EQ(drained(Lane::kPaced), "3");
}

TEST_F(FeedQueuesTest, APartSentFrameIsDroppedWithWhatStillArrives) {
  key(0, kFront, 1);                          // 1
  part(0, kFront, FrameKind::kDelta, false);  // 2
  part(0, kFront, FrameKind::kDelta, false);  // 3
  (void)queues.pop(Lane::kPaced);
  EXPECT_EQ(queues.pop(Lane::kPaced).token, 2u);
  expire(301);
  EXPECT_EQ(dropped(), "3");
  part(302, kFront, FrameKind::kDelta, true);  // 4: its end
  delta(333, kFront, 1);                       // 5: gated
  EXPECT_EQ(dropped(), "4 5");
  EXPECT_EQ(queues.units_dropped(kFront), 2);
  key(340, kFront, 1);    // 6
  delta(366, kFront, 1);  // 7
  EXPECT_EQ(dropped(), "");
  EXPECT_EQ(drained(Lane::kPaced), "6 7");
}

TEST_F(FeedQueuesTest, APartSentKeyFrameIsDroppedToItsEndAndNoFurther) {
  part(0, kFront, FrameKind::kKey, false);  // 1
  part(0, kFront, FrameKind::kKey, false);  // 2
  (void)queues.pop(Lane::kPaced);
  expire(901);
  EXPECT_EQ(dropped(), "2");
  part(902, kFront, FrameKind::kKey, true);  // 3: the rest of it
  EXPECT_EQ(dropped(), "3");
  EXPECT_TRUE(queues.awaits_key_frame(kFront));
  key(935, kFront, 1);  // 4
  EXPECT_FALSE(queues.awaits_key_frame(kFront));
  EXPECT_EQ(drained(Lane::kPaced), "4");
}

TEST_F(FeedQueuesTest, AQueuedKeyFrameOutlivesTheDeltasBeforeIt) {
  delta(0, kFront, 2);    // 1 2
  delta(33, kFront, 2);   // 3 4
  key(200, kFront, 2);    // 5 6
  delta(233, kFront, 1);  // 7
  expire(301);
  EXPECT_EQ(dropped(), "1 2 3 4");
  EXPECT_TRUE(requests().empty());
  EXPECT_FALSE(queues.awaits_key_frame(kFront));
  expire(1000);
  EXPECT_EQ(dropped(), "");
  EXPECT_EQ(drained(Lane::kPaced), "5 6 7");
}

TEST_F(FeedQueuesTest, EvenAKeyFrameHasAnEnd) {
  key(0, kFront, 2);
  expire(900);
  EXPECT_EQ(dropped(), "");
  expire(901);
  EXPECT_EQ(dropped(), "1 2");
  EXPECT_EQ(requests(), std::vector<FeedId>{kFront});
}

TEST_F(FeedQueuesTest, RequestsKeepTheirDistanceAndGoOnUntilAKeyFrameComes) {
  delta(0, kFront, 1);
  std::vector<std::int64_t> asked;
  for (std::int64_t now = 301; now < 1000; now += 10) {
    expire(now);
    if (!requests().empty()) asked.push_back(now);
    if (now == 701) part(now, kFront, FrameKind::kKey, false);
  }
  EXPECT_EQ(asked, (std::vector<std::int64_t>{301, 551}));
  // A second break shortly after: the request is postponed, not forgotten.
  queues.set_feed(kFront,
                  {.kind = FeedKind::kCamera, .max_queue_time = TimeDelta::from_millis(10)});
  queues.set_config({.key_frame_patience = 1});
  expire(1000);
  EXPECT_EQ(requests(), std::vector<FeedId>{kFront});
}

TEST_F(FeedQueuesTest, SweepsTooOldAreDroppedOneByOne) {
  unit(0, kRadar, FrameKind::kSweep, 2);
  unit(40, kRadar, FrameKind::kSweep, 2);
  expire(51);
  EXPECT_EQ(dropped(), "1 2");
  EXPECT_TRUE(requests().empty());
  EXPECT_EQ(drained(Lane::kUnpaced), "3 4");
}

TEST_F(FeedQueuesTest, RestartKeepsOnlyAFreshKeyFrameAndRadar) {
  key(0, kFront, 1);                      // 1
  key(700, kRear, 1);                     // 2
  delta(720, kRear, 1);                   // 3
  unit(0, kRadar, FrameKind::kSweep, 1);  // 4
  queues.restart_cameras(ms(600), drops);
  EXPECT_EQ(dropped(), "1");
  expire(800);
  EXPECT_EQ(requests(), std::vector<FeedId>{kFront});
  EXPECT_EQ(drained(Lane::kPaced), "2 3");
}

TEST_F(FeedQueuesTest, BacklogIsWhatWasLeftWhenTheNewestFrameBegan) {
  key(0, kFront, 4);
  EXPECT_TRUE(queues.backlog(kFront).is_zero());
  delta(33, kFront, 2);
  EXPECT_EQ(queues.backlog(kFront), DataSize::from_bytes(4000));
  EXPECT_EQ(queues.bytes(kFront), DataSize::from_bytes(6000));
  for (int i = 0; i < 5; ++i) (void)queues.pop(Lane::kPaced);
  // It stays what the encoder is told until the next frame, unless even that has left.
  EXPECT_EQ(queues.backlog(kFront), DataSize::from_bytes(1000));
  (void)queues.pop(Lane::kPaced);
  EXPECT_TRUE(queues.backlog(kFront).is_zero());
}

TEST_F(FeedQueuesTest, AsksForSharperKeyFramesNoMoreOftenThanForOthers) {
  key(0, kFront, 1);
  queues.ask_for_key_frames(ms(300), drops);
  EXPECT_EQ(requests(), (std::vector<FeedId>{kFront, kRear}));
  queues.ask_for_key_frames(ms(400), drops);
  EXPECT_TRUE(requests().empty());
  queues.ask_for_key_frames(ms(600), drops);
  EXPECT_EQ(requests(), (std::vector<FeedId>{kFront, kRear}));
}

TEST_F(FeedQueuesTest, AnUnknownFeedsPacketsComeBack) {
  delta(0, 99, 1);
  EXPECT_EQ(dropped(), "1");
  delta(0, kFront, 2);
  queues.remove_feed(kFront, drops);
  EXPECT_EQ(dropped(), "2 3");
  EXPECT_TRUE(queues.empty());
}

TEST_F(FeedQueuesTest, ARunawayPayloaderIsBoundedWhileTimeStands) {
  for (int i = 0; i < 30000; ++i) part(0, kFront, FrameKind::kDelta, i % 10 == 9);
  EXPECT_LE(queues.packets(), 8192);
  EXPECT_EQ(queues.packets() + static_cast<std::int64_t>(drops.packets.size()), 30000);
}

// Whatever happens, every token comes back exactly once, and the counts are the sums.
TEST(FeedQueuesProperty, EveryTokenComesBackExactlyOnce) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    sim::Random random(seed);
    const auto any = [&](int below) { return static_cast<int>(random.uniform() * below); };
    FeedQueues queues;
    std::map<std::uint64_t, std::pair<int, DataSize>> tokens;  // times given back, size
    std::uint64_t next_token = 1;
    DataSize waiting = DataSize::zero();
    Timestamp now = ms(0);
    Drops drops;
    const auto give_back = [&](std::uint64_t token) {
      ++tokens.at(token).first;
      waiting -= tokens.at(token).second;
    };
    for (int step = 0; step < 4000; ++step) {
      now += TimeDelta::from_micros(any(8000));
      const FeedId feed = static_cast<FeedId>(any(4));
      switch (any(12)) {
        case 0:
          queues.set_feed(feed, {.kind = feed == 3 ? FeedKind::kRadar : FeedKind::kCamera,
                                 .weight = random.uniform() * 3 - 0.2,
                                 .max_queue_time = TimeDelta::from_millis(any(400))});
          break;
        case 1:
          if (any(8) == 0) queues.remove_feed(feed, drops);
          break;
        case 2:
          if (any(20) == 0) queues.restart_cameras(now - TimeDelta::from_millis(any(300)), drops);
          if (any(60) == 0) queues.clear(drops);
          break;
        case 3:
          queues.expire(now, drops);
          break;
        case 4:
        case 5:
        case 6:
        case 7: {
          const Lane lane = any(2) == 0 ? Lane::kPaced : Lane::kUnpaced;
          const QueuedPacket* head = queues.head(lane);
          if (head == nullptr) break;
          const std::uint64_t announced = head->token;
          const QueuedPacket packet = queues.pop(lane);
          ASSERT_EQ(packet.token, announced);
          give_back(packet.token);
          break;
        }
        default: {
          const DataSize size = DataSize::from_bytes(any(1300));
          tokens.insert({next_token, {0, size}});
          waiting += size;
          queues.push({.token = next_token++,
                       .feed = feed,
                       .size = size,
                       .kind = feed == 3 ? FrameKind::kSweep : static_cast<FrameKind>(any(4)),
                       .ends_unit = any(3) == 0,
                       .queued_at = now},
                      drops);
        }
      }
      for (const DroppedPacket& packet : drops.packets) give_back(packet.token);
      drops = {};
      ASSERT_EQ(queues.bytes(), waiting);
    }
    queues.clear(drops);
    for (const DroppedPacket& packet : drops.packets) give_back(packet.token);
    EXPECT_TRUE(queues.empty());
    EXPECT_TRUE(queues.bytes().is_zero());
    for (const auto& [token, state] : tokens) ASSERT_EQ(state.first, 1) << "token " << token;
  }
}

}  // namespace
}  // namespace farwheel
