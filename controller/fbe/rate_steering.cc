#include "fbe/rate_steering.h"

#include <algorithm>
#include <cmath>

namespace farwheel {
namespace {
constexpr TimeDelta kTick = TimeDelta::from_micros(250);
constexpr TimeDelta kShortestEpoch = TimeDelta::from_millis(10);
constexpr TimeDelta kLongestEpoch = TimeDelta::from_millis(50);
constexpr int kLeastPackets = 4;
// Cross traffic under this share of the capacity is within the train's own error.
constexpr double kNoCross = 0.08;
constexpr double kLeastShare = 0.33;
constexpr double kGrowth = 1.1;  // an epoch in which the link was not always busy
constexpr double kQueueGain = 0.5;
// Of what is available: a gentle drain keeps what arrives near our share.
constexpr double kMostDrain = 0.08;
constexpr double kMostDrainLong = 0.3;  // while the queue is half a round trip
// A queue longer than this is of many start-ups at once: each has less than the least share above,
// and a gentle drain would take seconds.
constexpr TimeDelta kManyQueue = TimeDelta::from_millis(150);
constexpr double kMostDrainMany = 0.6;
constexpr double kMostFall = 0.08;  // of the rate, in this time or an epoch
constexpr TimeDelta kFallTime = TimeDelta::from_millis(25);
// An epoch weighs as its packets do against so many: others' share of a few is chance.
constexpr double kMemoryPackets = 300;
constexpr double kNewestOfSeveral = 0.35;
// Others' share of fewer packets in a round trip is chance for long.
constexpr double kLeastFlight = 25;
// A queue longer than this is of several start-ups' trains rather than of packets by chance.
constexpr TimeDelta kSeveralQueue = TimeDelta::from_millis(45);
// Beside others: over what is ours, so that the window decides, and what part of the link at most.
constexpr double kOverShare = 1.15;
constexpr double kMostShare = 0.85;  // while it is busy
constexpr double kStandingSigmas = 1.5;
constexpr double kMostStanding = 0.35;  // of a round trip
constexpr double kTargetPackets = 3;
constexpr TimeDelta kSharedQueue = TimeDelta::from_millis(5);
}  // namespace

void RateSteering::start(Timestamp now, const Start& start) {
  *this = RateSteering();
  since_ = now;
  capacity_ = start.capacity;
  available_ = start.available;
  rate_ = start.rate;
}

bool RateSteering::tells_shares(DataRate capacity, TimeDelta min_rtt, DataSize mss) {
  return capacity * min_rtt >= mss * kLeastFlight;
}

TimeDelta RateSteering::standing_queue(TimeDelta min_rtt, DataSize mss) const {
  const double bdp = static_cast<double>((capacity_ * min_rtt).bytes());
  const double packets =
      std::max(1.0, bdp / static_cast<double>(std::max<std::int64_t>(1, mss.bytes())));
  return min_rtt * std::min(kMostStanding, kStandingSigmas / std::sqrt(packets));
}

void RateSteering::on_delivered(const PacketResult& result, TimeDelta queue) {
  if (result.packet.sent_at < since_ || !result.received_at.is_finite()) return;
  if (epoch_.packets == 0) {
    epoch_.first_sent = result.packet.sent_at;
    epoch_.first_arrival = result.received_at;
  } else {
    epoch_.size += result.packet.size;
  }
  epoch_.last_sent = std::max(epoch_.last_sent, result.packet.sent_at);
  epoch_.last_arrival = std::max(epoch_.last_arrival, result.received_at);
  epoch_.least_queue = std::min(epoch_.least_queue, std::max(queue, TimeDelta::zero()));
  ++epoch_.packets;
}

void RateSteering::on_report(const Path& path) {
  const TimeDelta length =
      std::max(std::clamp(path.min_rtt * 0.5, kShortestEpoch, kLongestEpoch), path.noise * 4.0);
  if (epoch_.packets < kLeastPackets || epoch_.last_arrival - epoch_.first_arrival < length) return;
  take(epoch_, path, length);
  // The next epoch begins with the packet that ended this one.
  Epoch next;
  next.first_sent = next.last_sent = epoch_.last_sent;
  next.first_arrival = next.last_arrival = epoch_.last_arrival;
  next.packets = 1;
  epoch_ = next;
}

void RateSteering::take(const Epoch& epoch, const Path& path, TimeDelta length) {
  ++epochs_;
  const DataRate before = rate_;
  const DataRate in = epoch.size / std::max(epoch.last_sent - epoch.first_sent, kTick);
  const DataRate out = epoch.size / std::max(epoch.last_arrival - epoch.first_arrival, kTick);
  const TimeDelta packet_time = path.mss / capacity_;
  busy_ = epoch.least_queue > std::max(packet_time, kTick * 0.5) + path.noise;
  if (busy_) {
    // Busy all along. A share of in / (in + cross) of the link came through as `out`.
    const double cross = capacity_.mbps() * in.mbps() / std::max(out.mbps(), 0.001) - in.mbps();
    const double left =
        cross < capacity_.mbps() * kNoCross ? capacity_.mbps() : capacity_.mbps() - cross;
    several_ = several_ || epoch.least_queue > kSeveralQueue ||
               !tells_shares(capacity_, path.min_rtt, path.mss);
    const double least = kLeastShare * std::min(1.0, kManyQueue / epoch.least_queue);
    const double sample = std::clamp(left, capacity_.mbps() * least, capacity_.mbps());
    double weight = epoch.packets / (epoch.packets + kMemoryPackets);
    // The trains of several hide one another: their own first epoch tells the share at once.
    if (several_) weight = epochs_ == 1 ? 1 : kNewestOfSeveral;
    available_ = DataRate::from_mbps(available_.mbps() * (1 - weight) + sample * weight);
  } else {
    available_ = std::min(capacity_, std::max(available_, in * kGrowth));
  }
  if (shares()) {
    rate_ = std::min(available_ * kOverShare, capacity_ * (busy_ ? kMostShare : 1));
    return;
  }
  TimeDelta target = std::max(packet_time * kTargetPackets, kTick) + path.noise;
  if (available_ < capacity_) target = std::max(target, std::min(path.min_rtt * 0.2, kSharedQueue));
  const TimeDelta over = epoch.least_queue - target;
  const double correction = over / (path.min_rtt + length) * kQueueGain;
  const double most = epoch.least_queue > kManyQueue           ? kMostDrainMany
                      : epoch.least_queue > path.min_rtt * 0.5 ? kMostDrainLong
                                                               : kMostDrain;
  rate_ = available_ * (1 - std::clamp(correction * (capacity_ / available_), -0.1, most));
  // One epoch of others' packets is no trend; the window bounds the queue meanwhile.
  const double fall = kMostFall * std::min(1.0, length / kFallTime);
  if (most == kMostDrain) rate_ = std::max(rate_, before * (1 - fall));
  rate_ = std::min(rate_, capacity_);
}

}  // namespace farwheel
