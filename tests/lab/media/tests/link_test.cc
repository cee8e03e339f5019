// The link: what it carries when, what it drops, and that no packet is lost without being counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "media/media_link.h"

namespace farwheel::lab::media {
namespace {

Timestamp s(double seconds) {
  return Timestamp::from_seconds(seconds);
}

double served_ms(const LinkCapacity& link, Service& service, double at_s, std::int64_t bytes) {
  return link.serve(service, s(at_s), bytes).at.ms();
}

TEST(PhasedCapacity, ServesAtTheRateOfTheMoment) {
  const auto link = phased_capacity({{5, 1}, {1, 1}}, {});
  Service service;
  EXPECT_NEAR(served_ms(*link, service, 0, 1230), 1.968, 1e-4);
  EXPECT_NEAR(served_ms(*link, service, 0, 1230), 3.936, 1e-4);
  // Half of it before the change, half after.
  Service late;
  EXPECT_NEAR(served_ms(*link, late, 1 - 0.000984, 1230), 1000 + 4.92, 1e-3);
  EXPECT_NEAR(link->bytes_between(s(0.5), s(1.5)), 375000, 1);
}

TEST(PhasedCapacity, HoldsWhatWaitsWhileNothingPasses) {
  const auto link = phased_capacity({{5, 1}, {0, 1}, {5, 1}}, {{2.5, 0.1}});
  Service service;
  EXPECT_NEAR(served_ms(*link, service, 1.2, 1230), 2001.968, 1e-3);
  EXPECT_EQ(link->next_delivery(s(1.2)), s(2));
  EXPECT_EQ(link->next_delivery(s(0.2)), s(0.2));
  EXPECT_NEAR(link->bytes_between(s(2), s(3)), 625000 * 0.9, 1);
}

TEST(PhasedCapacity, SaysNeverForALinkThatEnds) {
  const auto link = phased_capacity({{5, 1}, {0, 1}}, {});
  Service service;
  EXPECT_FALSE(link->serve(service, s(1.5), 1230).at.is_finite());
  EXPECT_FALSE(link->next_delivery(s(1.5)).is_finite());
}

TEST(SlottedCapacity, SendsAtGrantsOnlyAndAllThatTheRateGives) {
  const auto link = slotted_capacity(phased_capacity({{5, 10}}, {}), {.slot_ms = 5}, 1);
  Service service;
  EXPECT_NEAR(served_ms(*link, service, 0.001, 1230), 5, 1e-6);
  EXPECT_NEAR(served_ms(*link, service, 0.001, 1230), 5, 1e-6);
  // 3125 bytes a grant: the third goes on into the next.
  EXPECT_NEAR(served_ms(*link, service, 0.001, 1230), 10, 1e-6);
  Service busy;
  double bytes = 0;
  while (link->serve(busy, s(0), 1230).at <= s(1)) bytes += 1230;
  EXPECT_NEAR(bytes, 625000, 1230);
}

TEST(SlottedCapacity, RepeatsTheShareOfGrantsAskedFor) {
  const auto link = slotted_capacity(phased_capacity({{5, 100}}, {}),
                                     {.slot_ms = 5, .harq_share = 0.1, .harq_ms = 8}, 3);
  Service service;
  int repeated = 0;
  constexpr int kGrants = 5000;
  for (int i = 0; i < kGrants; ++i) {
    const Departure departure = link->serve(service, s(0.005 * i + 0.001), 100);
    if (departure.repeat > TimeDelta::zero()) ++repeated;
  }
  EXPECT_NEAR(repeated, kGrants / 10, kGrants / 50);
}

TEST(TracedCapacity, GivesEachOpportunityOnceAndBeginsAgain) {
  const auto link = traced_capacity({10, 10, 30, 100}, {});
  Service service;
  EXPECT_NEAR(served_ms(*link, service, 0, 1500), 10, 1e-6);
  EXPECT_NEAR(served_ms(*link, service, 0, 1500), 10, 1e-6);
  EXPECT_NEAR(served_ms(*link, service, 0, 1500), 30, 1e-6);
  // An opportunity that nobody was there for is gone.
  EXPECT_NEAR(served_ms(*link, service, 0.031, 1500), 100, 1e-6);
  EXPECT_NEAR(served_ms(*link, service, 0.031, 1500), 110, 1e-6);
  // A packet may take more than one of them.
  Service large;
  EXPECT_NEAR(served_ms(*link, large, 0.02, 2000), 100, 1e-6);
  EXPECT_NEAR(link->bytes_between(s(0), s(1.005)), 40 * 1500, 1);
  EXPECT_EQ(link->next_delivery(s(0.031)), s(0.1));
}

struct Traffic {
  MediaConfig config;
  sim::EventQueue events;
  std::vector<std::int64_t> arrived;
  std::vector<Timestamp> at;

