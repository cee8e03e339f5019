#include "adaptive/adaptive_rate.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr TimeDelta kDriftStep = TimeDelta::from_millis(100);
constexpr TimeDelta kFrameWindow = TimeDelta::from_millis(100);
constexpr TimeDelta kFrameWindowMost = TimeDelta::from_millis(400);
constexpr TimeDelta kDeliveredWindow = TimeDelta::from_millis(200);
constexpr TimeDelta kShownFor = TimeDelta::from_millis(500);
constexpr int kFreeMeasurements = 2;
constexpr TimeDelta kStretchedFor = TimeDelta::from_millis(500);
// Never under this share of what arrives: an error of the queue's estimate must not starve.
constexpr double kArrivalFloor = 0.9;
// No sign of a bottleneck for so long: nobody needs room.
constexpr TimeDelta kFreeFor = TimeDelta::from_millis(1000);
constexpr double kMostSameForAll = 0.4;  // of the rate
constexpr double kUsed = 0.85;           // of the rate: less says nothing about more
constexpr DataRate kLeastRate = DataRate::from_bps(30000);
constexpr DataRate kLeastShare = DataRate::from_kbps(100);
// A step down is taken at once from a short window of arrivals this late.
constexpr TimeDelta kFastWindow = TimeDelta::from_millis(25);
constexpr TimeDelta kFastQueue = TimeDelta::from_millis(25);
constexpr TimeDelta kFastMargin = TimeDelta::from_millis(15);
constexpr TimeDelta kFastSpan = TimeDelta::from_millis(15);
constexpr TimeDelta kNotDraining = TimeDelta::from_millis(2);
constexpr TimeDelta kSlowSpan = TimeDelta::from_millis(60);
constexpr TimeDelta kPacketTimeMost = TimeDelta::from_millis(40);
// A delay that stays this flat for so long although we gave way is the route's.
constexpr TimeDelta kRouteTime = TimeDelta::from_millis(1000);
constexpr TimeDelta kRouteFlat = TimeDelta::from_millis(4);
constexpr double kRouteGivenWay = 0.7;
constexpr double kRouteShare = 0.8;  // of the rate before
constexpr double kEpisodeEnd = 0.7;  // of the threshold
}  // namespace

// So many packets that a slow flow's least delay is no worse a sample than a fast one's.
TimeDelta AdaptiveRate::standing_window(const BbrModel& model) const {
  return std::clamp(model.mss * model.params.media_window_packets / rate_, kFrameWindow,
                    kFrameWindowMost);
}

void AdaptiveRate::start(Timestamp now, DataRate rate) {
  started_ = true;
  rate_ = std::max(rate, kLeastShare);
  last_drift_ = now;
  growth_start_ = now;
  growth_base_ = rate_;
  episode_.reset();
}

void AdaptiveRate::grow_to(const BbrModel& model, Timestamp now, DataRate wanted) {
  if (now - growth_start_ > ms(model.params.media_growth_ms)) {
    growth_start_ = now;
    growth_base_ = rate_;
  }
  wanted = std::min({wanted, growth_base_ * model.params.media_growth_max, most_});
  if (shown_) wanted = std::min(wanted, *shown_);
  rate_ = std::max(rate_, wanted);
}

void AdaptiveRate::on_train(const BbrModel& model, Timestamp now, const TrainSample& sample) {
  if (competition_.active()) return;
  trains_.on_train(now, sample);
  if (!started_) return;
  const std::optional<TrainCapacity::Measured> measured =
      trains_.measure(now, noise_.value(), model.params.train_stretched);
  if (!measured) return;
  stretched_ = measured->stretched;
  if (stretched_) stretched_at_ = now;
  watch_shown(model, now);
  if (measured->rate > rate_) {
    grow_to(model, now, stretched_ ? rate_ + (measured->rate - rate_) * 0.5 : measured->rate);
  } else if (stretched_ && (noise_.value() < TimeDelta::from_millis(3) ||
                            standing_ > (ms(model.params.media_queue_ms) + noise_.value()) / 2.0)) {
    rate_ = std::max(rate_ + (measured->rate - rate_) * 0.5, kLeastRate);
  }
}

// One measurement that looks free of the bottleneck may be a receiver's stamps; a wider link shows
// in each.
void AdaptiveRate::watch_shown(const BbrModel& model, Timestamp now) {
  unstretched_ = stretched_ ? 0 : unstretched_ + 1;
  if (stretched_) {
    if (const auto shown = trains_.shown(now, model.params.train_stretched)) {
      shown_ = shown;
      shown_at_ = now;
    }
  }
  if (unstretched_ >= kFreeMeasurements || now - shown_at_ > kShownFor) shown_.reset();
  if (shown_) rate_ = std::min(rate_, *shown_);
}

void AdaptiveRate::follow(Timestamp now, DataRate rate) {
  rate_ = rate;
  last_drift_ = now;
  growth_start_ = now;
  growth_base_ = rate;
  limited_by_queue_ = false;
  stretched_ = false;
  shown_.reset();
  episode_.reset();
}

