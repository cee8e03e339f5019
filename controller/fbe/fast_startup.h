// Fast bandwidth estimation: the bottleneck's capacity from the arrival clusters of the first two
// rounds, verified for one round, else classic STARTUP goes on. It ends by time in any case.
//
// Source: FBE ("Small Chunks can Talk", abstract); the steps are ours (notes on congestion control,
// section 2.1, and on real links, section 3).
#pragma once

#include <cstdint>
#include <optional>

#include "fbe/packet_trains.h"

namespace farwheel {

class FastStartup {
 public:
  struct Settings {
    TimeDelta min_span;
    int min_clusters;
    double share;  // of the estimate that is used
    double min_confidence;
    TimeDelta queue_limit;  // a longer queue while verifying sends it back
    TimeDelta give_up;
  };
  enum class Phase { kMeasuring, kVerifying, kAccepted, kLowerBound, kAborted };
  struct Situation {
    Timestamp now;
    std::int64_t round;
    bool round_start;
    bool loss;
    bool app_limited;
    TimeDelta queue;
    TimeDelta min_rtt;
  };
  struct Estimate {
    DataRate rate = DataRate::zero();
    double confidence = 0;
    // Arrivals were as close as sendings or the clock: the path carries at least this.
    bool lower_bound = false;
  };

  void on_train(const TrainSample& sample, std::int64_t round);
  // True when the phase changed.
  bool on_report(const Settings& settings, const Situation& situation);
  Phase phase() const { return phase_; }
  // Another estimate was used: nothing more is to be found.
  void end() { phase_ = Phase::kAborted; }
  bool done() const { return phase_ != Phase::kMeasuring && phase_ != Phase::kVerifying; }
  // Of the trains so far, whatever the phase.
  Estimate estimate() const { return estimate_; }
  // What one window's arrivals in several clusters say: no measurement yet, but more than the path
  // has to be asked for step by step. Empty where all came at once, as in one grant.
  std::optional<DataRate> glimpse() const;
  // How fast to send while measuring, so that trains are spread by the bottleneck without filling
  // it; empty before the first train.
  std::optional<DataRate> probing_rate() const;
  // Rate to use while verifying and from then on; empty when there is none.
  std::optional<DataRate> rate(const Settings& settings) const;

 private:
  struct Pool {
    DataSize size = DataSize::zero();
    TimeDelta link_span = TimeDelta::zero();
    TimeDelta arrival_span = TimeDelta::zero();
    TimeDelta send_span = TimeDelta::zero();
    int clusters = 0;
    int packets = 0;
    int most_clusters = 0;  // in one train
    void add(const TrainSample& sample);
    DataRate capacity() const;
  };
  void evaluate(const Settings& settings);
  bool conclude(const Settings& settings, const Situation& situation, bool last_chance);

  Phase phase_ = Phase::kMeasuring;
  Pool first_;
  Pool later_;
  DataRate whole_train_ = DataRate::zero();
  Estimate estimate_;
  bool loss_seen_ = false;
  // The estimate comes from arrivals that the bottleneck spread.
  bool measured_spread_ = false;
  Timestamp first_report_ = Timestamp::infinite_past();
  std::int64_t verify_until_round_ = 0;
  Timestamp verify_until_ = Timestamp::infinite_future();
};

}  // namespace farwheel
