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
}  // namespace

bool DriverQueue::fresh(Timestamp now) const {
  return last_report_.is_finite() && now - last_report_ < kFreshness;
}

void DriverQueue::on_report(const Settings& settings, Timestamp now, DataSize backlog,
                            DataRate rate, bool app_limited) {
  if (last_report_.is_finite() && !fresh(now)) reset();
  last_report_ = now;
  const TimeDelta delay = std::max(backlog, DataSize::zero()) / rate;
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
  const double most = app_limited ? 1.0 : kMostScale;
  scale_ = scale_ > most ? most : std::min(most, scale_ * kRecovery);
}

}  // namespace farwheel
