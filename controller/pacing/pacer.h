// When the next packet may leave: a budget that fills at the pacing rate, holds at most a few
// milliseconds, and may go into debt by the packet that it lets go. Pure, not thread-safe.
// Source: draft-cardwell-iccrg-bbr-congestion-control-02 sections 4.6.2 (pacing rate) and 4.6.3
// (send quantum).
#pragma once

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
  void set_config(const Config& config) { config_ = config; }

  // Sets the rate from now on. The budget so far keeps what it earned at the old one.
  void set_rate(Timestamp now, DataRate rate);
  DataRate rate() const { return rate_; }
  // Takes a packet off the budget, paced or not.
  void on_packet(Timestamp now, DataSize size);
  // now if a packet may leave, else when to ask again.
  Timestamp next_send_time(Timestamp now) const;
  // Starts afresh: the next packet may leave at once.
  void reset(Timestamp now);

 private:
  detail::Wide max_budget() const;
  void fill(Timestamp now);

  Config config_;
  DataRate rate_ = DataRate::zero();
  Timestamp filled_at_ = Timestamp::infinite_past();
  // What may still leave at once; below zero, what has to be waited for. In bit/s x ns, so that no
  // fraction of a byte is ever lost.
  detail::Wide budget_ = 0;
};

}  // namespace farwheel
