// How long the bottleneck takes for a packet, from packets that we sent right behind each other and
// that it spread. Any other gap between arrivals depends on how fast we send, and flows that
// disagree about this time settle at different rates. Not thread-safe.
//
// Source: shared notes on the default law, sections 1.1, 1.5 and 6.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace farwheel {

class PacketPairs {
 public:
  struct Packet {
    std::int64_t number;
    double sent_at;
    double received_at;
    double bytes;
  };
  // Delivered packets in order of their numbers. `mss`: what gaps are scaled to.
  void on_packet(const Packet& packet, double mss);
  // Seconds a full packet takes; empty while too few pairs are recent.
  std::optional<double> packet_time(double now);
  // Whether no more than stamps spread the low gaps: what packet_time() gave is the link's own, and
  // no grants of a radio's are in it.
  bool sharp() const { return sharp_; }
  void reset() { count_ = 0; }

 private:
  struct Gap {
    double at = 0;
    float seconds = 0;
  };
  static constexpr std::size_t kGaps = 40;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  Packet last_{-2, 0, 0, 0};
  bool changed_ = false;
  bool sharp_ = false;
  double judged_at_ = 0;
  std::optional<double> packet_time_;
  std::array<Gap, kGaps> gaps_{};
  std::array<float, kGaps> sorted_{};
};

}  // namespace farwheel
