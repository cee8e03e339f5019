// What a packet costs on its way out and when feedback names it, for the adapter alone and for the
// whole controller, and allocations in steady state. Medians over batches, so that a busy machine
// does not count. A program to run by hand, no test: it prints and judges nothing.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "send_controller.h"

namespace {

std::size_t allocations = 0;

using farwheel::DataSize;
using farwheel::FeedbackAdapter;
using farwheel::ReportedPacket;
using farwheel::SendController;
using farwheel::SendDecision;
using farwheel::Timestamp;

constexpr int kPacketsPerReport = 8;
constexpr int kReports = 200000;
constexpr std::int64_t kSpacingNs = 1000000;
constexpr std::int64_t kOneWayNs = 25000000;

// Reports on what was sent 50 ms ago, eight packets each, one in a hundred lost.
class Reporter {
 public:
  const std::vector<ReportedPacket>& next() {
    packets_.clear();
    for (int i = 0; i < kPacketsPerReport; ++i, ++number_) {
      ReportedPacket packet{.sequence_number = static_cast<std::uint16_t>(number_),
                            .lost = number_ % 100 == 99};
      if (!packet.lost) packet.remote_ns = (number_ * kSpacingNs + kOneWayNs) / 250000 * 250000;
      packets_.push_back(packet);
    }
    return packets_;
  }

 private:
  std::vector<ReportedPacket> packets_;
  std::int64_t number_ = 0;
};

using Clock = std::chrono::steady_clock;

double median_ns_a_packet(std::vector<Clock::duration>& batches) {
  const auto middle = batches.begin() + std::ssize(batches) / 2;
  std::nth_element(batches.begin(), middle, batches.end());
  return std::chrono::duration<double, std::nano>(*middle).count() / kPacketsPerReport;
}

template <typename Send, typename Report>
void measure(const char* what, Send send, Report report) {
  Reporter reporter;
  std::int64_t number = 0;
  std::vector<Clock::duration> out(kReports);
  std::vector<Clock::duration> back(kReports);
  std::size_t before = 0;
  for (int i = -kReports / 10; i < kReports; ++i) {
    if (i == 0) before = allocations;
    const Clock::time_point start = Clock::now();
    for (int k = 0; k < kPacketsPerReport; ++k, ++number) {
      send(number, Timestamp::from_nanos(number * kSpacingNs));
    }
    const Clock::time_point sent = Clock::now();
    if (number * kSpacingNs < 2 * kOneWayNs) continue;
    const std::vector<ReportedPacket>& packets = reporter.next();
    const Clock::time_point reported = Clock::now();
    report(Timestamp::from_nanos(number * kSpacingNs), packets);
    const Clock::time_point done = Clock::now();
    if (i < 0) continue;
    out[static_cast<std::size_t>(i)] = sent - start;
    back[static_cast<std::size_t>(i)] = done - reported;
  }
  const double packets = static_cast<double>(kReports) * kPacketsPerReport;
  const double allocated = static_cast<double>(allocations - before) / packets;
  std::printf("%-12s out %6.1f ns, feedback %6.1f ns, %.4f allocations a packet\n", what,
              median_ns_a_packet(out), median_ns_a_packet(back), allocated);
}

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

int main() {
  FeedbackAdapter adapter;
  std::int64_t results = 0;
  measure(
      "adapter",
      [&](std::int64_t number, Timestamp at) {
        adapter.on_packet_sent({number, DataSize::from_bytes(1246), 0, at});
      },
      [&](Timestamp at, const std::vector<ReportedPacket>& report) {
        results += std::ssize(adapter.on_report(at, report).packets);
      });

  SendController controller({.max_bitrate = farwheel::DataRate::from_mbps(20)});
  controller.add_feed(Timestamp::from_nanos(0), 0, {.kind = farwheel::FeedKind::kCamera});
  measure(
      "controller",
      [&](std::int64_t number, Timestamp at) {
        controller.on_packet_queued(
            at, {.token = static_cast<std::uint64_t>(number),
                 .feed = 0,
                 .size = DataSize::from_bytes(1246),
                 .kind = number == 0 ? farwheel::FrameKind::kKey : farwheel::FrameKind::kDelta,
                 .ends_unit = number % 4 == 3,
                 .queued_at = at});
        // Sent whatever the pacer thinks of it, so that each run does the same work.
        const SendDecision decision = controller.next(at);
        results += decision.action == SendDecision::Action::kSend;
        controller.on_packet_sent({number, DataSize::from_bytes(1246), 0, at});
      },
      [&](Timestamp at, const std::vector<ReportedPacket>& report) {
        controller.on_feedback(at, report);
        controller.on_tick(at);
        (void)controller.take_events();
        (void)controller.take_drops();
        (void)controller.take_key_frame_requests();
      });
  return results == 0;
}
