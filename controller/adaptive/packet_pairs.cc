#include "adaptive/packet_pairs.h"

#include <algorithm>
#include <cmath>

namespace farwheel {
namespace {
constexpr double kTogether = 0.2e-3;
constexpr double kOldest = 20;
constexpr std::size_t kLeastGaps = 4;
constexpr double kLowShare = 0.1;
constexpr double kHighShare = 0.5;
constexpr double kJudgeEvery = 1;
constexpr double kStampStep = 0.26e-3;
}  // namespace

void PacketPairs::on_packet(const Packet& packet, double mss) {
  if (packet.number == last_.number + 1 && packet.sent_at - last_.sent_at < kTogether &&
      packet.received_at >= last_.received_at && packet.bytes > mss / 2) {
    const double gap = (packet.received_at - last_.received_at) * mss / packet.bytes;
    gaps_[next_] = {packet.received_at, static_cast<float>(gap)};
    next_ = (next_ + 1) % kGaps;
    count_ = std::min(count_ + 1, kGaps);
    changed_ = true;
  }
  last_ = packet;
}

std::optional<double> PacketPairs::packet_time(double now) {
  if (!changed_ && now - judged_at_ < kJudgeEvery) return packet_time_;
  changed_ = false;
  judged_at_ = now;
  std::size_t fresh = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (now - gaps_[i].at <= kOldest) sorted_[fresh++] = gaps_[i].seconds;
  }
  packet_time_.reset();
  sharp_ = false;
  if (fresh < kLeastGaps) return packet_time_;
  std::sort(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(fresh));
  const double n = static_cast<double>(fresh);
  const auto low = static_cast<std::size_t>(n * kLowShare);
  const auto high = std::max(low + 1, static_cast<std::size_t>(n * kHighShare));
  double sum = 0;
  for (std::size_t i = low; i < high; ++i) sum += static_cast<double>(sorted_[i]);
  // Stamps come in steps of 250 us: where only these spread the low gaps, the mean of all gaps
  // about them is finer. Slots spread them wider.
  const double rough = sum / static_cast<double>(high - low);
  packet_time_ = rough;
  if (static_cast<double>(sorted_[high - 1] - sorted_[low]) > 2 * kStampStep) return packet_time_;
  sharp_ = true;
  sum = 0;
  double about = 0;
  for (std::size_t i = 0; i < fresh; ++i) {
    if (std::abs(static_cast<double>(sorted_[i]) - rough) > kStampStep) continue;
    sum += static_cast<double>(sorted_[i]);
    ++about;
  }
  packet_time_ = about > 0 ? sum / about : rough;
  return packet_time_;
}

}  // namespace farwheel
