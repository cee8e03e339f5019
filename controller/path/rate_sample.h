// What one feedback report says about the path: the input of every state and every estimator.
//
// Source: draft-cardwell-iccrg-bbr-congestion-control-02, section 2.3 ("rs").
#pragma once

#include <optional>
#include <vector>

#include "units/data.h"

namespace farwheel {

// A packet that a report named as not received, with the volume lost since it left.
struct LostPacket {
  DataSize size = DataSize::zero();
  DataSize tx_in_flight = DataSize::zero();
  // Lost since the packet left, itself included.
  DataSize lost = DataSize::zero();
  bool is_app_limited = false;
};

struct RateSample {
  Timestamp now = Timestamp::infinite_past();
  // Delivered per time over about one round; empty when the interval is too short to mean anything.
  std::optional<DataRate> delivery_rate;
  // The newest delivered packet left while the application had nothing more to send.
  bool is_app_limited = false;
  // True when the report delivered anything; the fields of the newest packet are valid then.
  bool has_delivery = false;
  bool round_start = false;
  // Of the newest delivered packet: in flight when it left, lost and delivered since.
  DataSize tx_in_flight = DataSize::zero();
  DataSize lost = DataSize::zero();
  DataSize delivered = DataSize::zero();
  Timestamp newest_sent_at = Timestamp::infinite_past();
  DataSize newly_delivered = DataSize::zero();
  DataSize newly_lost = DataSize::zero();
  // Reported lost before, and now delivered after all.
  DataSize newly_rescued = DataSize::zero();
  // The transport counts marks of congestion (ECN CE); marked data of this report, and since the
  // newest delivered packet left.
  bool reports_marks = false;
  DataSize newly_marked = DataSize::zero();
  DataSize marked = DataSize::zero();
  // Least round trip of the report; infinite when it held none.
  TimeDelta min_rtt = TimeDelta::infinite();
  DataSize inflight = DataSize::zero();
  // Runs of consecutive packet numbers that were lost.
  int loss_ranges = 0;
  std::vector<LostPacket> losses;
};

}  // namespace farwheel
