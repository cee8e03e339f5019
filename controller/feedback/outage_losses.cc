#include "feedback/outage_losses.h"

#include <algorithm>

namespace farwheel {

void OutageLosses::begin(Timestamp first_unheard) {
  from_ = first_unheard;
  until_ = Timestamp::infinite_future();
}

void OutageLosses::clear() {
  *this = OutageLosses();
}

bool OutageLosses::is_excused(const PacketResult& result) const {
  return result.fate == PacketResult::Fate::kLost && result.packet.sent_at >= from_ &&
         result.packet.sent_at <= until_;
}

const FeedbackReport& OutageLosses::excuse(const FeedbackReport& report) {
  const bool has_excused = std::any_of(report.packets.begin(), report.packets.end(),
                                       [this](const PacketResult& r) { return is_excused(r); });
  if (!has_excused) return report;
  excused_ = report;
  for (PacketResult& result : excused_.packets) {
    if (is_excused(result)) result.fate = PacketResult::Fate::kUnknown;
  }
  return excused_;
}

}  // namespace farwheel
