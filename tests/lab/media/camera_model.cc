#include "media/camera_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace farwheel::lab::media {
namespace {

constexpr double kSigma = 0.2;
constexpr double kRiseSeconds = 0.3;
constexpr double kKeyFrame = 3;
constexpr std::int64_t kLeastFrame = 100;
// EncoderBitrate's dead band.
constexpr double kLowerAtOnce = 0.03;
constexpr double kRaiseAtOnce = 0.05;
constexpr double kWorthSetting = 0.01;
constexpr TimeDelta kSmallChangeInterval = TimeDelta::from_millis(200);

}  // namespace

void CameraModel::set_target(Timestamp now, DataRate target) {
  const double wanted =
      std::clamp(static_cast<double>(target.bps()), config_.min_mbps * 1e6, config_.max_mbps * 1e6);
  if (set_ > 0) {
    const double ratio = wanted / set_;
    const bool is_large = ratio < 1 - kLowerAtOnce || ratio > 1 + kRaiseAtOnce;
    const bool is_nothing = std::abs(ratio - 1) < kWorthSetting;
    if (!is_large && (is_nothing || now - set_at_ < kSmallChangeInterval)) return;
  }
  set_ = wanted;
  set_at_ = now;
}

// Relative to the mean.
double CameraModel::next_size() {
  if (!config_.sizes.empty()) return config_.sizes[next_++ % config_.sizes.size()];
  const double normal = std::sqrt(-2 * std::log(1 - random_.uniform())) *
                        std::cos(2 * std::numbers::pi * random_.uniform());
  return std::exp(kSigma * normal - kSigma * kSigma / 2);
}

CameraModel::Frame CameraModel::capture() {
  if (rate_ <= 0) rate_ = previous_ = set_;
  // Half of a fall shows in the first frame, the whole of it in the second.
  const double fallen = std::max(set_, (set_ + previous_) / 2);
  rate_ = set_ < rate_ ? std::min(rate_, fallen)
                       : rate_ + (set_ - rate_) * (1 - std::exp(-1 / config_.fps / kRiseSeconds));
  previous_ = set_;
  double bytes = rate_ / 8 / config_.fps * next_size();
  const bool is_key = key_wanted_;
  if (is_key) bytes *= kKeyFrame;
  key_wanted_ = false;
  return {std::max(kLeastFrame, static_cast<std::int64_t>(std::llround(bytes))), is_key};
}

}  // namespace farwheel::lab::media
