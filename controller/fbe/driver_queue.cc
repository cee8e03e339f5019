#include "fbe/driver_queue.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr TimeDelta kFreshness = TimeDelta::from_millis(500);
constexpr int kHighSamples = 2;
constexpr double kLeastScale = 0.2;
constexpr double kMostScale = 1.25;
constexpr double kRecovery = 1.05;
constexpr double kLeastEncoderShare = 0.2;
// Over less time one packet more or less is too much of the rate.
constexpr TimeDelta kDrainTime = TimeDelta::from_millis(4);
// A shorter backlog is a packet on its way out, not a queue.
constexpr DataSize kLeastBacklog = DataSize::from_bytes(3000);
constexpr double kStands = 1.25;  // of the length that counts as short
// What stands is to be gone in this time.
constexpr TimeDelta kEmptyIn = TimeDelta::from_millis(10);
constexpr double kLeastCap = 0.25;  // of the interface's rate
constexpr double kCapGrowth = 5;    // a second, while the queue is short
constexpr double kKnown = 0.95;     // of the rate at which it drained
constexpr double kCapEnds = 1.25;   // of the pacing rate: no longer a bound
}  // namespace

bool DriverQueue::fresh(Timestamp now) const {
  return last_report_.is_finite() && now - last_report_ < kFreshness;
}

void DriverQueue::on_report(const Settings& settings, const Report& given) {
  Report report = given;
  report.backlog = std::max(report.backlog, DataSize::zero());
  if (last_report_.is_finite() && !fresh(report.now)) reset();
  last_report_ = report.now;
  measure_drain(report);
  move_cap(settings, report);
  move_window(settings, report,
              report.backlog / std::min(report.rate, drain_.value_or(report.rate)));
}

void DriverQueue::begin_at(const Report& report) {
  last_report_ = report.now;
  anchor_ = Anchor{report.now, std::max(report.backlog, DataSize::zero()), report.sent};
}

void DriverQueue::measure_drain(const Report& report) {
  if (anchor_ && report.now - anchor_->at < kDrainTime) return;
  if (anchor_) {
    const TimeDelta passed = report.now - anchor_->at;
    const DataSize in = report.sent - anchor_->sent;
    const DataRate left =
        std::max(in - (report.backlog - anchor_->backlog), DataSize::zero()) / passed;
    const bool stood = anchor_->backlog >= kLeastBacklog;
    const bool stands = report.backlog >= kLeastBacklog;
    // Idle in between, it could have taken more.
    drain_ = stands ? left : std::max(drain_.value_or(left), left);
    // It began to stand meanwhile: the interface may have kept up with us until just now.
    sure_drain_ =
        stands && !stood ? std::clamp(left * 2.0 - in / passed, left * kLeastCap, left) : *drain_;
  }
  anchor_ = Anchor{report.now, report.backlog, report.sent};
}

void DriverQueue::move_cap(const Settings& settings, const Report& report) {
  const TimeDelta passed = cap_moved_.is_finite()
                               ? std::max(report.now - cap_moved_, TimeDelta::zero())
                               : TimeDelta::zero();
  cap_moved_ = report.now;
  const DataRate drain = sure_drain_.value_or(report.rate);
  const bool stands =
      report.backlog >= kLeastBacklog && report.backlog / drain > settings.low * kStands;
  if (stands) {
    const DataRate wanted = drain - report.backlog / kEmptyIn;
    cap_ = std::max({wanted, drain * kLeastCap, report.rate * (kLeastCap * kLeastCap)});
    return;
  }
  if (cap_.is_infinite()) return;
  // Empty again: what it drains is at least known, and more is found out slowly.
  cap_ = std::max(cap_, drain_.value_or(cap_) * kKnown) * (1 + kCapGrowth * passed.seconds());
  if (cap_ > report.rate * kCapEnds) cap_ = DataRate::infinite();
}

void DriverQueue::move_window(const Settings& settings, const Report& report, TimeDelta delay) {
  frozen_ = delay > settings.freeze;
  if (delay > settings.high) {
    if (++high_samples_ < kHighSamples) return;
    scale_ = std::max(kLeastScale, std::min(scale_, 1.0) * settings.backoff);
    encoder_share_ = std::clamp(1 - delay / settings.cap, kLeastEncoderShare, 1.0);
    return;
  }
  high_samples_ = 0;
  encoder_share_ = 1;
  if (delay >= settings.low) return;
  const double most = report.app_limited ? 1.0 : kMostScale;
  scale_ = scale_ > most ? most : std::min(most, scale_ * kRecovery);
}

}  // namespace farwheel
