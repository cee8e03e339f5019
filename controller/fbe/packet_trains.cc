#include "fbe/packet_trains.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr TimeDelta kLeastGap = TimeDelta::from_millis(4);
constexpr double kPaceGap = 2.5;
// Longer trains would average over what the link did before.
constexpr TimeDelta kLongestTrain = TimeDelta::from_millis(60);
// The sender idled: it left this much more time than the receiver saw.
constexpr double kIdleRatio = 1.05;
constexpr TimeDelta kTick = TimeDelta::from_micros(250);
constexpr TimeDelta kIdleRounding = TimeDelta::from_micros(500);
constexpr TimeDelta kLeastIdle = TimeDelta::from_millis(3);
}  // namespace

void PacketTrains::reset() {
  count_ = 0;
  packets_ = 0;
}

std::optional<TrainSample> PacketTrains::on_delivered(const PacketResult& result, DataRate pace,
                                                      const Limits& limits) {
  const SentPacket& packet = result.packet;
  if (!result.received_at.is_finite() || !packet.sent_at.is_finite()) return std::nullopt;
  std::optional<TrainSample> ended;
  if (count_ > 0) {
    const TimeDelta gap = packet.sent_at - last_sent_at_;
    const TimeDelta length = result.received_at - clusters_[0].start;
    if (packet.number <= last_number_ || gap < TimeDelta::zero() ||
        (gap > kLeastGap && gap > packet.size / pace * kPaceGap) || length > kLongestTrain ||
        length < TimeDelta::zero()) {
      ended = finish(limits);
    }
  }
  last_number_ = packet.number;
  last_sent_at_ = packet.sent_at;
  if (count_ == 0) {
    first_size_ = packet.size;
    last_arrival_ = result.received_at;
  }
  last_arrival_ = std::max(last_arrival_, result.received_at);
  ++packets_;
  const bool new_cluster =
      count_ == 0 || (result.received_at - clusters_[count_ - 1].start > limits.cluster_gap &&
                      count_ < kMostClusters);
  if (new_cluster) {
    clusters_[count_] = Cluster{result.received_at, packet.sent_at, DataSize::zero(), 0};
    ++count_;
  }
  clusters_[count_ - 1].size += packet.size;
  ++clusters_[count_ - 1].packets;
  return ended;
}

std::optional<TrainSample> PacketTrains::on_report_end(const Limits& limits) {
  if (count_ == 0 || last_number_ != last_sent_) return std::nullopt;
  return finish(limits);
}

// The first packet of cluster k lay at the bottleneck when the one before it left; unless that one
// came late: the time that it made up afterwards is no waiting.
bool PacketTrains::was_left(std::size_t k, const Limits::Delay& delay) const {
  const TimeDelta interval = clusters_[k].start - clusters_[k - 1].start;
  TimeDelta usual = interval;
  if (k >= 2) {
    const TimeDelta before = clusters_[k - 1].start - clusters_[k - 2].start;
    usual = std::max(usual, (interval + before) * 0.5);
  }
  const TimeDelta owd = clusters_[k].start - clusters_[k].first_sent;
  // One packet after the other: what came between was its own time. In clusters of several it may
  // have been the wait for a grant.
  if (packets_ == static_cast<int>(count_)) return owd - delay.without_own > usual - kTick;
  return owd - delay.least > usual + kTick;
}

std::optional<TrainSample> PacketTrains::finish(const Limits& limits) {
  TrainSample sample;
  sample.packets = packets_;
  sample.clusters = static_cast<int>(count_);
  for (std::size_t k = 0; k < count_; ++k) sample.whole_size += clusters_[k].size;
  sample.whole_size = sample.whole_size - first_size_;
  sample.whole_span = last_arrival_ - clusters_[0].start;

  // The last cluster may be cut short, unless a cluster is a packet on this link.
  std::size_t last = count_ - 1;
  if (last > 0 && packets_ > static_cast<int>(count_)) --last;

  std::array<double, kMostClusters> pace_of_interval{};
  std::size_t intervals = 0;
  const auto idled = [this](std::size_t k) {
    const TimeDelta arrival = clusters_[k].start - clusters_[k - 1].start;
    const TimeDelta send = clusters_[k].first_sent - clusters_[k - 1].first_sent;
    return send > kLeastIdle && send > arrival * kIdleRatio + kIdleRounding;
  };
  for (std::size_t k = 1; k <= last; ++k) {
    if (idled(k)) continue;
    const TimeDelta arrival = clusters_[k].start - clusters_[k - 1].start;
    pace_of_interval[intervals++] =
        arrival.us() / std::max(1.0, static_cast<double>(clusters_[k].size.bytes()));
  }
  std::sort(pace_of_interval.begin(),
            pace_of_interval.begin() + static_cast<std::ptrdiff_t>(intervals));
  const double quarter = intervals >= 4 ? pace_of_interval[intervals / 4] : 0;
  for (std::size_t k = 1; k <= last; ++k) {
    if (idled(k)) continue;
    const TimeDelta arrival = clusters_[k].start - clusters_[k - 1].start;
    sample.size += clusters_[k].size;
    sample.arrival_span += arrival;
    sample.send_span += clusters_[k].first_sent - clusters_[k - 1].first_sent;
    TimeDelta bounded = arrival;
    if (quarter > 0) {
      const double most_us =
          limits.cross_traffic * quarter * static_cast<double>(clusters_[k].size.bytes());
      bounded = std::min(arrival, TimeDelta::from_seconds(most_us / 1e6));
    }
    sample.link_span += bounded;
    if (limits.delay && was_left(k, *limits.delay)) {
      sample.busy_size += clusters_[k].size;
      sample.busy_span += arrival;
    }
  }
  reset();
  return sample;
}

}  // namespace farwheel
