// The rate of a flow that its application limits: it measures the path with its frames, drifts up
// while the path shows no queue, and falls to what arrives when one stands. While the flow fills
// the path, ShareLaw moves the rate and this one follows. Not thread-safe.
//
// Source: shared notes on media; the frame's states stay BBRv2's.
#pragma once

#include <optional>

#include "adaptive/frame_competition.h"
#include "adaptive/frame_noise.h"
#include "adaptive/standing_queue.h"
#include "adaptive/train_capacity.h"
#include "bbr/bbr_model.h"
#include "controller_types.h"

namespace farwheel {

class AdaptiveRate {
 public:
  // Start-up is over: go on from this rate.
  void start(Timestamp now, DataRate rate);
  void stop() { started_ = false; }
  bool started() const { return started_; }

  void on_train(const BbrModel& model, Timestamp now, const TrainSample& sample);
  // A packet that had nothing of ours before it, neither waiting nor in flight.
  void on_quiet_packet(TimeDelta owd) { noise_.on_packet(owd); }
  struct Report {
    Timestamp now;
    DataRate most;         // the application could ever use; frames need not look for more
    TimeDelta round_trip;  // of now, with what stands
    bool lost;
    bool may_compete;  // no silence
  };
  FrameCompetition::Change on_report(const BbrModel& model, StandingQueue& queue,
                                     const Report& report);
  // Beside a flow that fills the queue: give way to it no further.
  bool competes() const { return competition_.active(); }
  // Another law moved the rate.
  void follow(Timestamp now, DataRate rate);
  // Reports came back: what was measured before the silence no longer counts, the rate does.
  void on_silence_end(Timestamp now);

  DataRate rate() const { return rate_; }
  bool limited_by_queue() const { return limited_by_queue_; }
  bool stretched() const { return stretched_; }
  TimeDelta standing_queue() const { return standing_; }
  TimeDelta noise() const { return noise_.value(); }

 private:
  TimeDelta standing_window(const BbrModel& model) const;
  void step(const BbrModel& model, StandingQueue& queue, Timestamp now);
  void fall_to_arrivals(const BbrModel& model, const StandingQueue& queue, Timestamp now);
  // A delay that stays flat although we gave way is the route's: it becomes the base.
  void watch_route(StandingQueue& queue, Timestamp now, TimeDelta threshold);
  void grow_to(const BbrModel& model, Timestamp now, DataRate wanted);
  void watch_shown(const BbrModel& model, Timestamp now);

  bool started_ = false;
  DataRate rate_ = DataRate::zero();
  DataRate most_ = DataRate::infinite();
  TimeDelta standing_ = TimeDelta::zero();
  bool limited_by_queue_ = false;
  bool stretched_ = false;
  // What stretched trains agree on; more is tried only when they no longer are.
  std::optional<DataRate> shown_;
  Timestamp shown_at_ = Timestamp::infinite_past();
  int unstretched_ = 0;  // measurements in a row
  Timestamp stretched_at_ = Timestamp::infinite_past();
  Timestamp bottleneck_seen_at_ = Timestamp::infinite_past();
  TrainCapacity trains_;
  FrameNoise noise_;
  FrameCompetition competition_;
  Timestamp last_drift_ = Timestamp::infinite_past();
  // Growth is bounded against the rate at the beginning of the present interval.
  Timestamp growth_start_ = Timestamp::infinite_past();
  DataRate growth_base_ = DataRate::zero();
  // A delay over the threshold, from its beginning on: it may be a queue or a longer route.
  struct Episode {
    Timestamp flat_since;
    DataRate rate;
    TimeDelta threshold;
    TimeDelta least;
    TimeDelta most;
  };
  std::optional<Episode> episode_;
};

}  // namespace farwheel
