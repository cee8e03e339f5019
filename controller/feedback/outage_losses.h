// Takes the losses of an outage out of reports: what was sent while nothing passed was lost to the
// outage and is no sign of congestion, even where the report that says so comes first and names
// nothing delivered. Pure, not thread-safe.
#pragma once

#include "feedback/packet_result.h"

namespace farwheel {

class OutageLosses {
 public:
  // Nothing sent since then has been heard of.
  void begin(Timestamp first_unheard);
  void end(Timestamp now) { until_ = now; }
  void clear();

  // The report itself, or a copy that calls such losses unknown; it holds until the next call.
  const FeedbackReport& excuse(const FeedbackReport& report);

 private:
  bool is_excused(const PacketResult& result) const;

  Timestamp from_ = Timestamp::infinite_future();
  Timestamp until_ = Timestamp::infinite_past();
  FeedbackReport excused_;
};

}  // namespace farwheel
