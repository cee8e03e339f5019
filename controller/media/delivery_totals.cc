#include "media/delivery_totals.h"

namespace farwheel {

void DeliveryTotals::on_sent(const SentPacket& packet) {
  ++packets_sent_;
  bytes_sent_ += packet.size.bytes();
}

void DeliveryTotals::on_report(Timestamp now, const FeedbackReport& report) {
  std::int64_t delivered = 0;
  std::int64_t bytes = 0;
  std::int64_t lost = 0;
  for (const PacketResult& result : report.packets) {
    switch (result.fate) {
      case PacketResult::Fate::kDelivered:
        ++delivered;
        bytes += result.packet.size.bytes();
        break;
      case PacketResult::Fate::kLost:
        ++lost;
        break;
      case PacketResult::Fate::kUnknown:
        ++packets_unknown_;
        break;
    }
  }
  packets_delivered_ += delivered;
  bytes_delivered_ += bytes;
  packets_lost_ += lost;
  if (delivered > 0) {
    recent_delivered_.add(now, delivered);
    recent_bytes_.add(now, bytes);
  }
  if (lost > 0) recent_lost_.add(now, lost);
}

void DeliveryTotals::fill(Timestamp now, const FeedbackCounters& odd,
                          ControllerSnapshot& snapshot) const {
  const std::int64_t recent_bytes = recent_bytes_.sum(now);
  if (snapshot.delivered_rate.is_zero() && recent_bytes > 0) {
    snapshot.delivered_rate = DataSize::from_bytes(recent_bytes) / recent_bytes_.covered(now);
  }
  const auto lost = static_cast<double>(recent_lost_.sum(now));
  const auto delivered = static_cast<double>(recent_delivered_.sum(now));
  snapshot.loss = lost + delivered > 0 ? lost / (lost + delivered) : 0;
  snapshot.packets_sent = packets_sent_;
  snapshot.packets_delivered = packets_delivered_;
  snapshot.packets_lost = packets_lost_ - (odd.late_rescues - odd.rescued_unknown);
  snapshot.packets_unknown = packets_unknown_ - odd.rescued_unknown;
  snapshot.bytes_sent = bytes_sent_;
  snapshot.bytes_delivered = bytes_delivered_;
}

}  // namespace farwheel
