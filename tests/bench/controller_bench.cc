// What a packet costs the controller on its way out and when feedback names it, in steady state: a
// camera of 8 packets a frame, a packet a millisecond, reports on 8 packets each 50 ms later, one
// in a hundred lost. Each figure is per packet; `allocations` counts operator new per packet. With
// many controllers in turn the caches are cold, as on a machine that serves many vehicles. A
// program to run by hand: it prints and judges nothing; tests/unit/send holds the zero.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <vector>

#include "counted_new.h"
#include "send_controller.h"

namespace {

using farwheel::DataRate;
using farwheel::DataSize;
using farwheel::FeedbackAdapter;
using farwheel::ReportedPacket;
using farwheel::SendController;
using farwheel::Timestamp;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kPacketsPerReport = 8;
constexpr std::int64_t kSpacingNs = 1000000;
constexpr std::int64_t kOneWayNs = 25000000;
constexpr std::int64_t kInFlight = 48;  // packets between a sending and its report
constexpr std::int64_t kWarmUp = 20000;
constexpr std::int64_t kStall = 512;  // packets: over half a second, more than a feed may hold
constexpr DataSize kSize = DataSize::from_bytes(1246);

// Time that adds up over pieces of a loop.
class StopWatch {
 public:
  void start() { begin_ = Clock::now(); }
  void stop() { spent_ += Clock::now() - begin_; }
  double take_seconds() {
    const double seconds = std::chrono::duration<double>(spent_).count();
    spent_ = {};
    return seconds;
  }

 private:
  Clock::time_point begin_;
  Clock::duration spent_{};
};

const std::vector<ReportedPacket>& report_from(std::int64_t first) {
  static std::vector<ReportedPacket> packets(kPacketsPerReport);
  for (std::int64_t i = 0; i < kPacketsPerReport; ++i) {
    const std::int64_t number = first + i;
    ReportedPacket& packet = packets[static_cast<std::size_t>(i)];
    packet = {.sequence_number = static_cast<std::uint16_t>(number), .lost = number % 100 == 99};
    if (!packet.lost) packet.remote_ns = (number * kSpacingNs + kOneWayNs) / 250000 * 250000;
  }
  return packets;
}

// A vehicle: eight packets out, one report in.
class Vehicle {
 public:
  explicit Vehicle(farwheel::Algorithm algorithm)
      : controller_({.algorithm = algorithm, .max_bitrate = DataRate::from_mbps(20)}) {
    controller_.add_feed(Timestamp::from_nanos(0), 0, {.kind = farwheel::FeedKind::kCamera});
    // Its queues were as full once as they ever get, and what they dropped was taken.
    for (; number_ < kStall; number_ += kPacketsPerReport) queue_packets();
    look_after();
  }

  void queue_packets() {
    for (std::int64_t i = 0; i < kPacketsPerReport; ++i) {
      const std::int64_t number = number_ + i;
      const Timestamp at = Timestamp::from_nanos(number_ * kSpacingNs);
      controller_.on_packet_queued(
          at, {.token = static_cast<std::uint64_t>(number),
               .feed = 0,
               .size = kSize,
               .kind = wants_key_ ? farwheel::FrameKind::kKey : farwheel::FrameKind::kDelta,
               .ends_unit = i + 1 == kPacketsPerReport,
               .queued_at = at});
    }
    wants_key_ = false;
  }
  // Sent whatever the pacer thinks of it, so that each run does the same work.
  void decide() {
    for (std::int64_t i = 0; i < kPacketsPerReport; ++i) {
      benchmark::DoNotOptimize(controller_.next(Timestamp::from_nanos((number_ + i) * kSpacingNs)));
    }
  }
  void send() {
    for (std::int64_t i = 0; i < kPacketsPerReport; ++i, ++number_) {
      controller_.on_packet_sent({number_, kSize, 0, Timestamp::from_nanos(number_ * kSpacingNs)});
    }
  }
  void hear(const std::vector<ReportedPacket>& report) {
    controller_.on_feedback(Timestamp::from_nanos(number_ * kSpacingNs), report);
  }
  void look_after() {
    controller_.on_tick(Timestamp::from_nanos(number_ * kSpacingNs));
    benchmark::DoNotOptimize(controller_.take_events());
    benchmark::DoNotOptimize(controller_.take_drops());
    wants_key_ = wants_key_ || !controller_.take_key_frame_requests().empty();
  }
  std::int64_t first_unreported() const { return number_ - kInFlight; }
  std::int64_t sent() const { return number_; }

