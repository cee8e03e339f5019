// Takes the drift between the two clocks out of one-way delays, so that it never looks like a queue
// that grows. What the way back adds does not depend on our queue: one-way delay minus round trip
// is minus the backward delay plus the drift, and its largest value of a few seconds lies on a line
// whose slope is the drift alone. Not thread-safe.
//
// Invariant: the correction is integrated, so a new slope never makes the delays jump. Times are
// seconds here and in the law's other parts: what is a quantity outside is a number in a control
// law. Source: shared notes on the default law, section 1.1.
#pragma once

#include <array>
#include <cstddef>

namespace farwheel {

class ClockDrift {
 public:
  // The delay without the drift. `now`: sender's clock.
  double correct(double now, double one_way, double round_trip);
  // Seconds a second by which the receiver's clock runs ahead.
  double skew() const { return skew_; }

 private:
  void end_span(double now);

  static constexpr std::size_t kPoints = 48;
  static constexpr std::size_t kMostSlopes = kPoints * (kPoints - 1) / 2;
  struct Point {
    double at = 0;
    double value = 0;
  };
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  bool begun_ = false;
  double span_start_ = 0;
  double last_ = 0;
  double most_ = 0;
  double skew_ = 0;
  double correction_ = 0;
  std::array<Point, kPoints> points_{};
  std::array<float, kMostSlopes> slopes_{};
};

}  // namespace farwheel
