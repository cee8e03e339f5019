#include "path/sent_packets.h"

#include <cstdint>
#include <utility>

namespace farwheel {
namespace {
constexpr std::size_t kInitialSlots = 512;
// The feedback adapter's own history is as long; what is older has aged out there.
constexpr std::size_t kMaxSlots = 16384;
}  // namespace

SentPackets::SentPackets() : ring_(kInitialSlots) {}

std::size_t SentPackets::slot_of(PacketNumber number) const {
  return static_cast<std::size_t>(static_cast<std::uint64_t>(number) & (ring_.size() - 1));
}

SentState& SentPackets::add(PacketNumber number) {
  while (ring_.size() < kMaxSlots) {
    const SentState& slot = ring_[slot_of(number)];
    if (slot.status != SentState::Status::kInFlight || slot.number == number) break;
    grow();
  }
  return ring_[slot_of(number)];
}

SentState* SentPackets::find(PacketNumber number) {
  SentState& slot = ring_[slot_of(number)];
  if (slot.status == SentState::Status::kEmpty || slot.number != number) return nullptr;
  return &slot;
}

void SentPackets::clear() {
  for (SentState& slot : ring_) slot.status = SentState::Status::kEmpty;
}

void SentPackets::grow() {
  std::vector<SentState> old(ring_.size() * 2);
  std::swap(old, ring_);
  for (const SentState& state : old) {
    if (state.status != SentState::Status::kEmpty) ring_[slot_of(state.number)] = state;
  }
}

}  // namespace farwheel
