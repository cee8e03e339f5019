#include "adaptive/standing_queue.h"

#include <algorithm>

namespace farwheel {
namespace {
// Nothing arrived for so long and what came then was late: the path did not serve.
constexpr TimeDelta kServiceGap = TimeDelta::from_millis(60);
constexpr TimeDelta kLateAfterGap = TimeDelta::from_millis(40);
constexpr std::size_t kMostWalked = 512;
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
  if (count_ > 0) {
    const Packet& last = newest(0);
    if (packet.received_at - last.received_at > kServiceGap) {
      const std::optional<TimeDelta> base = base_.value();
      if (base && owd(packet) - *base > kLateAfterGap) gap_end_ = packet.received_at;
    }
  }
  base_.update(packet.received_at, owd(packet));
  ring_[next_] = packet;
  next_ = (next_ + 1) % kSlots;
  count_ = std::min(count_ + 1, kSlots);
  if (!packet.behind_own) take_noise(packet);
}

// The mean over the minimum of n samples falls short of its limit by (n-1)/(n+1) for evenly spread
// noise; without the correction the faster flow would see the larger noise.
void StandingQueue::take_noise(const Packet& packet) {
  if (!noise_start_.is_finite()) noise_start_ = packet.received_at;
  ++noise_packets_;
  noise_sum_ns_ += static_cast<double>(owd(packet).ns() - base_.value()->ns());
  noise_least_ = std::min(noise_least_, owd(packet) - *base_.value());
  const TimeDelta length = packet.received_at - noise_start_;
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
  noise_start_ = packet.received_at;
}

void StandingQueue::rebase() {
  if (count_ == 0) return;
  const Window now = over(TimeDelta::from_millis(300));
  const TimeDelta base = *base_.value() + now.queue;
  base_.clear();
  base_.update(newest(0).received_at, base);
}

StandingQueue::Window StandingQueue::over(TimeDelta length) const {
  Window window;
  const std::optional<TimeDelta> base = base_.value();
  if (count_ == 0 || !base) return window;
  const Timestamp end = newest(0).received_at;
  const Timestamp begin = std::max(end - length, gap_end_);
  TimeDelta least = TimeDelta::infinite();
  DataSize size = DataSize::zero();
  const Packet* first = nullptr;
  for (std::size_t back = 0; back < std::min(count_, kMostWalked); ++back) {
    const Packet& packet = newest(back);
    if (packet.received_at < begin) break;
    ++window.packets;
    size += packet.size;
    least = std::min(least, owd(packet));
    first = &packet;
  }
  if (first == nullptr) return window;
  window.span = end - first->received_at;
  window.first_queue = owd(*first) - *base;
  if (window.span > TimeDelta::zero()) window.rate = (size - first->size) / window.span;
  window.queue = std::max(least - *base, TimeDelta::zero());
  window.last_queue = owd(newest(0)) - *base;
  return window;
}

}  // namespace farwheel
