#include "unix_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace farwheel::station {
namespace {

// Read end, write end. A handler may do hardly more than write().
std::array<int, 2> pipe_ends{-1, -1};

extern "C" void farwheel_station_on_signal(int) {
  const char byte = 1;
  [[maybe_unused]] const auto written = write(pipe_ends[1], &byte, 1);
}

}  // namespace

UnixSignals::UnixSignals(QObject* parent) : QObject(parent) {
  if (pipe2(pipe_ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  notifier_ = new QSocketNotifier(pipe_ends[0], QSocketNotifier::Read, this);
  connect(notifier_, &QSocketNotifier::activated, this, [this] {
    char byte = 0;
    while (read(pipe_ends[0], &byte, 1) > 0) {
    }
    emit quitAsked();
  });
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    action.sa_handler = farwheel_station_on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

UnixSignals::~UnixSignals() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  for (int& end : pipe_ends) {
    if (end >= 0) close(end);
    end = -1;
  }
}

}  // namespace farwheel::station
