#include "webrtc/unit_log.h"

#include <time.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace farwheel {
namespace {

constexpr auto kWriteInterval = std::chrono::milliseconds(100);
// A disk that stands still must not fill the memory.
constexpr std::size_t kMostPending = 16u << 20;

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

std::int64_t unix_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

}  // namespace

std::string UnitLog::open(const std::string& path) {
  close();
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (!file) return "cannot write " + path + ": " + std::strerror(errno);
  std::lock_guard lock(mutex_);
  file_ = file;
  closing_ = false;
  left_out_ = 0;
  // Both clocks at one moment: times of capture are by the wall, all others monotonic.
  pending_ = "clock " + std::to_string(monotonic_ns()) + " " + std::to_string(unix_ns()) + "\n";
  writer_ = std::thread([this] { write_on(); });
  is_open_ = true;
  return {};
}

void UnitLog::close() {
  is_open_ = false;
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  if (writer_.joinable()) writer_.join();
}

void UnitLog::write_on() {
  std::unique_lock lock(mutex_);
  for (bool last = false; !last;) {
    wake_.wait_for(lock, kWriteInterval, [this] { return closing_; });
    last = closing_;
    std::string text;
    text.swap(pending_);
    if (left_out_ > 0) text += "left-out " + std::to_string(std::exchange(left_out_, 0)) + "\n";
    std::FILE* const file = file_;
    lock.unlock();
    std::fwrite(text.data(), 1, text.size(), file);
    std::fflush(file);
    lock.lock();
  }
  std::fclose(std::exchange(file_, nullptr));
}

void UnitLog::add(const std::string& line) {
  std::lock_guard lock(mutex_);
  if (closing_ || !file_) return;
  if (pending_.size() + line.size() > kMostPending) {
    ++left_out_;
  } else {
    pending_ += line;
  }
}

void UnitLog::captured(const std::string& feed, std::uint64_t capture_unix_ns) {
  if (!is_open_) return;
  add("captured " + std::to_string(monotonic_ns()) + " " + feed + " " +
      std::to_string(capture_unix_ns) + "\n");
}

void UnitLog::sent(const SentUnit& unit) {
  if (!is_open_) return;
  add("sent " + std::to_string(monotonic_ns()) + " " + unit.feed + " " +
      std::to_string(unit.capture_unix_ns) + " " + std::to_string(unit.ssrc) + " " +
      std::to_string(unit.first_sequence) + " " + std::to_string(unit.packets) + " " +
      std::to_string(unit.bytes) + (unit.is_key ? " key\n" : " delta\n"));
}

void UnitLog::opened(const std::string& feed) {
  if (is_open_) add("opened " + std::to_string(monotonic_ns()) + " " + feed + "\n");
}

void UnitLog::key_asked(const std::string& feed) {
  if (is_open_) add("key-asked " + std::to_string(monotonic_ns()) + " " + feed + "\n");
}

void UnitLog::arrived(const ArrivedPacket& packet) {
  if (!is_open_) return;
  add("packet " + std::to_string(monotonic_ns()) + " " + std::to_string(packet.ssrc) + " " +
      std::to_string(packet.sequence) + (packet.marker ? " 1 " : " 0 ") +
      std::to_string(packet.capture_unix_ns) + " " + std::to_string(packet.bytes) + "\n");
}

void UnitLog::received(const std::string& feed, std::uint64_t capture_unix_ns) {
  if (!is_open_) return;
  add("received " + std::to_string(monotonic_ns()) + " " + feed + " " +
      std::to_string(capture_unix_ns) + "\n");
}

}  // namespace farwheel
