// rtpsession numbers the packets that bear the transport-wide extension 0, 1, 2, ... in the order
// they are pushed. This keeps the same count for the element before it, with the time each push
// took, and finds the distance when the two counts differ (either one restarted while the other
// lived on): rtpsession's record of a packet's time lies inside the push of exactly that packet.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "feedback/feedback_adapter.h"

namespace farwheel {

class SequenceMirror {
 public:
  // A push that took longer than this did not leave when it was stamped (something below blocked:
  // DTLS not up yet, a full socket): its round trip means nothing.
  static constexpr TimeDelta kLongestPush = TimeDelta::from_millis(10);

  // The next packet's number; its push begins at `now`. Times must not fall.
  PacketNumber begin_push(Timestamp now);
  // The push of the packet numbered last has returned.
  void end_push(Timestamp now);

  // Brings a report into our numbering, in place, and takes out entries whose push blocked or that
  // speak of packets before our time. Returns how many entries are left, at the front.
  std::size_t translate(std::span<ReportedPacket> report);

  // rtpsession's number of a packet less ours, modulo 2^16.
  std::uint16_t offset() const { return offset_; }
  std::int64_t resyncs() const { return resyncs_; }

 private:
  struct Push {
    Timestamp begin;
    Timestamp end;  // infinite_future() while it lasts
  };
  // Numbers first_ .. first_ + pushes_.size() - 1; at most kHistory.
  static constexpr std::size_t kHistory = 16384;

  std::optional<PacketNumber> find_by_time(std::int64_t local_ns) const;
  const Push* find_by_sequence(std::uint16_t sequence_number) const;
  // False: the entry's time tells that it is another packet.
  bool fits(const ReportedPacket& packet, std::uint16_t offset) const;
  void resync(std::span<const ReportedPacket> report);

  std::deque<Push> pushes_;
  PacketNumber first_ = 0;
  std::uint16_t offset_ = 0;
  std::int64_t resyncs_ = 0;
  // rtpsession's times and ours have met: from then on an entry whose time doesn't fit is not ours.
  bool times_met_ = false;
};

}  // namespace farwheel
