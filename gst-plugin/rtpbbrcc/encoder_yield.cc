#include "rtpbbrcc/encoder_yield.h"

#include <algorithm>
#include <cmath>

namespace farwheel {
namespace {

constexpr TimeDelta kLeastStep = TimeDelta::from_millis(10);
// Over a longer one nothing ran.
constexpr TimeDelta kMostStep = TimeDelta::from_millis(500);
constexpr TimeDelta kJudgeEvery = TimeDelta::from_millis(200);
// The windows are of a second, and the first frames are no steady picture.
constexpr TimeDelta kFirstJudged = TimeDelta::from_millis(2000);
// Of the target: what a scene adds at once costs no delay then.
constexpr double kAim = 0.97;
constexpr double kGoodEnough = 0.01;
// Below it the scene has nothing more to show: no bitrate changes that.
constexpr double kNothingToShow = 0.6;
// Of what is amiss, in each step; the windows answer a second later.
constexpr double kRaise = 0.15;
constexpr double kLower = 0.2;

}  // namespace

void EncoderYield::on_tick(Timestamp now, DataRate target, DataRate produced) {
  if (!ticked_at_.is_finite()) {
    first_at_ = ticked_at_ = judged_at_ = now;
    return;
  }
  const TimeDelta passed = now - ticked_at_;
  if (passed < kLeastStep) return;
  ticked_at_ = now;
  if (passed > kMostStep) {
    first_at_ = now;
    return;
  }
  asked_.add(now, (target * passed).bytes());
  if (now - judged_at_ < kJudgeEvery || now - first_at_ < kFirstJudged) return;
  judged_at_ = now;
  const DataRate asked = asked_.rate(now);
  if (!asked.is_zero() && !produced.is_zero()) judge(produced / asked);
}

void EncoderYield::judge(double made) {
  if (std::abs(made - kAim) < kGoodEnough) return;
  double off = kAim / made;
  if (made < kNothingToShow) off = std::min(1.0, 1 / gain_);
  gain_ = std::clamp(gain_ * std::pow(off, off < 1 ? kLower : kRaise), kLeastGain, kMostGain);
}

}  // namespace farwheel
