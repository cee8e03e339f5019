#include "adaptive/queue_law.h"

#include <algorithm>
#include <cmath>

namespace farwheel {
namespace {
// Rates at which the noise term weighs as it stands.
constexpr DataRate kReferenceRate = DataRate::from_mbps(2.5);
constexpr double kNoiseWeightMost = 2.5;
constexpr TimeDelta kNoiseMost = TimeDelta::from_millis(5);
constexpr TimeDelta kWindowLeast = TimeDelta::from_millis(30);
constexpr TimeDelta kWindowMost = TimeDelta::from_millis(200);
constexpr double kWindowPackets = 16;
constexpr double kPacingLeast = 0.3;
}  // namespace

TimeDelta target_queue(const BbrParams& params, const QueueLawInput& input) {
  const TimeDelta own = input.mss * params.share_alpha_packets / input.rate;
  const double weight = std::min(
      kNoiseWeightMost, std::sqrt(kReferenceRate.mbps() / std::max(0.01, input.rate.mbps())));
  const TimeDelta noise = std::min(input.noise, kNoiseMost) * (params.share_noise * weight);
  return std::min(own + noise, ms(params.share_queue_max_ms));
}

TimeDelta queue_window(DataRate rate, DataSize mss, TimeDelta noise) {
  const TimeDelta packets = mss * kWindowPackets / rate;
  const TimeDelta wide = kWindowLeast + std::min(noise, kNoiseMost) * 10.0;
  return std::clamp(std::max(packets, wide), kWindowLeast, kWindowMost);
}

double share_change(const BbrParams& params, const QueueLawInput& input, TimeDelta step) {
  const TimeDelta delay = input.rtt + input.window;
  const TimeDelta tau =
      std::clamp(input.window * 1.6, TimeDelta::from_millis(100), TimeDelta::from_millis(150));
  const double error = (target_queue(params, input) - input.queue) / (delay + input.queue);
  return std::max(-0.5, error / tau.seconds() * step.seconds());
}

double share_pacing(const BbrParams& params, const QueueLawInput& input) {
  const TimeDelta delay = input.rtt + input.window;
  const double error = (input.queue - target_queue(params, input)) / (delay + input.queue);
  return std::clamp(1 - error, kPacingLeast, 1.25);
}

}  // namespace farwheel
