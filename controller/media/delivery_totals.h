// How many packets and bytes were sent and what became of them, in all and over the last second.
// Pure, not thread-safe.
#pragma once

#include <cstdint>

#include "controller_types.h"
#include "feedback/feedback_adapter.h"
#include "feedback/packet_result.h"
#include "media/windowed_sum.h"

namespace farwheel {

class DeliveryTotals {
 public:
  void on_sent(const SentPacket& packet);
  void on_report(Timestamp now, const FeedbackReport& report);
  // Fills in totals, loss, and the delivered rate where the model gave none. What was delivered
  // after all is neither lost nor unknown any more.
  void fill(Timestamp now, const FeedbackCounters& odd, ControllerSnapshot& snapshot) const;

 private:
  std::int64_t packets_sent_ = 0;
  std::int64_t bytes_sent_ = 0;
  std::int64_t packets_delivered_ = 0;
  std::int64_t bytes_delivered_ = 0;
  std::int64_t packets_lost_ = 0;
  std::int64_t packets_unknown_ = 0;
  WindowedSum recent_delivered_{TimeDelta::from_seconds(1)};
  WindowedSum recent_lost_{TimeDelta::from_seconds(1)};
  WindowedSum recent_bytes_{TimeDelta::from_seconds(1)};
};

}  // namespace farwheel
