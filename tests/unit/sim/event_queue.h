// Virtual time: functions run in order of their time, ties in order of scheduling. No clock, no
// sleep; the same schedule gives the same run on every machine. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "path/random.h"
#include "units/time.h"

namespace farwheel::sim {

class EventQueue {
 public:
  Timestamp now() const { return now_; }

  // A time in the past runs at once, in its turn. Never, for infinity.
  void at(Timestamp when, std::function<void()> run) {
    if (!when.is_finite()) return;
    events_.push_back({std::max(when, now_), next_order_++, std::move(run)});
    std::push_heap(events_.begin(), events_.end(), later);
  }
  void after(TimeDelta delay, std::function<void()> run) { at(now_ + delay, std::move(run)); }

  // When the next function is to run; infinity when none is.
  Timestamp next_time() const {
    return events_.empty() ? Timestamp::infinite_future() : events_.front().when;
  }

  void run_until(Timestamp end) {
    while (!events_.empty() && events_.front().when <= end) {
      std::pop_heap(events_.begin(), events_.end(), later);
      const Event event = std::move(events_.back());
      events_.pop_back();
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
  };
  static bool later(const Event& a, const Event& b) {
    return a.when != b.when ? a.when > b.when : a.order > b.order;
  }

  Timestamp now_ = Timestamp::from_nanos(0);
  std::uint64_t next_order_ = 0;
  std::vector<Event> events_;
};

using farwheel::Random;

}  // namespace farwheel::sim
