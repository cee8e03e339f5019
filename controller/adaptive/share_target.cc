#include "adaptive/share_target.h"

#include <algorithm>
#include <cmath>

namespace farwheel {
namespace {
constexpr double kMbit = 125000;  // bytes a second
constexpr double kOwnPackets = 0.1;
constexpr double kSlope = 0.7e-3;    // seconds of queue at the reference rate
constexpr double kNoiseShare = 0.5;  // of the noise, at the reference rate
constexpr double kNoiseWeightMost = 2.5;
constexpr double kTargetMost = 0.020;
constexpr double kOfRest = 0.6;  // of the target that a flow with the rest of the link would have
constexpr double kRestLeast = 0.02;  // of the link
constexpr double kRaiseMost = 20;    // times the noise
constexpr double kRaiseEnds = 1.02;  // of the link
constexpr double kRaiseFades = 0.06;
constexpr double kOwnNoiseMost = 0.52;
constexpr double kOwnNoiseAlone = 0.2;
constexpr double kOwnNoiseShared = 0.7;
constexpr double kWindowLeast = 0.030;
constexpr double kWindowNoise = 10;
constexpr double kWindowPackets = 16;
constexpr double kWindowPacketsNoise = 4000;  // a second of noise
constexpr double kWindowLeastPackets = 8;     // where sixteen would take too long
constexpr double kReferenceMost = 10 * kMbit;
constexpr double kReferenceClean = 20 * kMbit;  // where no slots could have made the pairs
constexpr double kClean = 0.3e-3;               // noise of a clock's steps alone
constexpr double kPacingLeast = 0.3;

double reference(const SharePoint& point) {
  const bool clean = point.noise < kClean;
  if (point.packet_time < kLeastPacketTime) {
    // Either a link faster than the clock's steps, or slots, whose packets come in one.
    return clean ? kReferenceClean : std::max(5 * kMbit, point.highest / 2);
  }
  return std::clamp(point.mss / (2 * point.packet_time), 0.5 * kMbit,
                    clean ? kReferenceClean : kReferenceMost);
}

double clean_target(const SharePoint& point, double rate) {
  return kOwnPackets * point.mss / rate + kSlope * (reference(point) / rate);
}

// What noise may add for a flow that has most of the link and found nobody beside it: whoever had
// the rest would stand a longer queue than this and win it, so that no flow keeps a lead by it.
// Falls where the link is full.
double noise_raise(const SharePoint& point, double target) {
  if (point.free_noise <= 0) return 0;
  const double link = point.mss / point.packet_time;
  const double rest = std::max(link - point.rate, kRestLeast * link);
  if (rest >= point.rate) return 0;
  const double over = kOfRest * clean_target(point, rest) - target;
  const double fade = (kRaiseEnds - point.rate / link) / kRaiseFades;
  return std::clamp(over, 0.0, kRaiseMost * point.free_noise) * std::clamp(fade, 0.0, 1.0);
}
}  // namespace

double own_noise(double share) {
  return std::min(kOwnNoiseMost, kOwnNoiseAlone + kOwnNoiseShared * std::max(0.0, 1 - share));
}

double share_window(double rate, double mss, double noise) {
  const double packets = (kWindowPackets + kWindowPacketsNoise * noise) * mss / rate;
  const double most = std::min(0.4, std::max(0.12, kWindowLeastPackets * mss / rate) + 15 * noise);
  return std::max(kWindowLeast + kWindowNoise * noise, std::min(packets, most));
}

double share_target(const SharePoint& point) {
  const double slowness = reference(point) / point.rate;
  const double target =
      std::min(clean_target(point, point.rate) +
                   kNoiseShare * point.noise * std::min(kNoiseWeightMost, std::sqrt(slowness)),
               kTargetMost + point.packet_time / 2);
  return target + noise_raise(point, target);
}

double share_change(const SharePoint& point, double target) {
  const double delay = point.rtt + point.window;
  const double tau = std::clamp(1.6 * point.window, 0.10, 0.15);
  return (target - point.queue) / (delay + point.queue) / tau;
}

double share_pacing(const SharePoint& point, double target) {
  const double delay = point.rtt + point.window;
  return std::max(kPacingLeast, 1 - (point.queue - target) / (delay + point.queue));
}

}  // namespace farwheel
