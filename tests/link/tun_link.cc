// tun_link: joins two network namespaces by an emulated link. Real programs in them then talk over
// whatever `farwheel-lab media` can make of a link, and more (docs/link-run.md).
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

#include "emulated_link.h"
#include "farwheel_config.h"
#include "ip_packet.h"
#include "media/media_option_list.h"
#include "media/option_text.h"
#include "packet_log.h"
#include "tun_device.h"

namespace farwheel::link {
namespace {

namespace media = lab::media;

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

volatile sig_atomic_t g_stop = 0;

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

struct Options {
  std::string left;
  std::string right;
  media::MediaTexts link;
  std::string duplication = "0";
  std::vector<std::string> mtu;
  std::vector<std::string> rebind;
  bool begin_with_rtp = false;
  std::string log;
};

EmulationConfig read_config(const Options& options) {
  EmulationConfig config;
  config.link = media::read_media_config(options.link);
  config.duplication = media::read_number("--duplication", options.duplication, {0, 1});
  for (const std::string& text : options.mtu) {
    for (const std::string_view part : media::split("--mtu", text, ',')) {
      const auto [bytes, at] = media::halve(part, '@');
      config.mtu.push_back(
          {static_cast<std::size_t>(media::read_whole("--mtu", bytes, {68, 65535})),
           at.empty() ? 0 : media::read_number("--mtu", at, {0, 36000})});
    }
  }
  for (const std::string& text : options.rebind) {
    for (const std::string_view part : media::split("--nat-rebind", text, ',')) {
      config.rebind_at_s.push_back(media::read_number("--nat-rebind", part, {0, 36000}));
    }
  }
  std::sort(config.rebind_at_s.begin(), config.rebind_at_s.end());
  if (options.begin_with_rtp) config.begin = EmulationConfig::Begin::kFirstRtp;
  return config;
}

class Emulator {
 public:
  explicit Emulator(const Options& options)
      : left_(options.left), right_(options.right), link_(read_config(options), monotonic_ns()) {
    if (!options.log.empty()) log_ = std::make_unique<PacketLog>(options.log);
  }

  void run() {
    while (g_stop == 0) {
      const std::int64_t now = monotonic_ns();
      for (auto packet = left_.read(); !packet.empty(); packet = left_.read()) {
        link_.enter(Way::kThere, now, std::move(packet));
      }
      for (auto packet = right_.read(); !packet.empty(); packet = right_.read()) {
        link_.enter(Way::kBack, now, std::move(packet));
      }
      deliver();
      report(now);
      wait();
    }
  }

 private:
  void deliver() {
    while (auto passed = link_.take(monotonic_ns())) {
      if (!passed->is_lost) {
        (passed->way == Way::kThere ? right_ : left_).write(passed->packet);
        if (passed->way == Way::kThere) delivered_bytes_ += passed->packet.size();
      }
      if (log_) log_->add(*passed, monotonic_ns());
    }
  }

  // One line a second of the link's time on standard output: what passed from left to right, for a
  // test to read.
  void report(std::int64_t now) {
    const auto began = link_.began_ns();
    if (!began) return;
    if (second_ == 0) {
      ++second_;
      std::printf("began %lld\n", static_cast<long long>(*began));
      if (log_) log_->begin(*began);
      std::fflush(stdout);
    }
    if (now < *began + second_ * kNsPerSecond) return;
    std::printf("second=%lld delivered_bps=%llu queued_bytes=%lld dropped=%lld\n",
                static_cast<long long>(second_),
                static_cast<unsigned long long>(delivered_bytes_ * 8),
                static_cast<long long>(link_.queued_bytes()),
                static_cast<long long>(link_.counters().dropped_by_queue));
    std::fflush(stdout);
    delivered_bytes_ = 0;
    ++second_;
  }

  void wait() {
    const std::int64_t now = monotonic_ns();
    std::int64_t wake = now + kNsPerSecond;
    if (const auto began = link_.began_ns()) wake = *began + second_ * kNsPerSecond;
    wake = std::min(wake, link_.next_due().value_or(wake));
    const std::int64_t rest = std::max<std::int64_t>(0, wake - now);
    const timespec timeout{rest / kNsPerSecond, rest % kNsPerSecond};
    pollfd waiting[] = {{left_.fd(), POLLIN, 0}, {right_.fd(), POLLIN, 0}};
    ppoll(waiting, 2, &timeout, nullptr);
  }

  TunDevice left_;
  TunDevice right_;
  EmulatedLink link_;
  std::unique_ptr<PacketLog> log_;
  std::int64_t second_ = 0;
  std::uint64_t delivered_bytes_ = 0;
};

void add_options(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "farwheel " FARWHEEL_VERSION);
  app.add_option("--left", options.left, "NETNS:ADDRESS/PREFIX[:DEVICE] of the sender's end")
      ->required();
  app.add_option("--right", options.right, "NETNS:ADDRESS/PREFIX[:DEVICE] of the receiver's end")
      ->required();
  media::add_link_options(app, options.link);
  app.add_option("--duplication", options.duplication, "Share of packets that arrive twice (0)");
  app.add_option("--mtu", options.mtu,
                 "BYTES[@AT],...  IP packets above it vanish both ways, without a word");
  app.add_option("--nat-rebind", options.rebind,
                 "AT,...  from then the left end has other UDP ports as seen from the right");
  app.add_flag("--begin-with-rtp", options.begin_with_rtp,
               "The link's time begins with the first RTP packet; until then, only propagation");
  app.add_option("--log", options.log, "FILE  a line for each RTP packet from left to right");
  media::take_words_whole(app);
}

int main_program(int argc, char** argv) {
  Options options;
  CLI::App app{"Emulates a link between two network namespaces (needs root and /dev/net/tun)"};
  add_options(app, options);
  try {
    app.parse(argc, argv);
    read_config(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  struct sigaction stop {};
  stop.sa_handler = [](int) { g_stop = 1; };
  sigaction(SIGINT, &stop, nullptr);
  sigaction(SIGTERM, &stop, nullptr);
  // A packet that leaves late because other programs compute would be a jitter of ours.
  const sched_param first_of_all{.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO, &first_of_all);
  prctl(PR_SET_TIMERSLACK, 1UL);     // wake to the microsecond
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // never outlive the test

  Emulator emulator(options);
  std::printf("ready\n");
  std::fflush(stdout);
  emulator.run();
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
