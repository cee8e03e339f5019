#include "fbe/first_train.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr TimeDelta kTick = TimeDelta::from_micros(250);
constexpr TimeDelta kTickSlack = TimeDelta::from_micros(40);
constexpr TimeDelta kLeastSpan = TimeDelta::from_micros(500);
constexpr std::size_t kLeastPackets = 5;
constexpr std::size_t kLeastPairs = 4;
// A pair that left further apart than half of its arrival was spread by us.
constexpr double kSentClose = 0.5;
// Over the mean rate by more than this: clusters. Under it: no link serves faster than it can.
constexpr double kOverMean = 2.2;
constexpr double kUnderMean = 0.95;
// An interval this much shorter than the quartile's: two packets of one grant.
constexpr double kBunched = 0.25;
// Intervals this close to each other are one rate's.
constexpr double kUniform = 1.1;
}  // namespace

void FirstTrain::on_delivered(const PacketResult& result, Timestamp heard_at) {
  if (count_ == kMost || !result.received_at.is_finite()) return;
  if (count_ > 0 && result.received_at < arrivals_[count_ - 1].stamp) return;
  arrivals_[count_++] =
      Arrival{result.packet.sent_at, result.received_at, heard_at, result.packet.size};
}

bool FirstTrain::heard_times_hold() const {
  TimeDelta least = TimeDelta::infinite();
  TimeDelta most = TimeDelta::zero() - TimeDelta::infinite();
  for (std::size_t k = 0; k < count_; ++k) {
    const TimeDelta apart = arrivals_[k].heard_at - arrivals_[k].stamp;
    least = std::min(least, apart);
    most = std::max(most, apart);
    if (k > 0 && arrivals_[k].heard_at <= arrivals_[k - 1].heard_at) return false;
  }
  return most - least <= kTick + kTickSlack;
}

DataRate FirstTrain::mean_rate(bool by_heard) const {
  DataSize size = DataSize::zero();
  const Timestamp first = arrival(0, by_heard);
  for (std::size_t k = 1; k < count_; ++k) {
    if (arrival(k, by_heard) > first) size += arrivals_[k].size;
  }
  return size / (arrival(count_ - 1, by_heard) - first);
}

std::optional<FirstTrain::Capacity> FirstTrain::capacity() const {
  if (count_ < kLeastPackets) return std::nullopt;
  // Within a step or two of the receiver's clock it may be one grant; what spaces its packets then
  // is a later, faster link.
  if (arrivals_[count_ - 1].stamp - arrivals_[0].stamp < kLeastSpan) return std::nullopt;
  return heard_times_hold() ? by_quartile() : by_bounds();
}

// Packets of others only lengthen an interval, so the shortest quarter is the link's own.
std::optional<FirstTrain::Capacity> FirstTrain::by_quartile() const {
  std::array<double, kMost> ns_per_byte{};
  std::size_t pairs = 0;
  for (std::size_t k = 1; k < count_; ++k) {
    const TimeDelta apart = arrivals_[k].heard_at - arrivals_[k - 1].heard_at;
    if (arrivals_[k].sent_at - arrivals_[k - 1].sent_at > apart * kSentClose) continue;
    ns_per_byte[pairs++] = static_cast<double>(apart.ns()) /
                           std::max(1.0, static_cast<double>(arrivals_[k].size.bytes()));
  }
  if (pairs < kLeastPairs) return std::nullopt;
  std::sort(ns_per_byte.begin(), ns_per_byte.begin() + static_cast<std::ptrdiff_t>(pairs));
  const double quartile = ns_per_byte[pairs / 4];
  // A late grant takes the mean with it, so that alone would not tell.
  if (quartile <= 0 || ns_per_byte[0] < quartile * kBunched) return std::nullopt;
  Capacity found;
  found.rate = DataRate::from_mbps(8e3 / quartile);
  found.least = found.rate;
  const DataRate mean = mean_rate(true);
  if (found.rate > mean * kOverMean || found.rate < mean * kUnderMean) return std::nullopt;
  found.uniform = ns_per_byte[pairs - 1] <= quartile * kUniform;
  return found;
}

// With stamps alone: what each pair of arrivals allows, given a step of rounding on either side.
std::optional<FirstTrain::Capacity> FirstTrain::by_bounds() const {
  DataRate least = DataRate::zero();
  DataRate most = DataRate::infinite();
  for (std::size_t i = 0; i + 1 < count_; ++i) {
    DataSize size = DataSize::zero();
    for (std::size_t k = i + 1; k < count_; ++k) {
      size += arrivals_[k].size;
      const TimeDelta apart = arrivals_[k].stamp - arrivals_[i].stamp;
      if (arrivals_[k].sent_at - arrivals_[i].sent_at > apart * kSentClose + kTick) continue;
      least = std::max(least, size / (apart + kTick));
      if (apart > kTick) most = std::min(most, size / (apart - kTick));
    }
  }
  // The whole train within a step or two: the clock is too coarse for any rate, or it is a grant.
  if (least.is_zero() || most.is_infinite()) return std::nullopt;
  Capacity found;
  found.uniform = least <= most * kUniform;
  found.least = std::min(least, most);
  found.rate =
      found.uniform ? DataRate::from_mbps((std::min(least, most).mbps() + most.mbps()) / 2) : least;
  if (!found.uniform) {
    const DataRate mean = mean_rate(false);
    if (found.rate > mean * kOverMean) return std::nullopt;
    found.least = std::min(found.rate, mean);
  }
  return found;
}

}  // namespace farwheel
