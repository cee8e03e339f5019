#include "adaptive/competition.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr double kSoon = 15;
constexpr double kInterval = 8;
constexpr double kIntervalMost = 32;
constexpr double kLeastShare = 0.16;  // of the bottleneck
constexpr double kPacingGain = 1.1;
constexpr double kAlone = 0.87;      // of the bottleneck: nobody else is there
constexpr double kAloneRatio = 0.4;  // of our rate in a trial then
constexpr double kRatio = 0.6;
// Half of the link is what one other leaves to its like: there CUBIC whole, with the gentle cut
// that our trials cost; above, ever slower, from the most on backwards; below, faster. Some peers
// hardly grow after a loss (ns-3's CUBIC on a short path): room must be left for them, too.
constexpr double kShareSeconds = 2;
constexpr double kFairShare = 0.50;
constexpr double kMostShare = 0.58;
constexpr double kYield = 0.08;  // a second, while a queue stands
constexpr double kPoorShare = 0.40;
constexpr double kEagerMost = 1.6;
constexpr double kCutFair = 0.85;
constexpr double kCutMost = 0.70;
constexpr double kQuietAfterLoss = 3;
constexpr double kUsualRtt = 0.05;
constexpr double kGrowthMost = 4;
constexpr double kLeastFirstTrial = 0.08;  // of the bottleneck
constexpr double kLeastTrial = 0.105;
constexpr double kTrialLongest = 3;
constexpr double kRateAfterTrial = 0.9;
constexpr double kRateAfterEmpty = 0.95;
}  // namespace

double Competition::least_window(const Step& step) const {
  return std::max(2.0, kLeastShare * step.capacity * step.srtt / step.mss);
}

void Competition::enter(double now, double rate, const Step& step) {
  again_ = now - ended_at_ < kSoon;
  interval_ = again_ ? std::min(interval_ * 2, kIntervalMost) : kInterval;
  active_ = true;
  entered_at_ = now;
  empty_since_ = -1;
  full_since_ = -1;
  trials_ = 0;
  lost_ = false;
  in_trial_ = false;
  last_trial_ = now;
  trial_queue_ = step.queue;
  share_ = rate / step.capacity;
  last_loss_ = -1e9;
  last_step_ = now;
  cubic_.start(std::max(rate * step.srtt / step.mss, least_window(step)));
  window_ = cubic_.packets() * step.mss;
  pacing_ = kPacingGain * window_ / step.srtt;
}

Competition::Outcome Competition::leave(Outcome outcome, double now, double rate) {
  active_ = false;
  ended_at_ = now;
  rate_after_ = rate;
  return outcome;
}

void Competition::on_loss(const Step& step) {
  lost_ = true;
  last_loss_ = step.now;
  if (in_trial_) return;
  cubic_.on_loss(least_window(step), kCutMost + (kCutFair - kCutMost) * std::min(1.0, eagerness()));
}

bool Competition::wants_trial(const Step& step, double& ratio) const {
  const double since = step.now - last_trial_;
  if (full_since_ >= 0 && step.now - full_since_ >= std::max(0.4, 1.5 * step.srtt) && since >= 1) {
    ratio = kAloneRatio;
    return true;
  }
  ratio = kRatio;
  if (!again_ && trials_ == 0 && since >= 1) return true;
  if (step.queue > 1.5 * trial_queue_ + 0.020 && since >= 2) return true;
  if (!again_ && lost_ && trials_ < 2 && since >= 3) return true;
  return since >= interval_;
}

Competition::Outcome Competition::watch_trial(const Step& step) {
  const double shows_at = trial_start_ + step.rtt + trial_queue_ + 0.1;
  if (step.queue < step.empty) {
    return leave(Outcome::kWasOurs, step.now, kRateAfterTrial * trial_rate_);
  }
  const double shown = step.now - shows_at;
  const bool falls = trial_queue_ - step.queue >= 0.5 * (1 - trial_ratio_) * shown;
  if ((shown > 0.15 && !falls) || step.now - trial_start_ > kTrialLongest) {
    in_trial_ = false;
    last_trial_ = step.now;
  }
  return Outcome::kStays;
}

// 1 at a fair share, 0 from the most on.
double Competition::eagerness() const {
  if (share_ > kFairShare) {
    return std::max(0.0, (kMostShare - share_) / (kMostShare - kFairShare));
  }
  const double lacks = std::min(1.0, (kFairShare - share_) / (kFairShare - kPoorShare));
  return 1 + (kEagerMost - 1) * lacks;
}

Competition::Outcome Competition::on_step(const Step& step) {
  const double passed = std::max(0.0, step.now - last_step_);
  last_step_ = step.now;
  if (step.queue > step.empty) {
    empty_since_ = -1;
  } else if (empty_since_ < 0) {
    empty_since_ = step.now;
  } else if (step.now - empty_since_ > (again_ ? 2.5 : 1.0) &&
             step.now - last_loss_ > kQuietAfterLoss) {
    return leave(Outcome::kEmptied, step.now, kRateAfterEmpty * step.rate);
  }
  const bool full = step.rate >= kAlone * step.capacity;
  if (!full) full_since_ = -1;
  if (full && full_since_ < 0) full_since_ = step.now;

  if (in_trial_) {
    const Outcome outcome = watch_trial(step);
    if (outcome != Outcome::kStays) return outcome;
  } else {
    // Grows as a flow of a usual round trip would: CUBIC's gentle region favours the short.
    const double usual = std::min(step.rtt, kUsualRtt) + step.srtt - step.rtt;
    const double longer = step.srtt / std::max(usual, 0.001);
    const double growth = std::clamp(longer * longer, 1.0, kGrowthMost);
    share_ += (step.rate / step.capacity - share_) * std::min(1.0, passed / kShareSeconds);
    // Room that nobody takes for so long is ours.
    const bool free = empty_since_ >= 0 && step.now - empty_since_ > 1;
    const double eager = free ? std::max(1.0, eagerness()) : eagerness();
    cubic_.on_delivered({passed, step.delivered / step.mss, step.srtt, growth * eager, eager});
    if (share_ > kMostShare && empty_since_ < 0) cubic_.yield(kYield * passed);
    double ratio = 1;
    if (wants_trial(step, ratio)) {
      in_trial_ = true;
      ++trials_;
      trial_start_ = step.now;
      trial_ratio_ = ratio;
      trial_rate_ = step.rate;
      trial_pace_ = ratio * step.rate;
      // The little of a small share shows nothing.
      const double least = (trials_ > 1 ? kLeastTrial : kLeastFirstTrial) * step.capacity;
      trial_pace_ = std::max(trial_pace_, std::min(step.rate, least));
      trial_queue_ = step.queue;
    }
  }
  window_ = std::max(cubic_.packets(), least_window(step)) * step.mss;
  pacing_ = in_trial_ ? trial_pace_ : kPacingGain * window_ / step.srtt;
  return Outcome::kStays;
}

}  // namespace farwheel