  // A burst of `count` packets at `burst_s`, then what became of it.
  LinkCounters run(double burst_s, int count) {
    const auto capacity = make_capacity(config);
    MediaLink link(events, *capacity, config);
    const std::size_t flow = link.add_flow(50, [this](std::int64_t n) {
      arrived.push_back(n);
      at.push_back(events.now());
    });
    events.at(Timestamp::from_seconds(burst_s), [&] {
      for (int i = 0; i < count; ++i) link.send(flow, i, 1200);
    });
    events.run_until(s(config.duration_s));
    EXPECT_EQ(link.queued_bytes(), 0);
    return link.counters(flow);
  }
};

TEST(MediaLink, DropsBeyondTheQueueAndCountsEveryPacket) {
  Traffic traffic;
  traffic.config.phases = {{1, 10}};
  traffic.config.duration_s = 10;
  const LinkCounters counters = traffic.run(1, 1000);
  // 300 ms of 1 Mbit/s are 37500 bytes: 30 packets of 1230.
  EXPECT_EQ(counters.delivered, 30);
  EXPECT_EQ(counters.dropped_by_queue, 970);
  EXPECT_EQ(counters.sent, counters.delivered + counters.lost());
  EXPECT_NEAR(traffic.at.back().ms(), 1000 + 30 * 9.84 + 25, 0.01);
}

TEST(MediaLink, KeepsWhatIsQueuedWhenTheRateFalls) {
  Traffic traffic;
  traffic.config.phases = {{5, 1}, {0.1, 60}};
  traffic.config.duration_s = 61;
  // 60 packets at 5 Mbit/s take 118 ms; 25 ms before the change most of them still wait.
  const LinkCounters counters = traffic.run(0.975, 60);
  EXPECT_EQ(counters.delivered, 60);
  EXPECT_EQ(counters.lost(), 0);
}

TEST(MediaLink, LosesWhatIsSentInSilenceAndHoldsWhatWasQueued) {
  Traffic traffic;
  traffic.config.phases = {{5, 10}};
  traffic.config.duration_s = 10;
  traffic.config.silences = {{1, 2}};
  EXPECT_EQ(traffic.run(1.5, 10).lost_in_silence, 10);
  Traffic before;
  before.config = traffic.config;
  EXPECT_EQ(before.run(0.99, 10).delivered, 10);
  EXPECT_GT(before.at.back().seconds(), 3);
}

TEST(MediaLink, KeepsTheOrderUnderJitterAndBreaksItWhenAsked) {
  Traffic traffic;
  traffic.config.phases = {{50, 10}};
  traffic.config.duration_s = 10;
  traffic.config.jitter_ms = 7;
  traffic.run(1, 200);
  EXPECT_TRUE(std::is_sorted(traffic.arrived.begin(), traffic.arrived.end()));
  Traffic mixed;
  mixed.config = traffic.config;
  mixed.config.jitter_ms = 0;
  mixed.config.reordering = 0.2;
  EXPECT_EQ(mixed.run(1, 200).delivered, 200);
  EXPECT_FALSE(std::is_sorted(mixed.arrived.begin(), mixed.arrived.end()));
}

TEST(MediaLink, LosesTheShareAskedFor) {
  Traffic traffic;
  traffic.config.phases = {{100, 20}};
  traffic.config.buffer_ms = 10000;
  traffic.config.duration_s = 20;
  traffic.config.loss = 0.05;
  const LinkCounters counters = traffic.run(1, 10000);
  EXPECT_NEAR(static_cast<double>(counters.lost_at_random), 500, 100);
  EXPECT_EQ(counters.sent, counters.delivered + counters.lost());
}

}  // namespace
}  // namespace farwheel::lab::media
