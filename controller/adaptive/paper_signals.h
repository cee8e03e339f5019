// What Algorithms 1 and 2 of Adaptive BBRv2 read of the path: NowRtt, "the round trip of the newest
// packet", and MaxRtt. Not thread-safe.
//
// The paper measures with an acknowledgement for each packet. Reports that come in batches, or late
// in the receiver's schedule, add to an RTT what no queue of the data did; on a path of 10 ms the
// threshold is 1 ms. "Net" takes of each RTT only the way out as it was, with the shortest way back
// of the last two seconds: exact to the 250-us stamps, and the same with one report a packet.
#pragma once

#include <functional>
#include <optional>

#include "bbr/bbr_params.h"
#include "controller_types.h"
#include "feedback/packet_result.h"
#include "path/bucketed_extremum.h"

namespace farwheel {

class PaperSignals {
 public:
  PaperSignals();

  // To be called for each packet delivered, in the order of their numbers.
  void on_delivered(const BbrParams& params, Timestamp now, BbrState state,
                    const PacketResult& result);
  void reset() { *this = PaperSignals(); }

  // Empty until measured.
  std::optional<TimeDelta> now_rtt() const { return now_rtt_; }
  // As paper_max_rtt has it: of a window, of the flow's life, or of its life after start-up.
  std::optional<TimeDelta> max_rtt(const BbrParams& params) const;

 private:
  std::optional<TimeDelta> now_rtt_;
  TimeDelta window_;
  BucketedExtremum<TimeDelta, std::greater<>> recent_max_;
  std::optional<TimeDelta> lifetime_max_;
  std::optional<TimeDelta> after_startup_max_;
  BucketedExtremum<TimeDelta, std::less<>> way_back_;
};

}  // namespace farwheel
