// Virtual time: functions run in order of their time, ties in order of scheduling. No clock, no
// sleep; the same schedule gives the same run on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "path/random.h"
#include "units/time.h"

namespace farwheel::sim {

class EventQueue {
 public:
  Timestamp now() const { return now_; }

  // A time in the past runs at once, in its turn.
  void at(Timestamp when, std::function<void()> run) {
    events_.push(Event{when < now_ ? now_ : when, next_order_++, std::move(run)});
  }
  void after(TimeDelta delay, std::function<void()> run) { at(now_ + delay, std::move(run)); }

  void run_until(Timestamp end) {
    while (!events_.empty() && events_.top().when <= end) {
      Event event = events_.top();
      events_.pop();
      now_ = event.when;
      event.run();
    }
    now_ = end;
  }

 private:
  struct Event {
    Timestamp when;
    std::uint64_t order;
    std::function<void()> run;
    friend bool operator<(const Event& a, const Event& b) {
      return a.when != b.when ? a.when > b.when : a.order > b.order;
    }
  };
  Timestamp now_ = Timestamp::from_nanos(0);
  std::uint64_t next_order_ = 0;
  std::priority_queue<Event> events_;
};

using farwheel::Random;

}  // namespace farwheel::sim
