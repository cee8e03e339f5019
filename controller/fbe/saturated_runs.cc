#include "fbe/saturated_runs.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr TimeDelta kTick = TimeDelta::from_micros(250);
// A repeated block moves an end of the span; it must be small against the whole.
constexpr double kLongestIntervals = 4;
constexpr TimeDelta kMostSpan = TimeDelta::from_millis(80);
// So must a packet that just missed a grant.
constexpr int kLeastPackets = 12;
constexpr double kSureIntervals = 2;
constexpr std::size_t kMostSlopes = 2048;
}  // namespace

void SaturatedRuns::on_delivered(const Settings& settings, const PacketResult& result) {
  const Timestamp arrival = result.received_at;
  if (!arrival.is_finite() || arrival < present_.start) return;
  const TimeDelta owd = arrival - result.packet.sent_at;
  least_owd_ = std::min(least_owd_, owd);
  if (!present_.start.is_finite()) {
    present_ = Cluster{arrival, result.packet.size, 1, false};
    return;
  }
  if (arrival - present_.start <= settings.cluster_gap) {
    present_.size += result.packet.size;
    ++present_.packets;
    return;
  }
  // This packet lay at the bottleneck when the present cluster left it, unless that one came late:
  // the time that it made up afterwards must not count as waiting.
  const TimeDelta interval = arrival - present_.start;
  const TimeDelta usual = std::max(interval, (interval + last_interval_) * 0.5);
  const bool left_over = owd - least_owd_ > usual + kTick;
  if (left_over) longest_ = std::max(longest_, interval);
  if (left_over && present_.was_waited_for) count_interval(present_.start - last_start_);
  last_start_ = present_.start;
  last_interval_ = interval;
  present_ = Cluster{arrival, result.packet.size, 1, left_over};
}

void SaturatedRuns::count_interval(TimeDelta interval) {
  if (count_ == kMostPoints) return;
  total_.span += interval;
  total_.size += present_.size;
  packets_ += present_.packets;
  points_[count_++] = total_;
}

bool SaturatedRuns::enough(const Settings& settings) const {
  if (count_ == kMostPoints) return true;
  const TimeDelta wanted =
      std::max(settings.least_span, std::min(longest_ * kLongestIntervals, kMostSpan));
  return count_ >= static_cast<std::size_t>(settings.least_intervals) &&
         packets_ >= kLeastPackets && total_.span >= wanted;
}

DataRate SaturatedRuns::rate() const {
  std::array<double, kMostSlopes> mbps{};
  std::size_t slopes = 0;
  const TimeDelta far = total_.span * 0.5;
  for (std::size_t j = 0; j < count_ && slopes < kMostSlopes; ++j) {
    // Before the first interval: nothing in no time.
    for (std::size_t i = 0; i <= j && slopes < kMostSlopes; ++i) {
      const Point from = i == 0 ? Point{} : points_[i - 1];
      const TimeDelta span = points_[j].span - from.span;
      if (span < far || span.is_zero()) continue;
      mbps[slopes++] = ((points_[j].size - from.size) / span).mbps();
    }
  }
  if (slopes == 0) return DataRate::zero();
  const auto middle = mbps.begin() + static_cast<std::ptrdiff_t>(slopes / 2);
  std::nth_element(mbps.begin(), middle, mbps.begin() + static_cast<std::ptrdiff_t>(slopes));
  return DataRate::from_mbps(*middle);
}

DataRate SaturatedRuns::rate_so_far() const {
  if (count_ == 0) return DataRate::zero();
  const bool spans_enough = total_.span >= longest_ * kSureIntervals;
  return total_.size / (spans_enough ? total_.span : total_.span + longest_);
}

}  // namespace farwheel
