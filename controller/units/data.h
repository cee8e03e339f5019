// An amount of data in bytes and a rate in bit/s, and how they and time make each other.
#pragma once

#include "units/quantity.h"
#include "units/time.h"

namespace farwheel {

class DataSize : public Quantity<DataSize> {
 public:
  static constexpr DataSize from_bytes(std::int64_t bytes) { return DataSize(bytes); }
  constexpr std::int64_t bytes() const { return raw_; }
  constexpr double bits() const { return static_cast<double>(raw_) * 8; }

 private:
  friend class Quantity<DataSize>;
  explicit constexpr DataSize(std::int64_t bytes) : Quantity(bytes) {}
};

class DataRate : public Quantity<DataRate> {
 public:
  static constexpr DataRate from_bps(std::int64_t bps) { return DataRate(bps); }
  static constexpr DataRate from_kbps(std::int64_t kbps) {
    return DataRate(detail::saturate(detail::Wide{kbps} * 1000));
  }
  static constexpr DataRate from_mbps(double mbps) {
    return DataRate(detail::saturate(mbps * 1e6));
  }
  constexpr std::int64_t bps() const { return raw_; }
  constexpr double kbps() const { return static_cast<double>(raw_) / 1e3; }
  constexpr double mbps() const { return static_cast<double>(raw_) / 1e6; }

 private:
  friend class Quantity<DataRate>;
  explicit constexpr DataRate(std::int64_t bps) : Quantity(bps) {}
};

// Infinite for a non-positive span, so that a degenerate sample is loud and never a small number.
constexpr DataRate operator/(DataSize size, TimeDelta span) {
  if (span <= TimeDelta::zero() || size.is_infinite()) return DataRate::infinite();
  if (span.is_infinite()) return DataRate::zero();
  return DataRate::from_bps(detail::scaled(size.bytes(), 8000000000, span.ns()));
}

// How long the size takes at the rate; infinite at rate zero.
constexpr TimeDelta operator/(DataSize size, DataRate rate) {
  if (rate <= DataRate::zero() || size.is_infinite()) return TimeDelta::infinite();
  if (rate.is_infinite()) return TimeDelta::zero();
  return TimeDelta::from_nanos(detail::scaled(size.bytes(), 8000000000, rate.bps()));
}

constexpr DataSize operator*(DataRate rate, TimeDelta span) {
  if (rate.is_zero() || span.is_zero()) return DataSize::zero();
  if (rate.is_infinite() || span.is_infinite()) return DataSize::infinite();
  return DataSize::from_bytes(detail::scaled(rate.bps(), span.ns(), 8000000000));
}
constexpr DataSize operator*(TimeDelta span, DataRate rate) {
  return rate * span;
}

}  // namespace farwheel
