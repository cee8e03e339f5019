#include "adaptive/delay_episode.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr double kEndsAfter = 0.35;
constexpr double kShareOver = 0.7;
constexpr double kNotFalling = 0.75;  // of the last second's largest
}  // namespace

double DelayEpisode::most_queue() const {
  double most = 0;
  for (std::size_t i = 0; i < count_; ++i) most = std::max(most, second_[i].queue);
  return most;
}

double DelayEpisode::route_delay() const {
  double least = second_[0].least;
  for (std::size_t i = 0; i < count_; ++i) least = std::min(least, second_[i].least);
  return least;
}

DelayEpisode::Verdict DelayEpisode::on_step(const Step& step) {
  second_[next_] = {step.queue, step.least};
  next_ = (next_ + 1) % kSecond;
  count_ = std::min(count_ + 1, kSecond);
  const bool over = step.queue > step.threshold;
  if (!active_) {
    if (!over) return Verdict::kNone;
    active_ = true;
    since_ = step.now;
    last_over_ = step.now;
    rate_ = step.rate;
    share_ = step.share;
    given_ = 0;
    last_ = step.now;
    steps_ = 0;
    over_ = 0;
  }
  given_ += std::max(0.0, share_ - step.share) * (step.now - last_);
  last_ = step.now;
  ++steps_;
  if (over) {
    ++over_;
    last_over_ = step.now;
  } else if (step.now - last_over_ >= kEndsAfter) {
    active_ = false;
    return Verdict::kNone;
  }
  const double lasted = step.now - since_;
  if (lasted <= step.patience || lasted <= 4 * step.control_delay) return Verdict::kNone;
  if (over_ < kShareOver * steps_ || step.queue <= kNotFalling * most_queue()) {
    return Verdict::kNone;
  }
  double most = 0;
  for (std::size_t i = 0; i < count_; ++i) most = std::max(most, second_[i].least);
  const bool flat = count_ == kSecond && most - route_delay() <= step.flat_within;
  return flat && step.may_be_route ? Verdict::kRoute : Verdict::kCompetition;
}

}  // namespace farwheel