FrameCompetition::Change AdaptiveRate::on_report(const BbrModel& model, StandingQueue& queue,
                                                 const Report& report) {
  most_ = report.most;
  if (!started_ || !queue.measured()) return FrameCompetition::Change::kNone;
  const FrameCompetition::Change change =
      competition_.on_report({report.now, queue.over(kFrameWindow).queue, rate_, report.round_trip,
                              model.mss, report.lost, report.may_compete});
  queue.hold_base(competition_.active());
  if (change != FrameCompetition::Change::kNone || competition_.active()) {
    // Where it ends, what was measured before says nothing of a path alone.
    follow(report.now, std::clamp(competition_.rate(), kLeastRate, most_));
    standing_ = queue.over(kFrameWindow).queue;
    trains_.reset();
    return change;
  }
  step(model, queue, report.now);
  return change;
}

void AdaptiveRate::step(const BbrModel& model, StandingQueue& queue, Timestamp now) {
  const TimeDelta packet_time = std::min(model.mss / rate_, kPacketTimeMost);
  const TimeDelta threshold = ms(model.params.media_queue_ms) + packet_time;
  standing_ = queue.over(standing_window(model)).queue;
  limited_by_queue_ = standing_ > threshold;
  if (stretched_ && now - stretched_at_ > kStretchedFor) {
    stretched_ = false;
    shown_.reset();
  }

  fall_to_arrivals(model, queue, now);
  watch_route(queue, now, threshold);

  if (now - last_drift_ < kDriftStep) return;
  last_drift_ = now;
  noise_.update(packet_time);
  if (limited_by_queue_ || stretched_) bottleneck_seen_at_ = now;
  const bool is_free = now - bottleneck_seen_at_ > kFreeFor;
  const DataRate delivered = queue.over(kDeliveredWindow).rate;
  if (standing_ < threshold / 2.0 && delivered > rate_ * kUsed) {
    const double drift = is_free ? model.params.media_free_drift : model.params.media_drift;
    const DataRate same_for_all =
        std::min(DataRate::from_mbps(model.params.media_drift_kbps / 1e3), rate_ * kMostSameForAll);
    grow_to(model, now, rate_ * (1 + drift) + same_for_all);
  }
}

void AdaptiveRate::fall_to_arrivals(const BbrModel& model, const StandingQueue& queue,
                                    Timestamp now) {
  const TimeDelta packet_time = std::min(model.mss / rate_, kPacketTimeMost);
  const StandingQueue::Window fast = queue.over(std::max(kFastWindow, packet_time * 2.2));
  const TimeDelta fast_queue =
      std::max(kFastQueue + packet_time, noise_.value() * 1.5 + kFastMargin + packet_time);
  if (fast.packets >= 3 && fast.span > kFastSpan && fast.queue > fast_queue &&
      fast.last_queue >= fast.first_queue - kNotDraining) {
    if (fast.rate < rate_ * kArrivalFloor) {
      rate_ = std::max(fast.rate, kLeastRate);
      trains_.reset();
      shown_.reset();
      growth_start_ = now;
      growth_base_ = rate_;
    }
    return;
  }
  // The whole window's packets were late, so the link was busy all along: this is its rate. A slow
  // flow's few packets may all have met others' bursts: the short window asks for more.
  StandingQueue::Window slow = queue.over(kFrameWindow);
  if (slow.queue <=
      ms(model.params.media_queue_ms) + packet_time * model.params.media_queue_packets) {
    if (!limited_by_queue_) return;
    slow = queue.over(standing_window(model));
  }
  if (slow.span > kSlowSpan && slow.rate < rate_) {
    rate_ = std::max(rate_ + (slow.rate - rate_) * 0.5, kLeastRate);
  }
}

void AdaptiveRate::watch_route(StandingQueue& queue, Timestamp now, TimeDelta threshold) {
  if (!episode_) {
    if (standing_ <= threshold) return;
    episode_ = Episode{now, rate_, threshold, standing_, standing_};
    return;
  }
  // The threshold of the beginning: a lower rate's longer packets must not hide the delay.
  if (standing_ < episode_->threshold * kEpisodeEnd) {
    episode_.reset();
    return;
  }
  episode_->least = std::min(episode_->least, standing_);
  episode_->most = std::max(episode_->most, standing_);
  if (episode_->most - episode_->least > kRouteFlat) {
    // Still moving: a queue, ours or another's.
    episode_->flat_since = now;
    episode_->least = standing_;
    episode_->most = standing_;
    return;
  }
  if (now - episode_->flat_since < kRouteTime || rate_ > episode_->rate * kRouteGivenWay) return;
  queue.rebase();
  rate_ = std::max(rate_, episode_->rate * kRouteShare);
  growth_start_ = now;
  growth_base_ = rate_;
  episode_.reset();
  limited_by_queue_ = false;
}

void AdaptiveRate::on_silence_end(Timestamp now) {
  trains_.reset();
  stretched_ = false;
  shown_.reset();
  episode_.reset();
  growth_start_ = now;
  growth_base_ = rate_;
}

}  // namespace farwheel
