#include "fbe/fast_startup.h"

#include <algorithm>
#include <cmath>

namespace farwheel {
namespace {
// Path model's rounds: the first flight's reports are round 1, the second's round 2.
constexpr std::int64_t kFirstRound = 1;
constexpr std::int64_t kMeasuredRounds = 2;
constexpr std::int64_t kLastRound = 6;
constexpr int kLeastPackets = 6;
constexpr int kLeastWholeTrain = 4;
// Arrivals this much slower than sendings were spread by the bottleneck, not by us.
constexpr double kStretched = 0.9;
// One round alone cannot contradict itself: it counts less than two that agree.
constexpr double kOneRoundConfidence = 0.75;
constexpr double kProbingGain = 1.5;
// Nothing was spread at this rate: the next flight leaves at twice it.
constexpr double kSearchingGain = 2;
// A window's packets in so many clusters over so long were spread by the path.
constexpr int kGlimpseClusters = 3;
constexpr TimeDelta kGlimpseSpan = TimeDelta::from_micros(1200);
constexpr double kGlimpseShare = 0.85;
constexpr TimeDelta kShortestVerify = TimeDelta::from_millis(40);
constexpr TimeDelta kReceiverTick = TimeDelta::from_micros(250);
}  // namespace

void FastStartup::Pool::add(const TrainSample& sample) {
  size += sample.size;
  link_span += sample.link_span;
  arrival_span += sample.arrival_span;
  send_span += sample.send_span;
  clusters += sample.clusters;
  packets += sample.packets;
  most_clusters = std::max(most_clusters, sample.clusters);
}

DataRate FastStartup::Pool::capacity() const {
  return link_span > TimeDelta::zero() ? size / link_span : DataRate::zero();
}

void FastStartup::on_train(const TrainSample& sample, std::int64_t round) {
  if (phase_ != Phase::kMeasuring) return;
  if (sample.packets >= kLeastWholeTrain) {
    whole_train_ = std::max(whole_train_, sample.whole_size / (sample.whole_span + kReceiverTick));
  }
  (round <= kFirstRound ? first_ : later_).add(sample);
}

void FastStartup::evaluate(const Settings& settings) {
  Pool both = first_;
  both.size += later_.size;
  both.link_span += later_.link_span;
  both.arrival_span += later_.arrival_span;
  both.send_span += later_.send_span;
  both.clusters += later_.clusters;
  both.packets += later_.packets;
  const bool enough = both.clusters >= settings.min_clusters && both.packets >= kLeastPackets &&
                      both.link_span >= settings.min_span;
  const bool stretched = both.send_span < both.arrival_span * kStretched;
  measured_spread_ =
      stretched && both.clusters >= settings.min_clusters && both.packets >= kLeastPackets;
  if (!enough || !stretched) {
    // Whole-train dispersion: where single intervals fall under the clock, or we sent too slowly.
    estimate_.rate = std::max(whole_train_, enough ? both.capacity() : DataRate::zero());
    estimate_.lower_bound = true;
    estimate_.confidence = 0;
    if (!enough && both.clusters >= settings.min_clusters && stretched) {
      // Spread by the bottleneck, but over too short a time to be sure.
      estimate_.rate = both.capacity();
    }
    return;
  }
  estimate_.lower_bound = false;
  const TimeDelta half = settings.min_span / 2.0;
  if (first_.link_span >= half && later_.link_span >= half) {
    const DataRate one = first_.capacity();
    const DataRate two = later_.capacity();
    estimate_.rate = std::min(one, two);
    const double apart = std::abs(one.mbps() - two.mbps()) / std::max(1e-6, estimate_.rate.mbps());
    estimate_.confidence = std::clamp(1 - apart, 0.0, 1.0);
  } else {
    estimate_.rate = both.capacity();
    estimate_.confidence = kOneRoundConfidence;
  }
}

bool FastStartup::on_report(const Settings& settings, const Situation& now) {
  if (done()) return false;
  if (!first_report_.is_finite()) first_report_ = now.now;
  loss_seen_ = loss_seen_ || now.loss;
  const TimeDelta queue_limit = std::max(settings.queue_limit, now.min_rtt * 0.25);

  if (phase_ == Phase::kVerifying) {
    if (now.loss) {
      phase_ = Phase::kAborted;
      return true;
    }
    const bool over = (now.round > verify_until_round_ && now.now >= verify_until_) ||
                      now.now > first_report_ + settings.give_up * 2.0;
    if (!over) return false;
    // What the first flights queued has had a round to drain; what stands now is our rate's.
    phase_ = now.queue > queue_limit ? Phase::kAborted : Phase::kAccepted;
    return true;
  }

  evaluate(settings);
  const bool give_up = now.round > kLastRound || now.now - first_report_ > settings.give_up;
  if (loss_seen_ && !estimate_.lower_bound) {
    // The flights overran the buffer; the rate of what arrived is still the bottleneck's.
    estimate_.confidence *= 0.5;
  }
  const bool measured = now.round > kMeasuredRounds;
  if (!measured && !give_up) return false;
  return conclude(settings, now, give_up);
}

bool FastStartup::conclude(const Settings& settings, const Situation& now, bool last_chance) {
  if (!estimate_.lower_bound && estimate_.confidence >= settings.min_confidence) {
    phase_ = Phase::kVerifying;
    verify_until_round_ = now.round + 1;
    verify_until_ = now.now + std::max(kShortestVerify, now.min_rtt);
    return true;
  }
  if (!last_chance && !(estimate_.lower_bound && glimpse())) return false;
  phase_ = estimate_.lower_bound && !loss_seen_ ? Phase::kLowerBound : Phase::kAborted;
  return true;
}

std::optional<DataRate> FastStartup::glimpse() const {
  if (loss_seen_ || first_.most_clusters < kGlimpseClusters || first_.packets < kLeastPackets ||
      first_.arrival_span < kGlimpseSpan) {
    return std::nullopt;
  }
  return first_.size / first_.arrival_span * kGlimpseShare;
}

std::optional<DataRate> FastStartup::probing_rate() const {
  if (phase_ != Phase::kMeasuring || estimate_.rate.is_zero()) return std::nullopt;
  return estimate_.rate * (measured_spread_ ? kProbingGain : kSearchingGain);
}

std::optional<DataRate> FastStartup::rate(const Settings& settings) const {
  if (phase_ == Phase::kVerifying || phase_ == Phase::kAccepted) {
    return estimate_.rate * settings.share;
  }
  if (phase_ == Phase::kLowerBound && !estimate_.rate.is_zero()) return estimate_.rate;
  return std::nullopt;
}

}  // namespace farwheel
