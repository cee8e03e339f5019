// What becomes of each frame and sweep, one line each into a file, for measuring: farwheelsink
// writes what was captured and what went into the session, farwheelsrc which packets arrived when
// and which units came out. docs/link-run.md names the lines. Closed, it costs one load of an
// atomic. Calls from any thread; whoever writes only appends to memory, a thread of its own writes
// the file.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace farwheel {

// One frame or sweep as its last packet went into the session.
struct SentUnit {
  std::string feed;
  std::uint64_t capture_unix_ns = 0;
  std::uint32_t ssrc = 0;
  std::uint16_t first_sequence = 0;
  std::uint32_t packets = 0;
  std::uint64_t bytes = 0;  // of RTP
  bool is_key = false;
};

// A packet of a feed at the receiver, after retransmissions were put in their places and before the
// jitter buffer.
struct ArrivedPacket {
  std::uint32_t ssrc = 0;
  std::uint16_t sequence = 0;
  bool marker = false;
  std::uint64_t capture_unix_ns = 0;  // 0: it bears none
  std::uint64_t bytes = 0;            // of RTP
};

class UnitLog {
 public:
  UnitLog() = default;
  ~UnitLog() { close(); }
  UnitLog(const UnitLog&) = delete;
  UnitLog& operator=(const UnitLog&) = delete;

  // Truncates the file. Empty, or what is wrong.
  [[nodiscard]] std::string open(const std::string& path);
  // Returns when all is in the file.
  void close();
  bool is_open() const { return is_open_; }

  // The session is connected: what the feed brings is sent from now on.
  void opened(const std::string& feed);
  void captured(const std::string& feed, std::uint64_t capture_unix_ns);
  void sent(const SentUnit& unit);
  // Somebody wants a key frame: the controller, or the receiver.
  void key_asked(const std::string& feed);
  void arrived(const ArrivedPacket& packet);
  // A complete unit left the session towards the console.
  void received(const std::string& feed, std::uint64_t capture_unix_ns);

 private:
  void add(const std::string& line);
  void write_on();

  std::atomic<bool> is_open_{false};
  std::thread writer_;
  std::mutex mutex_;  // the rest
  std::condition_variable wake_;
  std::string pending_;
  std::uint64_t left_out_ = 0;
  bool closing_ = false;
  std::FILE* file_ = nullptr;
};

}  // namespace farwheel