 private:
  SendController controller_;
  std::int64_t number_ = 0;
  bool wants_key_ = true;
};

struct Piece {
  StopWatch queued, decided, sent, heard;
  std::size_t allocated = 0;  // by the calls themselves; lists that are taken are their taker's
};

void turn(Vehicle& vehicle, Piece& piece) {
  const std::size_t before = farwheel::allocation_count();
  piece.queued.start();
  vehicle.queue_packets();
  piece.queued.stop();
  piece.decided.start();
  vehicle.decide();
  piece.decided.stop();
  piece.sent.start();
  vehicle.send();
  piece.sent.stop();
  piece.allocated += farwheel::allocation_count() - before;
  if (vehicle.first_unreported() < 0) return;
  const std::vector<ReportedPacket>& report = report_from(vehicle.first_unreported());
  const std::size_t unheard = farwheel::allocation_count();
  piece.heard.start();
  vehicle.hear(report);
  piece.heard.stop();
  piece.allocated += farwheel::allocation_count() - unheard;
  vehicle.look_after();
}

// `which`: the piece that the figure is of. Arguments: controllers, algorithm.
void run(benchmark::State& state, StopWatch Piece::*which) {
  const auto algorithm = static_cast<farwheel::Algorithm>(state.range(1));
  std::vector<std::unique_ptr<Vehicle>> vehicles;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    vehicles.push_back(std::make_unique<Vehicle>(algorithm));
  }
  Piece piece;
  const std::int64_t warm_up = kStall + (state.range(0) == 1 ? kWarmUp : kWarmUp / 20);
  for (const auto& vehicle : vehicles) {
    while (vehicle->sent() < warm_up) turn(*vehicle, piece);
  }
  (piece.*which).take_seconds();
  piece.allocated = 0;
  std::size_t next = 0;
  for (auto _ : state) {
    turn(*vehicles[next], piece);
    next = next + 1 == vehicles.size() ? 0 : next + 1;
    state.SetIterationTime((piece.*which).take_seconds() / kPacketsPerReport);
  }
  state.counters["allocations"] = static_cast<double>(piece.allocated) /
                                  static_cast<double>(state.iterations() * kPacketsPerReport);
}

void packet_queued(benchmark::State& state) {
  run(state, &Piece::queued);
}
void packet_decided(benchmark::State& state) {
  run(state, &Piece::decided);
}
void packet_sent(benchmark::State& state) {
  run(state, &Piece::sent);
}
void feedback_per_packet(benchmark::State& state) {
  run(state, &Piece::heard);
}

void adapter_per_packet(benchmark::State& state) {
  FeedbackAdapter adapter;
  StopWatch heard;
  std::int64_t number = 0;
  for (auto _ : state) {
    for (std::int64_t i = 0; i < kPacketsPerReport; ++i, ++number) {
      adapter.on_packet_sent({number, kSize, 0, Timestamp::from_nanos(number * kSpacingNs)});
    }
    if (number >= kInFlight) {
      const std::vector<ReportedPacket>& report = report_from(number - kInFlight);
      heard.start();
      benchmark::DoNotOptimize(
          adapter.on_report(Timestamp::from_nanos(number * kSpacingNs), report));
      heard.stop();
    }
    state.SetIterationTime(heard.take_seconds() / kPacketsPerReport);
  }
}

void each(benchmark::internal::Benchmark* b) {
  b->ArgNames({"controllers", "algorithm"})->UseManualTime()->Iterations(100000);
  for (const std::int64_t controllers : {1, 1000}) {
    for (const auto algorithm : {farwheel::Algorithm::kAdaptiveBbr2, farwheel::Algorithm::kBbr2}) {
      b->Args({controllers, static_cast<std::int64_t>(algorithm)});
    }
  }
}

BENCHMARK(feedback_per_packet)->Apply(each);
BENCHMARK(packet_sent)->Apply(each);
BENCHMARK(packet_queued)->Apply(each);
BENCHMARK(packet_decided)->Apply(each);
BENCHMARK(adapter_per_packet)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
