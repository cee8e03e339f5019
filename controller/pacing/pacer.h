// When the next packet may leave: a budget that fills at the pacing rate, holds at most a few
// milliseconds, and may go into debt by the packet that it lets go. Where the path is measured,
// each packet leaves a random part of a period late, so that no flow's period locks to a radio's
// slots, and now and then one leaves right behind another. Neither changes the rate. Pure, not
// thread-safe. Source: draft-cardwell-iccrg-bbr-congestion-control-02 sections 4.6.2 (pacing rate)
// and 4.6.3 (send quantum).
#pragma once

#include <cstdint>

#include "path/random.h"
#include "units/data.h"

namespace farwheel {

class Pacer {
 public:
  struct Config {
    // What may leave at once after a pause.
    TimeDelta max_burst = TimeDelta::from_millis(5);
    // No pause shorter than this is asked for; what falls due meanwhile leaves together.
    TimeDelta min_wait = TimeDelta::from_millis(1);
    // What is not paced (radar) delays the rest by no more than this.
    TimeDelta max_debt = TimeDelta::from_millis(100);
  };
  explicit Pacer(std::uint64_t seed = 1) : random_(seed) {}
  void set_config(const Config& config) { config_ = config; }

  // Sets the rate from now on. The budget so far keeps what it earned at the old one.
  void set_rate(Timestamp now, DataRate rate);
  // Gives up what was earned at a faster rate beyond what the present one may hold: a burst that
  // start-up's first train leaves would stand in the interface's queue.
  void forgo_excess();
  DataRate rate() const { return rate_; }
  // Takes a packet off the budget, paced or not.
  void on_packet(Timestamp now, DataSize size);
  // now if a packet may leave, else when to ask again.
  Timestamp next_send_time(Timestamp now) const;
  // Whether to spread packets and to send pairs.
  void set_measuring(bool measuring) { measuring_ = measuring; }
  // Starts afresh: the next packet may leave at once.
  void reset(Timestamp now);

 private:
  detail::Wide max_budget() const;
  void fill(Timestamp now);
  void plan_next(Timestamp now, DataSize size);

  Config config_;
  DataRate rate_ = DataRate::zero();
  Timestamp filled_at_ = Timestamp::infinite_past();
  // What may still leave at once; below zero, what has to be waited for. In bit/s x ns, so that no
  // fraction of a byte is ever lost.
  detail::Wide budget_ = 0;
  // What the budget must hold for the next packet to leave.
  detail::Wide due_ = 0;
  Random random_;
  bool measuring_ = false;
  bool pair_ = false;  // the next packet leaves right behind the last
  Timestamp last_pair_ = Timestamp::infinite_past();
};

}  // namespace farwheel
