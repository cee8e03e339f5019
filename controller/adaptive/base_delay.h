// The path's own one-way delay: the least of the last twenty seconds, not aged while a queue that
// may not be ours stands; the floor that jitter keeps a windowed minimum from; and the rules by
// which a longer delay becomes the base. Seconds, clock offset included. Not thread-safe.
//
// Source: shared notes on the default law, sections 1.1 to 1.3 (bias, drain, creep).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>

#include "path/bucketed_extremum.h"

namespace farwheel {

// The least value of the last twenty seconds that count for ageing.
class AgedMinimum {
 public:
  AgedMinimum() : least_(TimeDelta::from_seconds(kWindow)) {}
  // `frozen`: a queue stands that may be another's; nothing is forgotten meanwhile.
  void update(double now, double value, bool frozen) {
    if (!least_.value()) last_ = now;
    if (!frozen) active_ += std::max(0.0, now - last_);
    last_ = std::max(last_, now);
    if (frozen && least_.value() && value >= *least_.value()) return;
    least_.update(Timestamp::from_seconds(active_), value);
  }
  void replace(double value) {
    least_.clear();
    least_.update(Timestamp::from_seconds(active_), value);
  }
  bool known() const { return least_.value().has_value(); }
  double value() const { return least_.value().value_or(0); }

 private:
  static constexpr double kWindow = 20;
  double last_ = 0;
  double active_ = 0;
  BucketedExtremum<double, std::less<>, 21> least_;
};

class BaseDelay {
 public:
  void on_packet(double now, double delay, bool frozen) { least_.update(now, delay, frozen); }
  bool known() const { return least_.known(); }
  double value() const { return least_.value(); }
  // What a windowed minimum `least` stays above the base by for noise alone, from the low values
  // of twenty seconds; at most `most`.
  double bias(double most) const;
  // Once a tenth of a second: the windowed minimum, for bias() and creep. `low_share` of the values
  // lie below what bias() takes.
  void on_least(double least, double low_share);
  // The minimum stood within `band` for three seconds and over the base by more than `over`: a
  // slower serialisation or rest of drift. The base follows; true if it did.
  bool creep(double now, double band, double over);
  // What stands now is the path's (a longer route).
  void rebase(double now, double delay);
  void forget_history() { count_ = 0; }
  // Newest packet that came within `margin` of the base.
  void touch(double now, double delay, double margin) {
    if (!touched_at_ || delay <= value() + margin) touched_at_ = now;
  }
  double untouched_for(double now) const { return touched_at_ ? now - *touched_at_ : 0; }
  void touched(double now) { touched_at_ = now; }
  void reset() { *this = BaseDelay(); }

 private:
  static constexpr std::size_t kHistory = 200;
  static constexpr std::size_t kCreep = 30;

  AgedMinimum least_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  double low_ = 0;
  std::optional<double> touched_at_;
  std::array<double, kHistory> history_{};
};

}  // namespace farwheel
