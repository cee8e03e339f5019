#include "adaptive/train_capacity.h"

#include <algorithm>
#include <cstdint>

namespace farwheel {
namespace {
constexpr TimeDelta kOldest = TimeDelta::from_millis(500);
constexpr TimeDelta kOldestNoisy = TimeDelta::from_millis(1000);
constexpr TimeDelta kNoisy = TimeDelta::from_millis(1);
constexpr TimeDelta kLeastSpan = TimeDelta::from_millis(15);
constexpr TimeDelta kWantedSpan = TimeDelta::from_millis(30);
constexpr TimeDelta kWantedSpanMost = TimeDelta::from_millis(300);
// Of the delay noise: a late grant moves one end of a span.
constexpr double kSpanNoises = 30;
constexpr TimeDelta kLeastTrain = TimeDelta::from_millis(2);
constexpr DataSize kLeastSize = DataSize::from_bytes(1000);
// Trains that agree on a limit.
constexpr TimeDelta kShownOldest = TimeDelta::from_millis(1000);
constexpr TimeDelta kShownLeastTrain = TimeDelta::from_millis(5);
constexpr std::size_t kShownLeastTrains = 5;
constexpr double kShownStretchedShare = 0.75;
constexpr double kShownSpread = 0.12;  // between the quartiles, of the median
}  // namespace

void TrainCapacity::on_train(Timestamp now, const TrainSample& sample) {
  if (sample.arrival_span < kLeastTrain || sample.size < kLeastSize) return;
  ring_[next_] = Entry{
      now, sample.size, sample.arrival_span, sample.send_span, sample.busy_size, sample.busy_span};
  next_ = (next_ + 1) % kSlots;
  count_ = std::min(count_ + 1, kSlots);
}

std::optional<TrainCapacity::Measured> TrainCapacity::measure(Timestamp now, TimeDelta noise,
                                                              double stretched_below) const {
  const TimeDelta oldest = noise > kNoisy ? kOldestNoisy : kOldest;
  const TimeDelta wanted = std::clamp(noise * kSpanNoises, kWantedSpan, kWantedSpanMost);
  DataSize size = DataSize::zero();
  TimeDelta arrival = TimeDelta::zero();
  TimeDelta send = TimeDelta::zero();
  DataSize busy_size = DataSize::zero();
  TimeDelta busy = TimeDelta::zero();
  for (std::size_t back = 0; back < count_; ++back) {
    const Entry& entry = ring_[(next_ + kSlots - 1 - back) % kSlots];
    if (now - entry.at > oldest) break;
    size += entry.size;
    arrival += entry.arrival_span;
    send += entry.send_span;
    busy_size += entry.busy_size;
    busy += entry.busy_span;
    if (arrival >= wanted) break;
  }
  if (arrival < kLeastSpan) return std::nullopt;
  if (send >= arrival * stretched_below) return Measured{size / arrival, false};
  if (busy < kLeastSpan) return std::nullopt;
  return Measured{busy_size / busy, true};
}

std::optional<DataRate> TrainCapacity::shown(Timestamp now, double stretched_below) const {
  std::array<std::int64_t, kSlots> rates{};
  std::size_t trains = 0;
  std::size_t stretched = 0;
  for (std::size_t back = 0; back < count_; ++back) {
    const Entry& entry = ring_[(next_ + kSlots - 1 - back) % kSlots];
    if (now - entry.at > kShownOldest) break;
    if (entry.busy_span < kShownLeastTrain) continue;
    ++trains;
    if (entry.send_span >= entry.arrival_span * stretched_below) continue;
    rates[stretched++] = (entry.busy_size / entry.busy_span).bps();
  }
  if (stretched < kShownLeastTrains ||
      static_cast<double>(stretched) < static_cast<double>(trains) * kShownStretchedShare) {
    return std::nullopt;
  }
  std::sort(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(stretched));
  const auto median = static_cast<double>(rates[stretched / 2]);
  const auto spread = static_cast<double>(rates[stretched * 3 / 4] - rates[stretched / 4]);
  if (spread > median * kShownSpread) return std::nullopt;
  return DataRate::from_bps(rates[stretched / 2]);
}

}  // namespace farwheel
