// A delay that is longer than any target of ours explains, from its beginning on; and, when it
// stays although we gave way, whose it is: the route's (flat, no loss) or another flow's that fills
// queues. Not thread-safe.
//
// Source: shared notes on the default law, section 1.6.
#pragma once

#include <array>
#include <cstddef>

namespace farwheel {

class DelayEpisode {
 public:
  struct Step {
    double now;
    double queue;
    double threshold;
    double least;          // windowed minimum, base included
    double control_delay;  // round trip and window
    double patience;       // how long it must last
    double flat_within;    // spread of a route's delay
    bool may_be_route;     // no loss and no competition lately
    double rate;           // to remember if it begins
    double share;          // of the bottleneck that we send
  };
  enum class Verdict { kNone, kRoute, kCompetition };

  Verdict on_step(const Step& step);
  bool active() const { return active_; }
  // Rate at which it began.
  double rate() const { return rate_; }
  // Seconds of queue that what we sent less since then should have drained.
  double given() const { return active_ ? given_ : 0; }
  void end() { active_ = false; }
  // Over the last second, of every step's queue.
  double most_queue() const;
  // Least delay of the last second, base included: the new base if it is a route.
  double route_delay() const;

 private:
  static constexpr std::size_t kSecond = 40;  // steps of 25 ms
  struct Seen {
    double queue = 0;
    double least = 0;
  };
  std::array<Seen, kSecond> second_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  bool active_ = false;
  double since_ = 0;
  double last_over_ = 0;
  double rate_ = 0;
  double share_ = 0;
  double given_ = 0;
  double last_ = 0;
  int steps_ = 0;
  int over_ = 0;
};

}  // namespace farwheel
