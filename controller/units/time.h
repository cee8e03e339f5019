// A span of time and a point in time, in nanoseconds. A Timestamp's zero means whatever the caller's
// clock means by it: sender timestamps and receiver timestamps are never subtracted from each other
// outside feedback/ and adaptive/, which know that their difference holds an unknown offset.
#pragma once

#include "units/quantity.h"

namespace farwheel {

class TimeDelta : public Quantity<TimeDelta> {
 public:
  static constexpr TimeDelta from_nanos(std::int64_t ns) { return TimeDelta(ns); }
  static constexpr TimeDelta from_micros(std::int64_t us) {
    return TimeDelta(detail::saturate(detail::Wide{us} * 1000));
  }
  static constexpr TimeDelta from_millis(std::int64_t ms) {
    return TimeDelta(detail::saturate(detail::Wide{ms} * 1000000));
  }
  static constexpr TimeDelta from_seconds(double s) {
    return TimeDelta(detail::saturate(s * 1e9));
  }

  constexpr std::int64_t ns() const { return raw_; }
  constexpr double us() const { return static_cast<double>(raw_) / 1e3; }
  constexpr double ms() const { return static_cast<double>(raw_) / 1e6; }
  constexpr double seconds() const { return static_cast<double>(raw_) / 1e9; }

 private:
  friend class Quantity<TimeDelta>;
  explicit constexpr TimeDelta(std::int64_t ns) : Quantity(ns) {}
};

class Timestamp {
 public:
  static constexpr Timestamp from_nanos(std::int64_t ns) { return Timestamp(ns); }
  static constexpr Timestamp from_micros(std::int64_t us) {
    return Timestamp(TimeDelta::from_micros(us).ns());
  }
  static constexpr Timestamp from_millis(std::int64_t ms) {
    return Timestamp(TimeDelta::from_millis(ms).ns());
  }
  static constexpr Timestamp from_seconds(double s) {
    return Timestamp(TimeDelta::from_seconds(s).ns());
  }
  static constexpr Timestamp infinite_future() { return Timestamp(detail::kInfinite); }
  static constexpr Timestamp infinite_past() { return Timestamp(detail::kMinusInfinite); }

  constexpr bool is_finite() const { return !detail::is_infinite(ns_); }
  constexpr std::int64_t ns() const { return ns_; }
  constexpr double ms() const { return static_cast<double>(ns_) / 1e6; }
  constexpr double seconds() const { return static_cast<double>(ns_) / 1e9; }

  friend constexpr auto operator<=>(const Timestamp&, const Timestamp&) = default;
  friend constexpr TimeDelta operator-(Timestamp a, Timestamp b) {
    return TimeDelta::from_nanos(a.ns_) - TimeDelta::from_nanos(b.ns_);
  }
  friend constexpr Timestamp operator+(Timestamp a, TimeDelta d) {
    return Timestamp((TimeDelta::from_nanos(a.ns_) + d).ns());
  }
  friend constexpr Timestamp operator-(Timestamp a, TimeDelta d) {
    return Timestamp((TimeDelta::from_nanos(a.ns_) - d).ns());
  }
  constexpr Timestamp& operator+=(TimeDelta d) { return *this = *this + d; }

 private:
  explicit constexpr Timestamp(std::int64_t ns) : ns_(ns) {}
  std::int64_t ns_;
};

}  // namespace farwheel
