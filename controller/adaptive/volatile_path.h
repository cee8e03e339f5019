// A path that lately broke off or made frames too late keeps more in hand: encoders get what it
// carried in its worse moments, not what it carries now. Not thread-safe.
//
// Source: shared notes on media, section 1 ("Encoder target").
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "units/data.h"

namespace farwheel {

class VolatilePath {
 public:
  // Frames were given up, or reports came back after a silence.
  void on_event(Timestamp now) {
    if (now - events_[newest_] < kApart) return;
    newest_ = 1 - newest_;
    events_[newest_] = now;
  }
  // Of each report: what the path is taken to carry.
  void on_rate(Timestamp now, DataRate rate) {
    if (now - sampled_at_ < kStep) return;
    sampled_at_ = now;
    samples_[next_] = rate.bps();
    next_ = (next_ + 1) % kSamples;
    count_ = std::min(count_ + 1, kSamples);
  }
  // What the encoders may reckon with of `rate`.
  DataRate bounded(Timestamp now, DataRate rate) const {
    if (!volatile_at(now) || count_ == 0) return rate;
    std::array<std::int64_t, kSamples> sorted = samples_;
    const auto low = sorted.begin() + static_cast<std::ptrdiff_t>(count_ / 10);
    std::nth_element(sorted.begin(), low, sorted.begin() + static_cast<std::ptrdiff_t>(count_));
    return std::min(rate, DataRate::from_bps(*low));
  }
  bool volatile_at(Timestamp now) const {
    return now - events_[0] < kRemembered && now - events_[1] < kRemembered;
  }

 private:
  static constexpr TimeDelta kApart = TimeDelta::from_millis(1000);
  static constexpr TimeDelta kRemembered = TimeDelta::from_millis(10000);
  static constexpr TimeDelta kStep = TimeDelta::from_millis(50);
  static constexpr std::size_t kSamples = 50;  // 2.5 s

  std::array<Timestamp, 2> events_{Timestamp::infinite_past(), Timestamp::infinite_past()};
  std::size_t newest_ = 0;
  std::array<std::int64_t, kSamples> samples_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  Timestamp sampled_at_ = Timestamp::infinite_past();
};

}  // namespace farwheel
