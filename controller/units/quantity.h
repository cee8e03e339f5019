// The arithmetic that every unit type shares: one signed 64-bit count of a base unit, with plus
// infinity as a value and no default value. Sums and products saturate; infinity absorbs.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace farwheel {

namespace detail {
__extension__ typedef __int128 Wide;

inline constexpr std::int64_t kInfinite = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kMinusInfinite = std::numeric_limits<std::int64_t>::min();

// Rounds towards zero into the 64-bit range, infinities included.
constexpr std::int64_t saturate(Wide wide) {
  if (wide >= static_cast<Wide>(kInfinite)) return kInfinite;
  if (wide <= static_cast<Wide>(kMinusInfinite)) return kMinusInfinite;
  return static_cast<std::int64_t>(wide);
}

// Rounds to nearest; NaN becomes 0 so that no input of ours can poison a model.
constexpr std::int64_t saturate(double value) {
  if (__builtin_fabs(value) < 9.2233720368547748e18) [[likely]] {
    return static_cast<std::int64_t>(value + __builtin_copysign(0.5, value));
  }
  if (value != value) return 0;
  return value > 0 ? kInfinite : kMinusInfinite;
}

constexpr bool is_infinite(std::int64_t value) {
  return value == kInfinite || value == kMinusInfinite;
}

// Saturating, by way of the 64-bit operation that nearly always suffices.
constexpr std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_add_overflow(a, b, &result)) [[likely]]
    return result;
  return a > 0 ? kInfinite : kMinusInfinite;
}
constexpr std::int64_t difference(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_sub_overflow(a, b, &result)) [[likely]]
    return result;
  return a > 0 ? kInfinite : kMinusInfinite;
}
// a * b / divisor, towards zero.
constexpr std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t divisor) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) [[likely]]
    return product / divisor;
  return saturate(Wide{a} * b / divisor);
}
}  // namespace detail

// T is the unit itself (curiously recurring): DataSize, DataRate, TimeDelta.
template <typename T>
class Quantity {
 public:
  static constexpr T zero() { return make(0); }
  static constexpr T infinite() { return make(detail::kInfinite); }

  constexpr bool is_zero() const { return raw_ == 0; }
  constexpr bool is_finite() const { return !detail::is_infinite(raw_); }
  constexpr bool is_infinite() const { return detail::is_infinite(raw_); }

  friend constexpr bool operator==(const T& a, const T& b) { return a.raw_ == b.raw_; }
  friend constexpr std::strong_ordering operator<=>(const T& a, const T& b) {
    return a.raw_ <=> b.raw_;
  }
  friend constexpr T operator+(T a, T b) {
    if (a.is_infinite()) return a;
    if (b.is_infinite()) return b;
    return make(detail::sum(a.raw_, b.raw_));
  }
  friend constexpr T operator-(T a, T b) {
    if (a.is_infinite()) return a;
    if (b.is_infinite()) return make(b.raw_ > 0 ? detail::kMinusInfinite : detail::kInfinite);
    return make(detail::difference(a.raw_, b.raw_));
  }
  // Rounds to nearest. An infinite quantity stays infinite under any positive factor.
  friend constexpr T operator*(T a, double factor) {
    if (a.is_infinite()) return factor == 0 ? make(0) : a;
    return make(detail::saturate(static_cast<double>(a.raw_) * factor));
  }
  friend constexpr T operator*(double factor, T a) { return a * factor; }
  friend constexpr T operator/(T a, double divisor) {
    if (a.is_infinite()) return a;
    return make(detail::saturate(static_cast<double>(a.raw_) / divisor));
  }
  // The ratio of two quantities of one kind; 0 when the divisor is zero.
  friend constexpr double operator/(T a, T b) {
    if (b.raw_ == 0) return 0;
    if (b.is_infinite()) return a.is_infinite() ? 1 : 0;
    return static_cast<double>(a.raw_) / static_cast<double>(b.raw_);
  }
  constexpr T& operator+=(T b) { return self() = self() + b; }
  constexpr T& operator-=(T b) { return self() = self() - b; }
  constexpr T& operator*=(double factor) { return self() = self() * factor; }

 protected:
  static constexpr T make(std::int64_t raw) { return T(raw); }
  explicit constexpr Quantity(std::int64_t raw) : raw_(raw) {}
  std::int64_t raw_;

 private:
  constexpr T& self() { return static_cast<T&>(*this); }
};

}  // namespace farwheel
