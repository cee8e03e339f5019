// Whether a delay that noise may explain is a queue: an access that keeps packets in order under
// jitter holds even a window's least delay up, the more the faster we send, and a law of delay
// would stay at half of such a link for ever. So now and then send faster for a while: a queue at a
// busy bottleneck grows by what was sent too much; a floor of noise hardly moves, and is learnt,
// for a few seconds. Where pairs show the link's own packet time, what proved free also says that
// nobody shares it: see alone(). Not thread-safe.
//
// Source: ours; the open weakness in the shared notes on the default law, section 3.
#pragma once

namespace farwheel {

class FloorProbe {
 public:
  struct Step {
    double now;
    double rate;
    double capacity;  // of the bottleneck
    double rtt;
    double window;      // of the least delay
    double least_over;  // least delay over the base, floor included
    double queue;       // what the law takes for a queue
    double target;
    double noise;
    bool calm;  // nothing else is going on
    bool sure;  // the capacity is the link's own, no grants'
  };
  enum class Phase { kIdle, kFaster, kSlower };

  // True when the path proved free: the rate may stay at rate_after().
  bool on_step(const Step& step);
  Phase phase() const { return phase_; }
  // Factor on the pacing rate; the law rests while it is not 1.
  double gain() const { return gain_; }
  double rate_after() const { return rate_after_; }
  // What the least delay stays over the base by without a queue.
  double floor(double now) const;
  // The path proved free a moment ago.
  bool alone(double now) const { return now < alone_until_; }
  void reset() { *this = FloorProbe(); }
  // What was usual is so no more, and what stands now is not yet: look for a while first.
  void forget(double now);

 private:
  Phase phase_ = Phase::kIdle;
  double gain_ = 1;
  double rate_after_ = 0;
  double until_ = 0;
  double usual_ = 0;  // least delay over the base, smoothed
  double before_ = 0;
  double expected_ = 0;
  double length_ = 0;
  double began_ = 0;
  double shows_at_ = 0;
  double slope_ = 0;
  double next_at_ = 0;
  double interval_ = 4;
  double floor_ = 0;
  double learnt_at_ = -1e9;
  double holds_ = 0;
  bool sure_ = false;
  double alone_until_ = -1e9;
};

}  // namespace farwheel
