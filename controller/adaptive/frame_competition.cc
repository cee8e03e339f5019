#include "adaptive/frame_competition.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr TimeDelta kStands = TimeDelta::from_millis(30);
constexpr TimeDelta kPatience = TimeDelta::from_millis(2000);
// Longer is a path that stopped serving, not a peer.
constexpr TimeDelta kQueueMost = TimeDelta::from_millis(600);
constexpr double kGivenWay = 0.7;     // of the rate before
constexpr double kStillStands = 0.5;  // of the longest queue meanwhile
constexpr double kFirstShare = 0.5;   // of the rate before
constexpr DataRate kLeastRate = DataRate::from_kbps(400);
// Growth of two packets a round trip, as a loss-based flow with our gentle cut needs.
constexpr double kPacketsEachRound = 2;
constexpr double kCut = 0.85;
constexpr TimeDelta kEmpty = TimeDelta::from_millis(15);
constexpr TimeDelta kEmptyFor = TimeDelta::from_millis(150);
// The queue is ours: it grew since we stopped giving way.
constexpr TimeDelta kGrew = TimeDelta::from_millis(250);
constexpr double kAfterMistake = 0.5;
constexpr TimeDelta kNotAgainFor = TimeDelta::from_millis(10000);
}  // namespace

bool FrameCompetition::begins(const Report& r) {
  if (r.queue <= kStands || !r.may_begin) {
    queued_since_ = Timestamp::infinite_future();
    return false;
  }
  if (!queued_since_.is_finite()) {
    queued_since_ = r.now;
    rate_before_ = r.rate;
    most_queue_ = r.queue;
  }
  most_queue_ = std::max(most_queue_, r.queue);
  return r.now - queued_since_ >= kPatience && r.now >= not_before_ &&
         r.rate < rate_before_ * kGivenWay && r.queue > most_queue_ * kStillStands &&
         r.queue < kQueueMost && rate_before_ > kLeastRate;
}

bool FrameCompetition::ends(const Report& r) {
  if (r.queue >= kEmpty) {
    empty_since_ = Timestamp::infinite_future();
  } else if (!empty_since_.is_finite()) {
    empty_since_ = r.now;
  }
  if (empty_since_.is_finite() && r.now - empty_since_ >= kEmptyFor) return true;
  if (r.queue <= std::max(entry_queue_ * 2.0, entry_queue_ + kGrew)) return false;
  rate_ = rate_ * kAfterMistake;
  not_before_ = r.now + kNotAgainFor;
  return true;
}

FrameCompetition::Change FrameCompetition::on_report(const Report& r) {
  if (!active_) {
    if (!begins(r)) return Change::kNone;
    active_ = true;
    rate_ = std::max(r.rate, rate_before_ * kFirstShare);
    entry_queue_ = r.queue;
    empty_since_ = Timestamp::infinite_future();
    last_growth_ = r.now;
    last_cut_ = r.now;
    return Change::kBegins;
  }
  if (ends(r)) {
    active_ = false;
    queued_since_ = Timestamp::infinite_future();
    return Change::kEnds;
  }
  const TimeDelta round = std::max(r.round_trip, TimeDelta::from_millis(10));
  const double rounds = std::min(1.0, (r.now - last_growth_) / round);
  rate_ += (r.packet / round) * (kPacketsEachRound * rounds);
  last_growth_ = r.now;
  if (r.lost && r.now - last_cut_ >= round) {
    rate_ = rate_ * kCut;
    last_cut_ = r.now;
  }
  return Change::kNone;
}

}  // namespace farwheel
