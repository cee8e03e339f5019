// The best value (smallest or largest) of a sliding window of time, kept in a fixed ring of
// buckets: no allocation, constant work, exact to one bucket's width. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "units/time.h"

namespace farwheel {

// Better(a, b) is true when `a` displaces `b`: std::less for a minimum, std::greater for a maximum.
template <typename Value, typename Better, std::size_t kBuckets = 10>
class BucketedExtremum {
 public:
  explicit BucketedExtremum(TimeDelta window)
      : width_(TimeDelta::from_nanos(window.ns() / static_cast<std::int64_t>(kBuckets - 1))) {}

  // Time that runs backwards counts as the latest time seen.
  void update(Timestamp now, Value value) {
    advance(now);
    std::optional<Value>& bucket = buckets_[head_];
    if (!bucket || Better{}(value, *bucket)) bucket = value;
    if (!best_ || Better{}(value, *best_)) best_ = value;
  }

  // Lets what is older than the window go.
  void advance(Timestamp now) {
    if (now < bucket_end_) return;
    move_on(now);
  }

  // Empty when nothing was seen inside the window.
  std::optional<Value> value() const { return best_; }

  void clear() {
    for (std::optional<Value>& bucket : buckets_) bucket.reset();
    best_.reset();
    bucket_start_ = Timestamp::infinite_past();
    bucket_end_ = Timestamp::infinite_past();
  }

 private:
  void begin_bucket(Timestamp start) {
    bucket_start_ = start;
    bucket_end_ = start + width_;
  }
  void move_on(Timestamp now) {
    if (!bucket_start_.is_finite()) begin_bucket(now);
    if (now < bucket_end_) return;
    const TimeDelta passed = now - bucket_start_;
    const std::int64_t steps = passed.ns() / width_.ns();
    if (steps >= static_cast<std::int64_t>(kBuckets)) {
      clear();
      begin_bucket(now);
      return;
    }
    for (std::int64_t i = 0; i < steps; ++i) {
      head_ = (head_ + 1) % kBuckets;
      buckets_[head_].reset();
    }
    begin_bucket(bucket_start_ + TimeDelta::from_nanos(steps * width_.ns()));
    best_.reset();
    for (const std::optional<Value>& bucket : buckets_) {
      if (bucket && (!best_ || Better{}(*bucket, *best_))) best_ = bucket;
    }
  }

  TimeDelta width_;
  Timestamp bucket_start_ = Timestamp::infinite_past();
  Timestamp bucket_end_ = Timestamp::infinite_past();
  std::size_t head_ = 0;
  std::optional<Value> best_;
  std::array<std::optional<Value>, kBuckets> buckets_{};
};

}  // namespace farwheel
