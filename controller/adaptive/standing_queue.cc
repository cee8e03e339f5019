#include "adaptive/standing_queue.h"

#include <algorithm>

namespace farwheel {
namespace {
// Nothing arrived for so long and what came then was late: the path did not serve.
constexpr TimeDelta kServiceGap = TimeDelta::from_millis(60);
constexpr TimeDelta kLateAfterGap = TimeDelta::from_millis(40);
constexpr TimeDelta kNoiseWindow = TimeDelta::from_millis(60);
constexpr TimeDelta kNoiseLeastWindow = TimeDelta::from_millis(25);
constexpr int kNoisePackets = 8;
constexpr double kNoiseSeconds = 2;
constexpr TimeDelta kNoiseQueueMost = TimeDelta::from_millis(20);
constexpr TimeDelta kWindowLeast = TimeDelta::from_millis(30);
constexpr TimeDelta kWindowMost = TimeDelta::from_millis(200);
constexpr TimeDelta kWindowNoiseMost = TimeDelta::from_millis(5);
constexpr double kWindowPackets = 16;
}  // namespace

TimeDelta standing_window(DataRate rate, DataSize mss, TimeDelta noise) {
  const TimeDelta wide = kWindowLeast + std::min(noise, kWindowNoiseMost) * 10.0;
  return std::clamp(std::max(mss * kWindowPackets / rate, wide), kWindowLeast, kWindowMost);
}

StandingQueue::StandingQueue(TimeDelta base_window)
    : base_window_(base_window), base_(base_window) {}

void StandingQueue::reset() {
  *this = StandingQueue(base_window_);
}

void StandingQueue::on_packet(const Packet& packet) {
  if (!packet.sent_at.is_finite() || !packet.received_at.is_finite()) return;
  const TimeDelta owd = packet.received_at - packet.sent_at;
  if (count_ > 0 && packet.received_at - newest().at > kServiceGap) {
    const std::optional<TimeDelta> base = base_.value();
    if (base && owd - *base > kLateAfterGap) gap_end_ = packet.received_at;
  }
  const std::optional<TimeDelta> held = base_held_ ? base_.value() : std::nullopt;
  base_.update(packet.received_at, std::min(owd, held.value_or(owd)));
  add({packet.received_at, owd, packet.size});
  if (!packet.behind_own) take_noise(packet.received_at, owd - *base_.value());
}

void StandingQueue::add(const Arrival& arrival) {
  ring_[next_] = arrival;
  Block& block = blocks_[next_ / kInBlock];
  if (next_ % kInBlock == 0) block = Block();
  block.earliest = std::min(block.earliest, arrival.at);
  block.least_owd = std::min(block.least_owd, arrival.owd);
  block.size += arrival.size;
  next_ = (next_ + 1) % kSlots;
  count_ = std::min(count_ + 1, kSlots);
}

// The mean over the minimum of n samples falls short of its limit by (n-1)/(n+1) for evenly spread
// noise; without the correction the faster flow would see the larger noise.
void StandingQueue::take_noise(Timestamp received_at, TimeDelta queue) {
  if (!noise_start_.is_finite()) noise_start_ = received_at;
  ++noise_packets_;
  noise_sum_ns_ += static_cast<double>(queue.ns());
  noise_least_ = std::min(noise_least_, queue);
  const TimeDelta length = received_at - noise_start_;
  const bool complete = noise_packets_ >= kNoisePackets && length >= kNoiseLeastWindow;
  if (!complete && length < kNoiseWindow) return;
  if (noise_packets_ >= 3 && noise_least_ < kNoiseQueueMost) {
    const double n = noise_packets_;
    const double value =
        std::max(0.0, (noise_sum_ns_ / n - static_cast<double>(noise_least_.ns()))) * (n + 1) /
        (n - 1);
    noise_weight_ += 1;
    const double share =
        std::max(std::min(1.0, length.seconds() / kNoiseSeconds), 1 / std::max(5.0, noise_weight_));
    noise_ns_ += share * (value - noise_ns_);
  }
  noise_packets_ = 0;
  noise_sum_ns_ = 0;
  noise_least_ = TimeDelta::infinite();
  noise_start_ = received_at;
}

void StandingQueue::rebase() {
  if (count_ == 0) return;
  const Window now = over(TimeDelta::from_millis(300));
  const TimeDelta base = *base_.value() + now.queue;
  base_.clear();
  base_.update(newest().at, base);
}

StandingQueue::Window StandingQueue::over(TimeDelta length) const {
  Window window;
  const std::optional<TimeDelta> base = base_.value();
  if (count_ == 0 || !base) return window;
  const Timestamp end = newest().at;
  const Timestamp begin = std::max(end - length, gap_end_);
  TimeDelta least = TimeDelta::infinite();
  DataSize size = DataSize::zero();
  std::size_t packets = 0;
  while (packets < count_) {
    const std::size_t slot = slot_of(packets);
    const Block& block = blocks_[slot / kInBlock];
    if (slot % kInBlock == kInBlock - 1 && packets + kInBlock <= count_ &&
        block.earliest >= begin) {
      packets += kInBlock;
      size += block.size;
      least = std::min(least, block.least_owd);
      continue;
    }
    const Arrival& arrival = ring_[slot];
    if (arrival.at < begin) break;
    ++packets;
    size += arrival.size;
    least = std::min(least, arrival.owd);
  }
  if (packets == 0) return window;
  const Arrival* first = &ring_[slot_of(packets - 1)];
  window.packets = static_cast<int>(packets);
  window.span = end - first->at;
  window.first_queue = first->owd - *base;
  if (window.span > TimeDelta::zero()) window.rate = (size - first->size) / window.span;
  window.queue = std::max(least - *base, TimeDelta::zero());
  window.last_queue = newest().owd - *base;
  return window;
}

}  // namespace farwheel
