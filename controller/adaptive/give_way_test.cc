#include "adaptive/give_way_test.h"

#include <algorithm>
#include <cmath>

namespace farwheel {
namespace {
constexpr double kHeldBy = 0.5;     // of the target: less holds nothing back
constexpr double kHeldShare = 0.7;  // of the time
constexpr double kHeldSeconds = 2;
constexpr double kMostShare = 0.45;  // of the link: with more there is little to win
constexpr double kMostSharePrivate = 0.7;
constexpr double kLeastPackets = 1.5;  // as much as one stands now and then on any shared link
constexpr double kMostPackets = 4;     // more is no ring of an interface
constexpr double kGain = 0.5;
constexpr double kLength = 0.25;
// What the test drains by its end: so many times what stands, and more. Where many share a link
// their answers would hide it, and nothing is tested.
constexpr double kSure = 2;
constexpr double kSureMore = 0.002;
constexpr double kDrained = 0.1;  // seconds of giving way, after which a shared queue has gone
constexpr std::size_t kLeastSteps = 4;
constexpr double kLeft = 0.5;    // of what stood before
constexpr double kWeight = 0.4;  // of a test
// Two tests that show it, or more; others may idle in any one.
constexpr double kPrivate = 0.5;
constexpr double kShared = 0.2;
constexpr double kStays = 0.6;
constexpr double kRises = 0.5;
constexpr double kFalls = 0.2;
// Seconds to the next test: after one that showed it, once it is known, and after others.
constexpr double kConfirm = 2;
constexpr double kAgain = 12;
constexpr double kOftenest = 6;
constexpr double kRarest = 96;
constexpr double kHolds = 30;  // without a test, and as long to fade
}  // namespace

double GiveWayTest::floor(double now, double base) const {
  const double over = floor_ - base;
  // More: the path is another one.
  if (!private_ || over <= 0 || over > floor_most_) return 0;
  return over * std::clamp(1 - (now - learnt_at_ - kHolds) / kHolds, 0.0, 1.0);
}

void GiveWayTest::on_step(const Step& step) {
  if (active_) {
    if (step.now >= ends_at_) gain_ = 1;
    if (step.now >= began_showing_) count(step);
    if (step.now < shows_at_) return;
    active_ = false;
    conclude(step);
    return;
  }
  const double over = step.calm && step.least_over >= kHeldBy * step.target ? 1 : 0;
  held_ += (over - held_) * std::min(1.0, step.passed / kHeldSeconds);
  if (!step.calm || held_ < kHeldShare || step.now < next_at_) return;
  if (step.share > (private_ ? kMostSharePrivate : kMostShare)) return;
  if (step.least_over < kLeastPackets * step.packet_time) return;
  const double drains = (1 - kGain) * step.share * kLength;
  if (drains < kSure * step.least_over + kSureMore) return;
  active_ = true;
  gain_ = kGain;
  before_ = step.least_over;
  ends_at_ = step.now + kLength;
  shows_at_ = ends_at_ + step.rtt;
  began_showing_ = step.now + step.rtt + kDrained;
  steps_ = 0;
}

void GiveWayTest::count(const Step& step) {
  if (step.new_packets && steps_ < kMostSteps) shown_[steps_++] = step.newest_over;
}

void GiveWayTest::conclude(const Step& step) {
  if (steps_ < kLeastSteps) {
    next_at_ = step.now + kOftenest;
    return;
  }
  std::sort(shown_.begin(), shown_.begin() + static_cast<std::ptrdiff_t>(steps_));
  const double least = std::max(kLeft * before_, step.packet_time);
  std::size_t stay = 0;
  for (std::size_t i = 0; i < steps_; ++i) stay += shown_[i] >= least;
  const double part = static_cast<double>(stay) / static_cast<double>(steps_);
  stays_ += (part - stays_) * kWeight;
  private_ = stays_ > (private_ ? kShared : kPrivate);
  floor_most_ = kMostPackets * step.packet_time;
  const double left = std::min({before_, shown_[steps_ / 2], floor_most_});
  if (part >= kStays) {
    const double level = step.base + left;
    const double weight = !known_ ? 1 : level > floor_ ? kRises : kFalls;
    floor_ += (level - floor_) * weight;
    known_ = true;
    interval_ = kConfirm;
  }
  if (private_) {
    learnt_at_ = step.now;
    next_at_ = step.now + kAgain;
  } else {
    next_at_ = step.now + interval_;
    if (part < kStays) interval_ = std::clamp(2 * interval_, kOftenest, kRarest);
  }
}

}  // namespace farwheel
