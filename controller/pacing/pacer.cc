#include "pacing/pacer.h"

#include <algorithm>

namespace farwheel {
namespace {

// A byte in the budget's unit: 8 bits x 10^9 ns.
constexpr detail::Wide kByte = 8000000000;
// A full packet on the wire.
constexpr detail::Wide kPacket = 1246 * kByte;

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

void Pacer::on_packet(Timestamp now, DataSize size) {
  fill(now);
  budget_ -= detail::Wide{size.bytes()} * kByte;
  const detail::Wide floor = detail::Wide{rate_.bps()} * config_.max_debt.ns();
  budget_ = std::max(budget_, -std::max(floor, kPacket));
}

Timestamp Pacer::next_send_time(Timestamp now) const {
  Pacer filled = *this;
  filled.fill(now);
  if (filled.budget_ >= 0) return now;
  if (rate_ <= DataRate::zero()) return Timestamp::infinite_future();
  const detail::Wide wait = (-filled.budget_ + rate_.bps() - 1) / rate_.bps();
  return now + std::max(config_.min_wait, TimeDelta::from_nanos(detail::saturate(wait)));
}

void Pacer::reset(Timestamp now) {
  budget_ = 0;
  filled_at_ = now;
}

}  // namespace farwheel
