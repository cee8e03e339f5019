// Start-up of a flow that fills the path: the first window leaves as one train and nothing follows
// until it is heard; its capacity paces a second train of one round trip, which verifies it and
// shows what others take; the queue steers the rate for some rounds more. Where the first train's
// intervals are no service times (uplink grants, aggregates, a link too fast for the clock), trains
// double until busy intervals between clusters give the rate. It ends by time in any case. A flow
// that its application limits is FastStartup's. Not thread-safe.
//
// Source: FBE (abstract: the ACK rates of the first two rounds, then the window steered by the
// driver queue); the shared notes on the lab's scenarios, section 7, and on real links, section 3.
#pragma once

#include <cstdint>
#include <optional>

#include "fbe/first_train.h"
#include "fbe/rate_steering.h"
#include "fbe/saturated_runs.h"
#include "fbe/verifying_burst.h"

namespace farwheel {

class BulkStartup {
 public:
  struct Settings {
    int train_packets;  // of the first window
    DataRate train_rate;
    SaturatedRuns::Settings runs;
    std::int64_t steered_rounds;
    double most_loss;   // of a round
    TimeDelta give_up;  // from the first report on
  };
  enum class Phase { kFirstTrain, kSearching, kSteering, kDone, kAborted };
  struct Situation {
    Timestamp now;
    std::int64_t round;
    bool app_limited;
    TimeDelta min_rtt;
    TimeDelta report_wait;
    DataSize mss;
  };

  void on_packet_sent(const Settings& settings, const SentPacket& packet);
  // Each result of a report.
  void on_result(const Settings& settings, const PacketResult& result, Timestamp heard_at);
  void on_report(const Settings& settings, const Situation& situation);

  // The application limits the flow after all: before an estimate, another start-up has to do.
  void on_application_limited() {
    if (phase_ != Phase::kSteering && !done()) end(Phase::kAborted);
  }

  Phase phase() const { return phase_; }
  bool done() const { return phase_ == Phase::kDone || phase_ == Phase::kAborted; }
  // The second train has been heard, or start-up ended without it.
  bool verified() const { return verified_; }
  // The link's; zero while unknown.
  DataRate capacity() const;
  double confidence() const { return confidence_; }
  // What is ours of it; of use from kSteering on.
  DataRate rate() const;
  // Loss showed that it sent too much.
  bool overran() const { return overran_; }
  // `cwnd`: the states' own window.
  DataRate pacing_rate(const Settings& settings, const Situation& situation, DataSize cwnd) const;
  // Empty: the states' own window.
  std::optional<DataSize> window(const Settings& settings, const Situation& situation) const;

 private:
  // The packet's delay over the least seen: by the stamps, and finer by the round trip where the
  // way back adds nothing.
  TimeDelta queue_of(const PacketResult& result);
  void measure_train(const Situation& situation);
  void search(const Settings& settings, const Situation& situation);
  void steer(const Settings& settings, const Situation& situation);
  void start_steering(const Situation& situation, const RateSteering::Start& start);
  void take_burst(const Situation& situation);
  // What the search goes by, and how far over it.
  DataRate search_rate() const;
  DataSize steering_window(const Situation& situation) const;
  void end(Phase phase);
  // How much time at the steered rate may be in flight.
  TimeDelta steered_window(TimeDelta round_trip) const;
  bool train_is_settled() const { return train_settled_ >= train_sent_ && train_sent_ > 0; }

  Phase phase_ = Phase::kFirstTrain;
  bool verified_ = false;
  double confidence_ = 0;
  FirstTrain train_;
  SaturatedRuns runs_;
  RateSteering steering_;
  VerifyingBurst burst_;
  bool uniform_ = false;  // the first train was
  std::int64_t train_sent_ = 0;
  PacketNumber train_last_ = -1;
  std::int64_t train_settled_ = 0;
  Timestamp first_heard_ = Timestamp::infinite_past();
  double search_gain_ = 1.25;
  // Of a whole round of the search, the most.
  DataRate round_rate_ = DataRate::zero();
  Timestamp round_began_ = Timestamp::infinite_past();
  std::size_t intervals_seen_ = 0;
  bool overran_ = false;
  std::int64_t last_round_ = 0;
  std::int64_t rounds_steered_ = 0;
  TimeDelta least_owd_ = TimeDelta::infinite();
  TimeDelta least_rtt_ = TimeDelta::infinite();
  // Of the present round, of packets sent since then.
  Timestamp counted_since_ = Timestamp::infinite_past();
  DataSize lost_ = DataSize::zero();
  DataSize delivered_ = DataSize::zero();
};

}  // namespace farwheel
