// The rate of a flow that fills the path: adaptive-bbr2's law whole. Packets and losses in; rate,
// pacing and window out. It holds the parts together: drift, base, noise, pairs and window of the
// standing queue; target and step; episodes, competition, policers. Not thread-safe.
//
// Within BBRv2's frame: cruising is PROBE_BW's CRUISE, probing its REFILL and UP, emptying the
// queue to see the base again is ProbeRTT's task done by the rate alone. Source: shared notes on
// the default law. Seconds and bytes a second inside.
#pragma once

#include <optional>

#include "adaptive/arrival_rate.h"
#include "adaptive/base_delay.h"
#include "adaptive/clock_drift.h"
#include "adaptive/competition.h"
#include "adaptive/delay_episode.h"
#include "adaptive/delay_noise.h"
#include "adaptive/delay_window.h"
#include "adaptive/floor_probe.h"
#include "adaptive/give_way_test.h"
#include "adaptive/packet_pairs.h"
#include "adaptive/policer_watch.h"
#include "adaptive/share_target.h"
#include "feedback/packet_result.h"

namespace farwheel {

class ShareLaw {
 public:
  // What a step found out about the path, for the log.
  enum class Finding { kNone, kCompetitionBegins, kCompetitionEnds, kRoute, kPolicer };

  explicit ShareLaw(DataSize mss) : mss_(static_cast<double>(mss.bytes())) {}

  // Packets of a report are about to come.
  void expect(std::size_t packets) const;
  // Of every delivered packet, whether the law moves the rate or not.
  void on_packet(Timestamp now, const PacketResult& result);
  // The flow fills the path from now on. `drain`: start-up left a queue.
  void start(Timestamp now, DataRate rate, bool drain);
  // It does not any more; what is known of the path stays.
  void pause() { mode_ = Mode::kPaused; }
  bool active() const { return mode_ != Mode::kPaused; }
  // The packets of a report are in; `lost` of its bytes were.
  void on_report(Timestamp now, DataSize delivered, DataSize lost);
  // Marks of congestion ended a round: by which share they ask to slow down.
  void on_marks(double cut);
  void reset() { *this = ShareLaw(DataSize::from_bytes(static_cast<std::int64_t>(mss_))); }

  DataRate rate() const { return to_rate(competition_.active() ? competition_.pacing() : rate_); }
  DataRate pacing() const { return to_rate(pacing_); }
  DataSize window() const { return DataSize::from_bytes(static_cast<std::int64_t>(window_)); }
  bool probing() const { return mode_ == Mode::kRun && boost_ > 1; }
  bool limited_by_queue() const { return point_.queue > 2 * target_ + 0.001; }
  bool competing() const { return competition_.active(); }
  TimeDelta queue() const { return TimeDelta::from_seconds(point_.queue); }
  TimeDelta noise() const { return TimeDelta::from_seconds(noise_.value()); }
  // What the last report brought to light; reading it clears it.
  Finding take_finding();

 private:
  enum class Mode { kPaused, kDrain, kRun };

  static DataRate to_rate(double bytes_a_second) {
    return DataRate::from_mbps(bytes_a_second * 8e-6);
  }
  double clock(Timestamp now);
  void on_loss(double now, double lost_share);
  void step(double now);
  void look(double now);
  void step_drain(double now);
  void step_run(double now, double passed);
  void step_competition(double now);
  void judge_episode(double now);
  void watch_base(double now);
  bool is_calm(double now) const;
  bool probe_floor(double now);
  bool test_by_giving_way(double now, double passed);
  double growth(double now, double delay);
  void set_outputs(double now);
  void begin_competition(double now, double rate);
  Competition::Step competition_step(double now) const;
  double bottleneck() const;
  bool link_is_sure() const;
  bool noise_is_sure() const;

  double mss_;
  ClockDrift drift_;
  PacketPairs pairs_;
  DelayNoise noise_;
  ArrivalRate arrivals_;
  DelayWindow delays_;
  BaseDelay base_;
  AgedMinimum round_trip_;
  DelayEpisode episode_;
  Competition competition_;
  PolicerWatch policer_;
  FloorProbe floor_;
  GiveWayTest give_way_;

  std::optional<Timestamp> sent_origin_;
  std::optional<Timestamp> received_origin_;
  Mode mode_ = Mode::kPaused;
  double started_at_ = 0;
  double last_step_ = 0;
  double smoothed_rtt_ = 0;
  double rate_ = 0;
  double pacing_ = 0;
  double window_ = 0;
  SharePoint point_;
  double target_ = 0;
  bool new_packets_ = false;  // came in the last step
  bool grants_ = false;       // grants of a radio's spread the pairs
  double least_ = 0;          // windowed minimum, base included
  double excess_noise_ = 0;   // that no queue of ours explains, unbounded
  double free_noise_ = 0;     // the same, for a flow with this share of the link
  double delivered_ = 0;      // since the last step
  double lost_ = 0;           // of late, fading over a second
  double arrived_ = 0;
  double last_counted_ = 0;
  // Probing: how much faster than the law, after so many empty looks.
  double boost_ = 1;
  int empty_looks_ = 0;
  double last_look_ = 0;
  double falls_from_ = 0;  // the base of late, let down slowly
  double base_fell_at_ = -1e9;
  double last_history_ = 0;
  // Emptying the queue to see the base again, and what it takes to show.
  double empties_until_ = 0;
  double rests_until_ = 0;
  double last_cut_ = -1e9;
  double last_loss_ = -1e9;
  // Losses of a full buffer: the last one, our rate then, and since when they return.
  double filled_at_ = -1e9;
  double filled_rate_ = 0;
  double filling_since_ = 0;
  int heavy_losses_ = 0;  // with a queue, in the last 20 s
  double first_heavy_loss_ = -1e9;
  Finding finding_ = Finding::kNone;
};

}  // namespace farwheel
