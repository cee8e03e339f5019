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
constexpr double kGain = 0.25;
constexpr double kGrows = 0.3;    // seconds that a queue has to show
constexpr double kIsQueue = 0.4;  // of what a queue would grow by
constexpr double kKept = 0.9;     // of the faster rate, where it proved free
constexpr double kSlower = 0.7;
constexpr double kAgainFree = 1;
constexpr double kAgainBusy = 4;
constexpr double kAgainMost = 16;
constexpr double kHolds = 6;
constexpr double kFades = 6;
}  // namespace

double FloorProbe::floor(double now) const {
  return floor_ * std::clamp(1 - (now - learnt_at_ - kHolds) / kFades, 0.0, 1.0);
}

bool FloorProbe::on_step(const Step& step) {
  if (phase_ == Phase::kIdle) usual_ += (step.least_over - usual_) * kSmoothing;
  switch (phase_) {
    case Phase::kIdle: {
      const bool held = step.calm && step.noise >= kLeastNoise &&
                        step.queue >= kHeldBy * step.target && step.now >= next_at_;
      if (!held || step.rate < kLeastShare * step.capacity ||
          step.rate > kMostShare * step.capacity) {
        return false;
      }
      const double gain = std::min(kGain, kFillTo * step.capacity / step.rate - 1);
      phase_ = Phase::kFaster;
      gain_ = 1 + gain;
      rate_after_ = step.rate * (1 + gain * kKept);
      before_ = usual_;
      length_ = step.window + kGrows;
      expected_ = gain * step.rate / step.capacity * kGrows;
      until_ = step.now + step.rtt + length_;
      return false;
    }
    case Phase::kFaster: {
      if (step.now < until_) return false;
      gain_ = 1;
      if (step.least_over - before_ < kIsQueue * expected_) {
        phase_ = Phase::kIdle;
        floor_ = step.least_over;
        learnt_at_ = step.now;
        interval_ = kAgainBusy;
        next_at_ = step.now + kAgainFree;
        return true;
      }
      phase_ = Phase::kSlower;
      floor_ = 0;
      gain_ = kSlower;
      // What was sent too much drains, and what shows of it late.
      until_ = step.now + (step.rtt + length_) * (kGain / (1 - kSlower));
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
