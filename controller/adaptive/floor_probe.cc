#include "adaptive/floor_probe.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr double kLeastNoise = 0.0004;
constexpr double kSmoothing = 0.06;  // a step

constexpr double kHeldBy = 0.5;      // of the target: less holds nothing back
constexpr double kLeastShare = 0.5;  // of the link: a smaller share has neighbours
constexpr double kMostShare = 0.92;  // above, there is nothing left to tell apart
constexpr double kFillTo = 0.97;
constexpr double kSeen = 0.003;  // seconds that a queue must have grown by to be told early
constexpr double kSeenNoise = 5;
constexpr double kGrowsLike = 0.7;
constexpr double kKept = 0.9;  // of the faster rate, where it proved free
constexpr double kSlower = 0.7;
constexpr double kAgainFree = 1;
constexpr double kAgainBusy = 4;
constexpr double kAgainMost = 16;
constexpr double kAlone = 20;
constexpr double kAloneFull = 4;

// How to try: where pairs show the link's own packet time, gently, longer, and ended as soon as a
// queue shows. Grants lift the least delay by steps that look like one.
struct Trial {
  double gain;
  double grows;     // seconds that a queue has to show
  double is_queue;  // of what a queue would grow by
  double holds;     // seconds, and as many to fade
  bool ends_early;
};
constexpr Trial kSure{0.12, 0.5, 0.5, 10, true};
constexpr Trial kUnsure{0.25, 0.3, 0.4, 6, false};
const Trial& trial_of(bool sure) {
  return sure ? kSure : kUnsure;
}
}  // namespace

double FloorProbe::floor(double now) const {
  return floor_ * std::clamp(1 - (now - learnt_at_ - holds_) / std::max(holds_, 1.0), 0.0, 1.0);
}

void FloorProbe::forget(double now) {
  reset();
  next_at_ = now + kAgainBusy;
}

bool FloorProbe::on_step(const Step& step) {
  // Nobody can have much of a link that we fill; below, what was found is forgotten.
  if (alone(step.now) && step.rate > kMostShare * step.capacity) {
    alone_until_ = std::max(alone_until_, step.now + kAloneFull);
  }
  if (phase_ == Phase::kIdle) usual_ += (step.least_over - usual_) * kSmoothing;
  switch (phase_) {
    case Phase::kIdle: {
      const bool held = step.calm && step.noise >= kLeastNoise &&
                        step.queue >= kHeldBy * step.target && step.now >= next_at_;
      if (!held || step.rate < kLeastShare * step.capacity ||
          step.rate > kMostShare * step.capacity) {
        return false;
      }
      sure_ = step.sure;
      const Trial& trial = trial_of(sure_);
      const double gain = std::min(trial.gain, kFillTo * step.capacity / step.rate - 1);
      phase_ = Phase::kFaster;
      gain_ = 1 + gain;
      rate_after_ = step.rate * (1 + gain * kKept);
      shows_at_ = step.now + step.rtt + step.window;
      began_ = step.now;
      slope_ = gain * step.rate / step.capacity;
      before_ = usual_;
      length_ = step.window + trial.grows;
      expected_ = gain * step.rate / step.capacity * trial.grows;
      until_ = step.now + step.rtt + length_;
      return false;
    }
    case Phase::kFaster: {
      const double shown = slope_ * std::max(0.0, step.now - shows_at_);
      const Trial& trial = trial_of(sure_);
      const bool grows = trial.ends_early && shown > kSeen + kSeenNoise * step.noise &&
                         step.least_over - before_ > kGrowsLike * shown;
      if (step.now < until_ && !grows) return false;
      gain_ = 1;
      if (!grows && step.least_over - before_ < trial.is_queue * expected_) {
        phase_ = Phase::kIdle;
        floor_ = step.least_over;
        learnt_at_ = step.now;
        if (sure_) alone_until_ = step.now + kAlone;
        holds_ = trial.holds;
        interval_ = kAgainBusy;
        next_at_ = step.now + kAgainFree;
        return true;
      }
      phase_ = Phase::kSlower;
      floor_ = 0;
      alone_until_ = step.now;
      gain_ = kSlower;
      // What was sent too much drains, and what shows of it late.
      until_ = step.now + (step.now - began_) * (trial.gain / (1 - kSlower));
      next_at_ = until_ + interval_;
      interval_ = std::min(2 * interval_, kAgainMost);
      return false;
    }
    case Phase::kSlower:
      if (step.now >= until_) {
        phase_ = Phase::kIdle;
        gain_ = 1;
      }
      return false;
  }
  return false;
}

}  // namespace farwheel
