#include "fbe/verifying_burst.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr TimeDelta kTick = TimeDelta::from_micros(250);
constexpr int kBurstPackets = 10;
constexpr int kPausePackets = kBurstPackets / 2;
constexpr double kBurstGain = 2;
constexpr double kPauseGain = 0.5;
// A rate under this times the estimate is within the estimate's own error.
constexpr double kSurelyOver = 1.06;
}  // namespace

void VerifyingBurst::arm(DataRate estimate) {
  *this = VerifyingBurst();
  estimate_ = estimate;
  armed_ = true;
}

void VerifyingBurst::on_packet_sent(const SentPacket& packet) {
  if (!armed_ || sent_ >= kBurstPackets + kPausePackets) return;
  if (sent_ == 0) {
    first_ = packet.number;
    first_sent_at_ = packet.sent_at;
  }
  if (sent_ < kBurstPackets) {
    last_ = packet.number;
    last_sent_at_ = packet.sent_at;
  }
  ++sent_;
}

void VerifyingBurst::on_result(const PacketResult& result) {
  if (sent_ == 0 || result.packet.number < first_ || result.packet.number > last_) return;
  ++settled_;
  if (result.fate != PacketResult::Fate::kDelivered || !result.received_at.is_finite()) {
    whole_ = false;
    return;
  }
  if (result.packet.number == first_) {
    first_arrival_ = result.received_at;
  } else {
    arrived_ += result.packet.size;
    last_arrival_ = std::max(last_arrival_, result.received_at);
  }
}

double VerifyingBurst::pace_gain() const {
  if (!armed_) return 1;
  if (sent_ < kBurstPackets) return kBurstGain;
  return sent_ < kBurstPackets + kPausePackets ? kPauseGain : 1;
}

DataSize VerifyingBurst::ahead(DataSize mss) const {
  return armed_ && settled_ < kBurstPackets ? mss * static_cast<double>(kPausePackets)
                                            : DataSize::zero();
}

std::optional<DataRate> VerifyingBurst::take_shown() {
  if (!armed_ || settled_ < kBurstPackets) return std::nullopt;
  armed_ = false;
  if (!whole_ || !first_arrival_.is_finite() || last_arrival_ <= first_arrival_) {
    return std::nullopt;
  }
  const TimeDelta sent_in = std::max(last_sent_at_ - first_sent_at_, TimeDelta::from_nanos(1));
  const TimeDelta arrived_in = last_arrival_ - first_arrival_;
  // The clock's doubt goes against the finding, not into the rate.
  const DataRate surely = arrived_ / std::max(sent_in, arrived_in + kTick);
  if (surely < estimate_ * kSurelyOver) return std::nullopt;
  return arrived_ / std::max(sent_in, arrived_in);
}

}  // namespace farwheel
