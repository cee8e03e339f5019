// Another flow that fills the queue, as an application-limited flow sees it: the delay stays
// although we gave way. Then giving way further would only hand it the rest, so the rate grows and
// falls as a loss-based flow's does, until the queue empties. Not thread-safe.
//
// Source: shared notes on media, section 1 ("Competition"), and congestion control on giving way.
#pragma once

#include "units/data.h"

namespace farwheel {

class FrameCompetition {
 public:
  struct Report {
    Timestamp now;
    TimeDelta queue;       // that stands
    DataRate rate;         // of ours
    TimeDelta round_trip;  // with the queue
    DataSize packet;
    bool lost;
    bool may_begin;  // no silence, no start-up
  };
  enum class Change { kNone, kBegins, kEnds };
  Change on_report(const Report& report);
  bool active() const { return active_; }
  // While active.
  DataRate rate() const { return rate_; }
  void reset() { *this = FrameCompetition(); }

 private:
  bool begins(const Report& report);
  bool ends(const Report& report);

  bool active_ = false;
  DataRate rate_ = DataRate::zero();
  Timestamp last_growth_ = Timestamp::infinite_past();
  Timestamp last_cut_ = Timestamp::infinite_past();
  Timestamp empty_since_ = Timestamp::infinite_future();
  TimeDelta entry_queue_ = TimeDelta::zero();
  // A delay that stands, from its beginning on.
  Timestamp queued_since_ = Timestamp::infinite_future();
  DataRate rate_before_ = DataRate::zero();
  TimeDelta most_queue_ = TimeDelta::zero();
  Timestamp not_before_ = Timestamp::infinite_past();
};

}  // namespace farwheel
