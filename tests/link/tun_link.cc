// A link between two network namespaces, for tests: one TUN device in each, LinkModel in between.
// Real programs talk through it in real time, over a rate, queue, delay and loss that are known.
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>

#include "farwheel_config.h"
#include "link_model.h"
#include "tun_device.h"

namespace farwheel::link {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

volatile sig_atomic_t g_stop = 0;

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

struct Direction {
  TunDevice& from;
  TunDevice& to;
  LinkModel model;
  std::uint64_t reported_bytes = 0;

  void move(std::int64_t now) {
    for (auto packet = from.read(); !packet.empty(); packet = from.read()) {
      model.enqueue(now, std::move(packet));
    }
    while (const auto packet = model.take(now)) to.write(*packet);
  }
};

// One line a second on standard output: what passed from left to right, for the test to read.
void report(Direction& forward, std::int64_t now) {
  const LinkCounters& counters = forward.model.counters();
  std::printf("second=%lld delivered_bps=%llu queued_bytes=%zu dropped=%llu\n",
              static_cast<long long>(now / kNsPerSecond),
              static_cast<unsigned long long>((counters.bytes_out - forward.reported_bytes) * 8),
              forward.model.queued_bytes(),
              static_cast<unsigned long long>(counters.dropped_by_queue));
  std::fflush(stdout);
  forward.reported_bytes = counters.bytes_out;
}

void run(Direction& forward, Direction& backward) {
  const std::int64_t start = monotonic_ns();
  std::int64_t next_report = kNsPerSecond;
  while (g_stop == 0) {
    const std::int64_t now = monotonic_ns() - start;
    forward.move(now);
    backward.move(now);
    if (now >= next_report) {
      report(forward, next_report);
      next_report += kNsPerSecond;
    }
    std::int64_t wake = next_report;
    for (const Direction* direction : {&forward, &backward}) {
      wake = std::min(wake, direction->model.next_due().value_or(wake));
    }
    const std::int64_t wait = std::max<std::int64_t>(0, wake - (monotonic_ns() - start));
    const timespec timeout{wait / kNsPerSecond, wait % kNsPerSecond};
    pollfd waiting[] = {{forward.from.fd(), POLLIN, 0}, {backward.from.fd(), POLLIN, 0}};
    ppoll(waiting, 2, &timeout, nullptr);
  }
}

int main_program(int argc, char** argv) {
  CLI::App app{"Emulates a link between two network namespaces (needs root and /dev/net/tun)"};
  app.set_version_flag("--version", "farwheel " FARWHEEL_VERSION);
  std::string left;
  std::string right;
  std::string schedule_text;
  double rtt_ms = 0;
  LinkSettings there;
  app.add_option("--left", left, "NETNS:ADDRESS/PREFIX of the sender's end")->required();
  app.add_option("--right", right, "NETNS:ADDRESS/PREFIX of the receiver's end")->required();
  app.add_option(
      "--link", schedule_text,
      "RATE:SECONDS,... from left to right, Mbit/s; the last rate stays. Without: no limit");
  app.add_option("--rtt", rtt_ms, "two-way propagation, ms");
  app.add_option("--buffer-ms", there.buffer_ms, "queue from left to right, at the current rate");
  app.add_option("--overhead", there.overhead_bytes,
                 "bytes that a packet costs beyond its own; tbf on Ethernet counts 14");
  app.add_option("--loss", there.loss, "share of packets lost from left to right")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--seed", there.seed, "of the losses");
  CLI11_PARSE(app, argc, argv);

  if (!schedule_text.empty()) {
    std::string error;
    auto schedule = parse_schedule(schedule_text, error);
    if (!schedule) throw std::runtime_error("--link: " + error);
    there.schedule = std::move(*schedule);
  }
  there.delay_ms = rtt_ms / 2;
  const LinkSettings back{.schedule = {}, .delay_ms = rtt_ms / 2};

  struct sigaction stop {};
  stop.sa_handler = [](int) { g_stop = 1; };
  sigaction(SIGINT, &stop, nullptr);
  sigaction(SIGTERM, &stop, nullptr);
  // A packet that leaves late because other programs compute would be a jitter of ours.
  const sched_param first_of_all{.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO, &first_of_all);
  prctl(PR_SET_TIMERSLACK, 1UL);     // wake to the microsecond
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // never outlive the test

  TunDevice left_end(left);
  TunDevice right_end(right);
  Direction forward{left_end, right_end, LinkModel(there)};
  Direction backward{right_end, left_end, LinkModel(back)};
  std::printf("ready\n");
  std::fflush(stdout);
  run(forward, backward);
  return 0;
}

}  // namespace
}  // namespace farwheel::link

int main(int argc, char** argv) {
  try {
    return farwheel::link::main_program(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "tun_link: " << error.what() << '\n';
    return 1;
  }
}
