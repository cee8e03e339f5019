// The law's steps: what follows from the standing queue, from losses, from an episode's verdict.
#include <algorithm>
#include <cmath>

#include "adaptive/share_law.h"

namespace farwheel {
namespace {
constexpr double kMbit = 125000;
constexpr double kLeastRate = 0.12 * kMbit;
constexpr double kEmpty = 0.25;  // of the target
constexpr int kEmptyLooks = 3;
constexpr double kFar = 0.85;  // of the highest rate: below it there is more to find
constexpr double kBoostFar = 64;
constexpr double kBoostNear = 8;
constexpr double kGrowthFar = 0.10;  // in a control delay
constexpr double kGrowthNear = 0.05;
constexpr double kGrowthFull = 0.015;  // within sight of what pairs say the link carries
constexpr double kFull = 0.93;
constexpr double kGrowthPoliced = 0.01;
constexpr double kGrowthBound = 0.004;  // where it was found
// A full buffer was found at about this rate: not again by a leap. Flows that leap lose together,
// and of these the short round trips take all.
constexpr double kFillRemembered = 10;
constexpr double kFillNear = 1.1;
constexpr double kGrowthFilled = 0.03;
// One that is full again and again for so long is filled by another, whatever our share: flows of
// ours have settled then.
constexpr double kFillsApart = 5;
constexpr double kFillsFor = 20;
constexpr double kFillsShared = 10;  // whoever fills it takes what we give
constexpr double kYoung = 1.5;
constexpr double kSettled = 15;  // until then our own start-ups fill a shallow buffer
constexpr double kArrivalFloor = 0.9;
constexpr double kEpisodeFloor = 0.35;
// Of the bottleneck: no queue asks a flow for less.
constexpr double kEpisodeShare = 0.04;
// Soon after start-up a base that falls was a queue of others that started too.
constexpr double kBaseUnsure = 4;
constexpr double kBaseCut = 0.7;
// So was one that falls after a peer has gone while we fill the link.
constexpr double kBaseUnsureAfter = 30;
constexpr double kAloneShare = 0.7;    // of the bottleneck
constexpr double kBaseCutShare = 0.1;  // of the bottleneck, kept in any case
constexpr double kGivenSpare = 0.030;
constexpr double kUntouched = 8;
constexpr double kLowSure = 0.2;  // of the windowed minima lie under a floor of noise
constexpr double kLowUnsure = 0.1;
constexpr double kEmptying = 0.3;
constexpr double kCut = 0.85;
constexpr double kMarkedMost = 0.3;
constexpr double kDrainWindow = 0.2;
constexpr double kDrainQueue = 0.030;
constexpr double kFloorNoiseSure = 0.30;
constexpr double kFloorNoise = 0.22;  // packet times: less is what a clean link's own packets make
}  // namespace

void ShareLaw::step_drain(double now) {
  const double passed = now - started_at_;
  const bool empty = point_.queue < 0.003 + point_.noise;
  // While a long queue drains, what arrives is our share of the link; start-up may have taken more.
  const double arriving = arrivals_.over(kDrainWindow);
  if (point_.queue > kDrainQueue && arriving > 0) {
    rate_ = std::max(std::min(rate_, arriving), kLeastRate);
  }
  if (passed < point_.rtt + 0.020) return;
  if (!empty && passed < 5 * smoothed_rtt_) return;
  mode_ = Mode::kRun;
  started_at_ = now;
  noise_.reset();
  base_.forget_history();
  base_.touched(now);
}

// Relative change a second while the path shows no queue, beyond what the law gives.
double ShareLaw::growth(double now, double delay) {
  const bool far = rate_ < kFar * point_.highest;
  if (point_.queue >= kEmpty * target_ || now - base_fell_at_ < delay) {
    empty_looks_ = 0;
    boost_ = 1;
  } else if (now - last_look_ >= std::max(0.1, delay)) {
    last_look_ = now;
    if (++empty_looks_ >= kEmptyLooks) {
      boost_ = std::min(2 * boost_, far ? kBoostFar : kBoostNear);
    }
  }
  if (boost_ <= 1) return 0;
  double most = far ? kGrowthFar : kGrowthNear;
  if (policer_.suspected(now)) most = policer_.near(now, rate_) ? kGrowthBound : kGrowthPoliced;
  if (point_.packet_time > kLeastPacketTime && rate_ > kFull * mss_ / point_.packet_time) {
    most = std::min(most, kGrowthFull);
  }
  // A private queue shows late that its share is full.
  if (give_way_.is_private() && rate_ > kFar * point_.highest) most = std::min(most, kGrowthFull);
  if (now - started_at_ < kSettled && now - filled_at_ < kFillRemembered &&
      rate_ < kFillNear * filled_rate_) {
    most = std::min(most, kGrowthFilled);
  }
  const double tau = std::clamp(1.6 * point_.window, 0.10, 0.15);
  return std::min(target_ * boost_ / (delay * tau), most / delay);
}

// Nothing is under way that a probe would mistake for an answer.
bool ShareLaw::is_calm(double now) const {
  return !episode_.active() && now >= rests_until_ && boost_ <= 1;
}

// True while the law has to rest for it.
bool ShareLaw::probe_floor(double now) {
  const bool calm =
      is_calm(now) && !give_way_.is_private() &&
      free_noise_ > (link_is_sure() ? kFloorNoiseSure : kFloorNoise) * point_.packet_time;
  const bool free = floor_.on_step({now, rate_, bottleneck(), point_.rtt, point_.window,
                                    std::max(0.0, least_ - base_.value()), point_.queue, target_,
                                    free_noise_, calm, link_is_sure()});
  if (free) rate_ = std::min(floor_.rate_after(), policer_.bound(now));
  return floor_.phase() != FloorProbe::Phase::kIdle;
}

// True while the law has to rest for it.
bool ShareLaw::test_by_giving_way(double now, double passed) {
  const bool calm = is_calm(now) && !noise_is_sure() && now - filled_at_ > kFillsShared &&
                    floor_.phase() == FloorProbe::Phase::kIdle &&
                    point_.packet_time > kLeastPacketTime;
  give_way_.on_step({.now = now,
                     .passed = passed,
                     .share = rate_ / bottleneck(),
                     .packet_time = point_.packet_time,
                     .rtt = point_.rtt,
                     .base = base_.value(),
                     .least_over = std::max(0.0, least_ - base_.value()),
                     .newest_over = std::max(0.0, delays_.newest_least() - base_.value()),
                     .target = target_,
                     .new_packets = new_packets_,
                     .calm = calm});
  return give_way_.active();
}

void ShareLaw::step_run(double now, double passed) {
  const double delay = point_.rtt + point_.window;
  const double grown = growth(now, delay);
  const double change = boost_ > 1 ? grown : share_change(point_, target_);
  double next = rate_ * (1 + std::max(-0.5, change * passed));
  if (next < rate_) {
    const double arriving = arrivals_.over(std::max(point_.window, 0.1));
    next = std::max(next, std::min(rate_, kArrivalFloor * arriving));
  }
  if (episode_.active()) {
    const double least = std::max(kEpisodeFloor * episode_.rate(), kEpisodeShare * bottleneck());
    next = std::max(next, std::min(rate_, least));
  }
  rate_ = std::max(std::min(next, policer_.bound(now)), kLeastRate);
}

void ShareLaw::watch_base(double now) {
  if (now - last_history_ >= 0.1) {
    last_history_ = now;
    base_.on_least(least_, noise_is_sure() ? kLowSure : kLowUnsure);
    if (!episode_.active() && boost_ <= 1 &&
        base_.creep(now, 0.0006 + 0.3 * point_.noise, 1.3 * target_ + 0.0003)) {
      finding_ = Finding::kRoute;
    }
  }
  const bool starts = now - started_at_ < kBaseUnsure;
  const bool left_alone =
      competition_.ended_for(now) < kBaseUnsureAfter && rate_ > kAloneShare * bottleneck();
  if (base_fell_at_ == now && (starts || left_alone)) {
    // It was a queue; give way until the base falls no more. At the start the rate was too high.
    if (starts && now >= empties_until_) {
      rate_ = std::max(kBaseCut * rate_, std::min(rate_, kBaseCutShare * bottleneck()));
    }
    base_.touched(now);
    empties_until_ = now + std::min(kEmptying, point_.rtt + 0.1);
    rests_until_ = empties_until_;
    return;
  }
  if (episode_.active() || now < rests_until_ || base_.untouched_for(now) < kUntouched) return;
  base_.touched(now);
  empties_until_ = now + std::min(kEmptying, point_.rtt + 0.1);
  rests_until_ = empties_until_ + point_.rtt + point_.window;
}

void ShareLaw::judge_episode(double now) {
  SharePoint fair = point_;
  fair.rate = std::max(rate_, 0.1 * bottleneck());
  const double threshold = 1.5 * share_target(fair) + 0.003 +
                           std::max(0.0, 2 * point_.packet_time - 0.004) + 2 * point_.noise;
  const double ended_for = competition_.ended_for(now);
  // While start-ups settle, patience: unless we gave up more than all that stands, and it stands.
  const bool given = episode_.given() > point_.queue + kGivenSpare;
  const double patience = now - started_at_ < 6 && !given ? 4 : ended_for < 20 ? 1 : 2;
  const DelayEpisode::Verdict verdict = episode_.on_step(
      {now, point_.queue, threshold, least_, point_.rtt + point_.window, patience,
       0.0012 + point_.noise / 2 + point_.packet_time / 4, now - last_loss_ > 2 && ended_for > 20,
       std::min(rate_, std::max(arrivals_.over(0.3), 0.3 * rate_)), rate_ / bottleneck()});
  if (competition_.active()) return;
  if (verdict == DelayEpisode::Verdict::kRoute) {
    base_.rebase(now, episode_.route_delay());
    rate_ = std::max(rate_, 0.8 * episode_.rate());
    episode_.end();
    finding_ = Finding::kRoute;
    look(now);
  } else if (verdict == DelayEpisode::Verdict::kCompetition) {
    begin_competition(now, std::max(arrivals_.over(0.3), episode_.rate() / 2));
  }
}

Competition::Step ShareLaw::competition_step(double now) const {
  return {now,
          mss_,
          smoothed_rtt_,
          point_.rtt,
          point_.queue,
          std::max(0.003, target_) + point_.noise + point_.packet_time,
          arrivals_.over(0.3),
          bottleneck(),
          delivered_};
}

void ShareLaw::begin_competition(double now, double rate) {
  competition_.enter(now, rate, competition_step(now));
  episode_.end();
  heavy_losses_ = 0;
  boost_ = 1;
  finding_ = Finding::kCompetitionBegins;
}

void ShareLaw::step_competition(double now) {
  Competition::Step step = competition_step(now);
  const Competition::Outcome outcome = competition_.on_step(step);
  if (outcome == Competition::Outcome::kStays) return;
  rate_ = std::max(competition_.rate_after(), kLeastRate);
  episode_.end();
  empty_looks_ = 0;
  base_.forget_history();
  base_.touched(now);
  // The peer's queue goes with it: none of it was usual.
  floor_.forget(now);
  give_way_.reset();
  finding_ = Finding::kCompetitionEnds;
  look(now);
}

void ShareLaw::on_marks(double cut) {
  if (mode_ != Mode::kRun || competition_.active()) return;
  rate_ = std::max(rate_ * (1 - std::clamp(cut, 0.0, kMarkedMost)), kLeastRate);
}

void ShareLaw::on_loss(double now, double lost_share) {
  last_loss_ = now;
  if (mode_ == Mode::kDrain || now - last_cut_ < smoothed_rtt_) return;
  last_cut_ = now;
  if (competition_.active()) {
    competition_.on_loss(competition_step(now));
    return;
  }
  const double delivered = arrivals_.over(0.3);
  const double queue = std::max(episode_.most_queue(), point_.queue);
  // A policer drops without a queue: neither stands one nor was there a moment's, noise aside.
  const double longest = delays_.most() - base_.value();
  if (queue < 0.005 + point_.noise + point_.packet_time &&
      longest < 0.005 + 3 * noise_.value() + point_.packet_time) {
    const PolicerWatch::Cut cut =
        policer_.on_loss({now, delivered, lost_share, smoothed_rtt_, now - started_at_ < kYoung});
    if (cut == PolicerWatch::Cut::kOnce) {
      rate_ = std::min(rate_, std::max(kCut * rate_, 0.95 * delivered));
    } else if (cut == PolicerWatch::Cut::kBound) {
      rate_ = std::min(rate_, policer_.bound(now));
      finding_ = Finding::kPolicer;
    }
    rate_ = std::max(rate_, kLeastRate);
    return;
  }
  const bool full = queue > 0.006 + point_.packet_time;
  if (full) {
    if (now - filled_at_ > kFillsApart) filling_since_ = now;
    filled_at_ = now;
    filled_rate_ = rate_;
  }
  // Who fills it while we have less than a quarter of the link, or again?
  const bool again = competition_.ended_for(now) < 15;
  const bool recurs = now - filling_since_ > kFillsFor;
  if (full && now - started_at_ > kSettled &&
      (again || recurs || delivered < 0.25 * bottleneck())) {
    if (now - first_heavy_loss_ > 20) {
      first_heavy_loss_ = now;
      heavy_losses_ = 0;
    }
    if (++heavy_losses_ >= 3 || again) {
      begin_competition(now, std::max(delivered, episode_.active() ? episode_.rate() / 2 : 0));
      if (again) competition_.on_loss(competition_step(now));
      return;
    }
  }
  rate_ = std::max(kCut * rate_, kLeastRate);
}

}  // namespace farwheel
