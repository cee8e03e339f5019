#include "adaptive/policer_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace farwheel {
namespace {
constexpr double kAgain = 15;  // seconds between two losses of one policer
constexpr double kSameRate = 0.15;
constexpr double kBound = 0.95;   // of what was delivered
constexpr double kBoundFor = 30;  // first; then longer, while it is found again
constexpr double kBoundYoung = 4;
constexpr double kNear = 1.3;  // of the bound
constexpr double kBoundMost = 60;
constexpr double kSuspectFor = 60;  // after a bound
constexpr int kUnderBound = 3;      // losses that no policer made
constexpr double kIgnoreMost = 300;
constexpr double kHeavy = 0.1;  // a second's loss that is never noise
}  // namespace

double PolicerWatch::bound(double now) const {
  return now < bound_until_ ? bound_ : std::numeric_limits<double>::infinity();
}

PolicerWatch::Cut PolicerWatch::on_loss(const Loss& loss) {
  const double now = loss.now;
  const double rate = loss.rate;
  if (now < ignores_until_ && loss.share < kHeavy) return Cut::kNone;
  if (now < bound_until_) {
    // What left before the bound was felt may still be lost to the policer.
    if (now - bound_since_ < 0.5 + 2 * loss.flight) return Cut::kNone;
    if (++under_bound_ < kUnderBound) {
      // A full bucket let through more than it fills with, and the first bound was too high.
      bound_ = std::min(bound_, kBound * rate);
      bound_since_ = now;
      return Cut::kBound;
    }
    bound_until_ = now;
    suspected_until_ = now;
    ignores_until_ = now + ignore_for_;
    ignore_for_ = std::min(2 * ignore_for_, kIgnoreMost);
    return Cut::kNone;
  }
  const bool same =
      now - last_loss_ < kAgain && std::abs(rate - last_rate_) < kSameRate * last_rate_;
  const bool found = same || suspected(now);
  last_loss_ = now;
  last_rate_ = rate;
  if (!found) return Cut::kOnce;
  bound_ = kBound * rate;
  bound_since_ = now;
  bound_for_ = loss.young       ? kBoundYoung
               : suspected(now) ? std::clamp(2 * bound_for_, kBoundFor, kBoundMost)
                                : kBoundFor;
  near_ = loss.young ? 0 : kNear * bound_;
  bound_until_ = now + bound_for_;
  suspected_until_ = bound_until_ + kSuspectFor;
  under_bound_ = 0;
  return Cut::kBound;
}

}  // namespace farwheel
