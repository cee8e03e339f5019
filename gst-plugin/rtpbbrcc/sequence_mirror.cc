#include "rtpbbrcc/sequence_mirror.h"

#include <algorithm>
#include <vector>

namespace farwheel {
namespace {

// Both clocks are one clock, read by two threads' code a few instructions apart.
constexpr TimeDelta kClockSlack = TimeDelta::from_micros(200);

}  // namespace

PacketNumber SequenceMirror::begin_push(Timestamp now) {
  if (pushes_.size() == kHistory) {
    pushes_.pop_front();
    ++first_;
  }
  pushes_.push_back({now, Timestamp::infinite_future()});
  return first_ + static_cast<PacketNumber>(pushes_.size()) - 1;
}

void SequenceMirror::end_push(Timestamp now) {
  if (!pushes_.empty()) pushes_.back().end = now;
}

std::optional<PacketNumber> SequenceMirror::find_by_time(std::int64_t local_ns) const {
  const Timestamp at = Timestamp::from_nanos(local_ns);
  auto after = std::upper_bound(pushes_.begin(), pushes_.end(), at,
                                [](Timestamp time, const Push& push) { return time < push.begin; });
  if (after == pushes_.begin()) return std::nullopt;
  const auto found = std::prev(after);
  if (found->end < at) return std::nullopt;
  return first_ + (found - pushes_.begin());
}

const SequenceMirror::Push* SequenceMirror::find_by_sequence(std::uint16_t sequence_number) const {
  if (pushes_.empty()) return nullptr;
  // The newest packet with this low half: anything older is long forgotten by rtpsession as well.
  const PacketNumber newest = first_ + static_cast<PacketNumber>(pushes_.size()) - 1;
  const auto back =
      static_cast<std::uint16_t>(static_cast<std::uint16_t>(newest) - sequence_number);
  const PacketNumber number = newest - back;
  if (number < first_) return nullptr;
  return &pushes_[static_cast<std::size_t>(number - first_)];
}

bool SequenceMirror::fits(const ReportedPacket& packet, std::uint16_t offset) const {
  if (!packet.local_ns) return true;
  const Push* push = find_by_sequence(static_cast<std::uint16_t>(packet.sequence_number - offset));
  if (push == nullptr) return false;
  const Timestamp at = Timestamp::from_nanos(*packet.local_ns);
  return push->begin - kClockSlack <= at && at <= push->end + kClockSlack;
}

void SequenceMirror::resync(std::span<const ReportedPacket> report) {
  // The distance that most entries agree on (Boyer and Moore's majority vote, then a count).
  std::vector<std::uint16_t> distances;
  distances.reserve(report.size());
  for (const ReportedPacket& packet : report) {
    if (!packet.local_ns) continue;
    if (const auto number = find_by_time(*packet.local_ns)) {
      distances.push_back(
          static_cast<std::uint16_t>(packet.sequence_number - static_cast<std::uint16_t>(*number)));
    }
  }
  std::uint16_t candidate = offset_;
  int votes = 0;
  for (const std::uint16_t distance : distances) {
    if (votes == 0) candidate = distance;
    votes += distance == candidate ? 1 : -1;
  }
  const auto agreeing = std::count(distances.begin(), distances.end(), candidate);
  if (candidate == offset_ || 3 * agreeing < 2 * std::ssize(distances)) return;
  offset_ = candidate;
  ++resyncs_;
}

std::size_t SequenceMirror::translate(std::span<ReportedPacket> report) {
  const auto fit_now = [this](const ReportedPacket& packet) { return fits(packet, offset_); };
  if (!std::all_of(report.begin(), report.end(), fit_now)) resync(report);
  times_met_ = times_met_ || std::any_of(report.begin(), report.end(), [&](const auto& packet) {
                 return packet.local_ns && fit_now(packet);
               });
  std::size_t kept = 0;
  for (ReportedPacket packet : report) {
    if (times_met_ && !fit_now(packet)) continue;
    packet.sequence_number = static_cast<std::uint16_t>(packet.sequence_number - offset_);
    const Push* push = find_by_sequence(packet.sequence_number);
    // A push that has not returned yet, though its packet was reported, did not block.
    if (push != nullptr && push->end != Timestamp::infinite_future() &&
        push->end - push->begin > kLongestPush) {
      continue;
    }
    report[kept++] = packet;
  }
  return kept;
}

}  // namespace farwheel
