// Whether what stands before our packets is a queue that we are in: under fair queueing each flow
// has its own, and yet others' packets stand before ours, a few in the interface's ring. A law of
// delay would give way to them for ever, and nobody takes note. So a flow that such a delay holds
// back now and then sends less for a moment: a queue that it shares drains by what it sends less,
// sooner than any other answers; what is left is no queue of ours, and counts as the path's for a
// while once such tests agree. Not thread-safe.
//
// Source: ours; the shared notes on real links, section 5 (fair queueing).
#pragma once

#include <array>
#include <cstddef>

namespace farwheel {

class GiveWayTest {
 public:
  struct Step {
    double now;
    double passed;
    double share;  // of the bottleneck that we send
    double packet_time;
    double rtt;
    double base;         // seconds, as floor()
    double least_over;   // least delay over the base, floor included
    double newest_over;  // the same of the last step alone
    double target;
    bool new_packets;  // came in the last step
    bool calm;         // nothing else is going on
  };

  void on_step(const Step& step);
  // The law rests meanwhile.
  bool active() const { return active_; }
  // Factor on the pacing rate; 1 once what was sent less is out.
  double gain() const { return gain_; }
  // The queue at the bottleneck is ours alone.
  bool is_private() const { return private_; }
  // What stands before our packets though we gave way, over `base`; zero while nothing tells.
  double floor(double now, double base) const;
  void reset() { *this = GiveWayTest(); }

 private:
  void count(const Step& step);
  void conclude(const Step& step);

  bool active_ = false;
  bool private_ = false;
  bool known_ = false;
  double gain_ = 1;
  double held_ = 0;  // part of the time in which the queue reached the target, smoothed
  double ends_at_ = 0;
  double shows_at_ = 0;
  double began_showing_ = 0;
  double before_ = 0;
  double next_at_ = 0;
  double interval_ = 0;
  // What the steps show while the queue should be drained.
  static constexpr std::size_t kMostSteps = 16;
  std::array<double, kMostSteps> shown_{};
  std::size_t steps_ = 0;
  double stays_ = 0;  // part of what tests showed that stood, smoothed
  double floor_ = 0;  // base included, which may come to hold it
  double floor_most_ = 0;
  double learnt_at_ = -1e9;
};

}  // namespace farwheel
