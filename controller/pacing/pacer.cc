#include "pacing/pacer.h"

#include <algorithm>

namespace farwheel {
namespace {

// A byte in the budget's unit: 8 bits x 10^9 ns.
constexpr detail::Wide kByte = 8000000000;
// A full packet on the wire.
constexpr detail::Wide kPacket = 1246 * kByte;
// Latest a packet may leave, in periods. About the grid: added up it would be a random walk.
constexpr double kSpread = 0.25;
constexpr TimeDelta kPairEvery = TimeDelta::from_millis(500);

}  // namespace

// Two packets, or what a late timer may owe; on a slow link, no more than max_burst.
detail::Wide Pacer::max_budget() const {
  const detail::Wide rate = rate_.bps();
  const detail::Wide timer = rate * config_.min_wait.ns() * 2;
  return std::min(rate * config_.max_burst.ns(), std::max(2 * kPacket, timer));
}

void Pacer::fill(Timestamp now) {
  if (now <= filled_at_) return;
  const TimeDelta span = filled_at_.is_finite() ? now - filled_at_ : config_.max_burst;
  budget_ = std::min(max_budget(), budget_ + detail::Wide{rate_.bps()} * span.ns());
  filled_at_ = now;
}

void Pacer::set_rate(Timestamp now, DataRate rate) {
  if (rate_ == rate) return;
  fill(now);
  rate_ = rate;
}

void Pacer::forgo_excess() {
  budget_ = std::min(budget_, max_budget());
}

void Pacer::on_packet(Timestamp now, DataSize size) {
  fill(now);
  budget_ -= detail::Wide{size.bytes()} * kByte;
  const detail::Wide floor = detail::Wide{rate_.bps()} * config_.max_debt.ns();
  budget_ = std::max(budget_, -std::max(floor, kPacket));
  plan_next(now, size);
}

void Pacer::plan_next(Timestamp now, DataSize size) {
  due_ = 0;
  if (!measuring_) {
    pair_ = false;
    return;
  }
  const double period = static_cast<double>(size.bytes()) * static_cast<double>(kByte);
  due_ = static_cast<detail::Wide>(random_.uniform() * kSpread * period);
  pair_ = !pair_ && now - last_pair_ >= kPairEvery;
  if (pair_) last_pair_ = now;
}

Timestamp Pacer::next_send_time(Timestamp now) const {
  Pacer filled = *this;
  filled.fill(now);
  // The rate may have fallen since: the budget must be able to reach what is asked for.
  const detail::Wide due = std::min(due_, max_budget() / 2);
  if (pair_ || filled.budget_ >= due) return now;
  if (rate_ <= DataRate::zero()) return Timestamp::infinite_future();
  const detail::Wide wait = (due - filled.budget_ + rate_.bps() - 1) / rate_.bps();
  return now + std::max(config_.min_wait, TimeDelta::from_nanos(detail::saturate(wait)));
}

void Pacer::reset(Timestamp now) {
  budget_ = 0;
  due_ = 0;
  pair_ = false;
  filled_at_ = now;
}

}  // namespace farwheel
