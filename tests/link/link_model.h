// One direction of an emulated link: a rate that follows a schedule, a first-in-first-out queue
// that drops at its tail, a fixed delay and random loss. Virtual time (ns since the link's start),
// no I/O: tun_link moves real packets through it. Words and units as in `farwheel-lab media`
// (RATE:SECONDS, queue as time at the current rate).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace farwheel::link {

struct RatePhase {
  double mbps = 0;     // Mbit/s of IP packets; 0: nothing passes
  double seconds = 0;  // the last phase lasts for ever, whatever stands here
};

// "3:20,8:15": 3 Mbit/s for 20 s, then 8. A bare "3" is one phase. Empty: what was wrong with
// `text` is in `error`.
std::optional<std::vector<RatePhase>> parse_schedule(std::string_view text, std::string& error);

struct LinkSettings {
  std::vector<RatePhase> schedule;  // empty: no limit
  double delay_ms = 0;              // after the queue
  double buffer_ms = 300;           // what may wait, at the current rate; at least one packet
  std::size_t overhead_bytes = 0;   // a packet's cost on the wire beyond its own bytes
  double loss = 0;                  // share of packets that vanish behind the queue
  std::uint64_t seed = 1;
};

struct LinkCounters {
  std::uint64_t packets_in = 0;
  std::uint64_t packets_out = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t dropped_by_queue = 0;
  std::uint64_t lost = 0;
};

class LinkModel {
 public:
  using Nanoseconds = std::int64_t;
  using Packet = std::vector<std::uint8_t>;

  explicit LinkModel(LinkSettings settings);

  void enqueue(Nanoseconds now, Packet packet);
  // The next packet that has arrived at the far end by `now`, in order; empty if none has.
  std::optional<Packet> take(Nanoseconds now);
  // When take() can next give something; empty while the link is idle. May be early, never late.
  std::optional<Nanoseconds> next_due() const;

  double rate_mbps(Nanoseconds now) const;  // infinity without a schedule
  std::size_t queued_bytes() const { return queued_bytes_; }
  const LinkCounters& counters() const { return counters_; }

 private:
  struct OnTheWire {
    Nanoseconds due;
    Packet packet;
  };

  // Starts and ends transmissions up to `now`.
  void advance(Nanoseconds now);
  // The end of sending a packet of `bytes` begun at `start`, through every change of rate
  // meanwhile.
  std::optional<Nanoseconds> transmission_end(Nanoseconds start, std::size_t bytes) const;

  LinkSettings settings_;
  std::mt19937_64 random_;
  std::deque<Packet> queue_;
  std::size_t queued_bytes_ = 0;
  std::optional<Nanoseconds>
      head_ends_;            // empty: the head never ends (last phase is 0), or no head
  Nanoseconds free_at_ = 0;  // when the transmitter became idle
  std::deque<OnTheWire> wire_;
  LinkCounters counters_;
};

}  // namespace farwheel::link
