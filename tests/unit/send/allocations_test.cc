// No allocation in steady state: operator new is replaced and counted, so this is a program of its
// own. Every call that a packet, a report and a tick make is inside.
#include <gtest/gtest.h>

#include <vector>

#include "counted_new.h"
#include "send_controller.h"

namespace farwheel {
namespace {

constexpr std::int64_t kPacketsPerReport = 8;
constexpr DataSize kSize = DataSize::from_bytes(1246);

// A camera or, where the queue never runs dry, a source that fills the path; reports 50 ms later,
// one packet in a hundred lost; the interface's queue read with each.
struct Steady {
  explicit Steady(Algorithm algorithm, bool fills)
      : fills_path(fills),
        controller({.algorithm = algorithm, .max_bitrate = DataRate::from_mbps(20)}) {
    controller.add_feed(Timestamp::from_nanos(0), 0,
                        {.kind = FeedKind::kCamera, .max_queue_time = TimeDelta::from_seconds(60)});
    report.resize(kPacketsPerReport);
  }

  void turn() {
    const std::int64_t first = number;
    for (std::int64_t i = 0; i < kPacketsPerReport; ++i, ++number) {
      const Timestamp now = Timestamp::from_millis(number);
      controller.on_packet_queued(now, {.token = static_cast<std::uint64_t>(number),
                                        .feed = 0,
                                        .size = kSize,
                                        .kind = number == 0 ? FrameKind::kKey : FrameKind::kDelta,
                                        .ends_unit = i + 1 == kPacketsPerReport,
                                        .queued_at = now});
      const bool sends = controller.next(now).action == SendDecision::Action::kSend;
      controller.on_packet_sent({number, kSize, 0, now});
      if (sends && !fills_path) (void)controller.next(now);
    }
    if (first < 48) return;
    for (std::int64_t i = 0; i < kPacketsPerReport; ++i) {
      const std::int64_t named = first - 48 + i;
      ReportedPacket& packet = report[static_cast<std::size_t>(i)];
      packet = {.sequence_number = static_cast<std::uint16_t>(named), .lost = named % 100 == 99};
      if (!packet.lost) packet.remote_ns = (named * 1000000 + 25000000) / 250000 * 250000;
    }
    const Timestamp now = Timestamp::from_millis(number);
    controller.on_driver_queue(now, {DataSize::from_bytes(number % 7 * 1246)});
    controller.on_feedback(now, report);
    controller.on_tick(now);
  }

  // The lists of what happened are their taker's.
  void take() {
    (void)controller.take_events();
    (void)controller.take_drops();
    (void)controller.take_key_frame_requests();
  }

  bool fills_path;
  SendController controller;
  std::vector<ReportedPacket> report;
  std::int64_t number = 0;
};

TEST(Allocations, NoneInSteadyState) {
  for (const Algorithm algorithm :
       {Algorithm::kAdaptiveBbr2, Algorithm::kAdaptiveBbr2Paper, Algorithm::kBbr2}) {
    for (const bool fills : {false, true}) {
      Steady steady(algorithm, fills);
      while (steady.number < 40000) {
        steady.turn();
        if (steady.number % 1000 == 0) steady.take();
      }
      std::size_t counted = 0;
      while (steady.number < 44000) {
        const std::size_t before = allocation_count();
        steady.turn();
        counted += allocation_count() - before;
        steady.take();
      }
      EXPECT_EQ(counted, 0u) << to_string(algorithm) << " fills " << fills;
    }
  }
}

}  // namespace
}  // namespace farwheel
