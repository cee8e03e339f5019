// The path as feedback shows it: delivery-rate samples on the receiver's clock, rounds, loss, RTTs,
// application-limitation. States and estimators read it; nothing here decides. Not thread-safe.
//
// Invariants: delivered and lost never fall except that a packet reported lost and then delivered
// moves from one to the other; a packet whose fate is unknown is in neither.
// Sources: draft-cardwell-iccrg-bbr-congestion-control-02, sections 4.5.1 (rounds) and 4.5.2.1;
// draft-ietf-ccwg-bbr-06, section 4.1.2 (delivery rate samples).
#pragma once

#include <cstdint>

#include "feedback/packet_result.h"
#include "path/rate_sample.h"
#include "path/rtt_model.h"
#include "path/sent_packets.h"

namespace farwheel {

class PathModel {
 public:
  struct Windows {
    TimeDelta probe_rtt_interval;
    TimeDelta min_rtt;
  };

  void on_packet_sent(const SentPacket& packet, DataSize inflight);
  // The sample is valid until the next call. Duplicate results and packets never sent are ignored.
  const RateSample& on_report(Timestamp now, const FeedbackReport& report, DataSize inflight,
                              const Windows& windows);
  // Until everything now in flight is delivered, samples say how much was offered, not what fits.
  void on_application_limited(DataSize inflight);
  // What was sent before then and is reported lost counts as unknown: it fell into a silence.
  void forgive_losses_sent_before(Timestamp when) { forgiven_before_ = when; }
  // Another path: RTTs start afresh; packets of the old path no longer give samples.
  void on_path_changed();

  const RttModel& rtt() const { return rtt_; }
  RttModel& rtt() { return rtt_; }
  bool app_limited() const { return app_limited_until_ > delivered_; }
  DataSize delivered() const { return delivered_; }
  DataSize lost() const { return lost_; }
  std::int64_t round() const { return round_; }
  // The present round ends when a packet sent from now on is delivered.
  void start_round() { next_round_delivered_ = delivered_; }
  // So many packets from this one on are about to be reported.
  void expect(PacketNumber first, std::size_t packets) const { sent_.expect(first, packets); }
  // Receiver's clock; infinite_past() before the first arrival.
  Timestamp newest_arrival() const { return newest_arrival_; }

 private:
  void take_delivered(Timestamp now, const PacketResult& result, SentState& state,
                      const Windows& windows);
  void take_lost(const PacketResult& result, SentState& state);
  void take_marks(std::int64_t count, std::int64_t packets);
  void finish_sample();

  SentPackets sent_;
  RttModel rtt_;
  RateSample sample_;
  DataSize delivered_ = DataSize::zero();
  DataSize lost_ = DataSize::zero();
  DataSize marked_ = DataSize::zero();
  DataSize app_limited_until_ = DataSize::zero();
  Timestamp delivered_time_ = Timestamp::infinite_past();
  Timestamp first_send_time_ = Timestamp::infinite_past();
  Timestamp newest_arrival_ = Timestamp::infinite_past();
  Timestamp forgiven_before_ = Timestamp::infinite_past();
  PacketNumber last_lost_ = -2;
  std::int64_t round_ = 0;
  DataSize next_round_delivered_ = DataSize::zero();
  // The newest delivered packet of the report being taken.
  SentState newest_;
  Timestamp newest_sent_at_ = Timestamp::infinite_past();
  TimeDelta newest_rtt_ = TimeDelta::infinite();
};

}  // namespace farwheel
