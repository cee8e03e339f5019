#include "adaptive/train_capacity.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr TimeDelta kOldest = TimeDelta::from_millis(500);
constexpr TimeDelta kOldestNoisy = TimeDelta::from_millis(1000);
constexpr TimeDelta kNoisy = TimeDelta::from_millis(3);
constexpr TimeDelta kLeastSpan = TimeDelta::from_millis(15);
constexpr TimeDelta kWantedSpan = TimeDelta::from_millis(30);
constexpr TimeDelta kWantedSpanMost = TimeDelta::from_millis(300);
constexpr TimeDelta kLeastTrain = TimeDelta::from_millis(2);
constexpr DataSize kLeastSize = DataSize::from_bytes(1000);
}  // namespace

void TrainCapacity::on_train(Timestamp now, const TrainSample& sample) {
  if (sample.arrival_span < kLeastTrain || sample.size < kLeastSize) return;
  ring_[next_] = Entry{now, sample};
  next_ = (next_ + 1) % kSlots;
  count_ = std::min(count_ + 1, kSlots);
}

std::optional<TrainCapacity::Measured> TrainCapacity::measure(Timestamp now, TimeDelta noise,
                                                              double stretched_below) const {
  const TimeDelta oldest = noise > kNoisy ? kOldestNoisy : kOldest;
  const TimeDelta wanted = std::clamp(noise * 10.0, kWantedSpan, kWantedSpanMost);
  DataSize size = DataSize::zero();
  TimeDelta arrival = TimeDelta::zero();
  TimeDelta send = TimeDelta::zero();
  for (std::size_t back = 0; back < count_; ++back) {
    const Entry& entry = ring_[(next_ + kSlots - 1 - back) % kSlots];
    if (now - entry.at > oldest) break;
    size += entry.sample.size;
    arrival += entry.sample.arrival_span;
    send += entry.sample.send_span;
    if (arrival >= wanted) break;
  }
  if (arrival < kLeastSpan) return std::nullopt;
  return Measured{size / arrival, send < arrival * stretched_below};
}

}  // namespace farwheel
