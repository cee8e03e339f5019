// Joins the rooms behind bbr/bbr_sender.h: the path and BBRv2's states, the paper's algorithms and
// adaptive-bbr2's rate, fast bandwidth estimation. It stands at the top because those rooms do not
// know each other. Its parts: bbr_sender_reports.cc (what comes in), bbr_sender_decisions.cc (what
// follows), bbr_sender.cc (the boundary).
#pragma once

#include <algorithm>
#include <bitset>
#include <optional>
#include <vector>

#include "adaptive/adaptive_rate.h"
#include "adaptive/paper_signals.h"
#include "adaptive/paper_threshold.h"
#include "adaptive/share_law.h"
#include "adaptive/standing_queue.h"
#include "adaptive/volatile_path.h"
#include "bbr/bbr_sender.h"
#include "bbr/state_machine.h"
#include "fbe/bulk_startup.h"
#include "fbe/driver_queue.h"
#include "fbe/fast_startup.h"
#include "fbe/packet_trains.h"

namespace farwheel {

// An application that had nothing to send this recently is not bulk: a camera's backlog drains
// soon, and its own law falls faster.
inline constexpr TimeDelta kBulkAfter = TimeDelta::from_millis(1500);
inline constexpr TimeDelta kLeastDelayWindow = TimeDelta::from_millis(10000);
inline constexpr TimeDelta kReportWaitWindow = TimeDelta::from_millis(1000);
// Loss lowered inflight_hi this recently: the bound stands, whatever the queue's delay says.
inline constexpr TimeDelta kLossBoundFor = TimeDelta::from_millis(5000);

class BbrSender::Impl {
 public:
  explicit Impl(const ControllerConfig& c)
      : config(c),
        start_bitrate(c.start_bitrate),
        model(std::max(c.max_packet_size, DataSize::from_bytes(100)), c.seed),
        machine(model, events),
        queue(ms(model.params.queue_base_window_ms)),
        law(model.mss) {
    model.params.rebase(ParamSet::kDraft, base_of(c.algorithm));
    events.reserve(kUsualEvents);
  }

  // The frame that an algorithm stands on, where no set is named.
  static ParamSet base_of(Algorithm algorithm) {
    return algorithm == Algorithm::kAdaptiveBbr2Paper ? ParamSet::kQuiche2019 : ParamSet::kDraft;
  }

  bool adaptive() const { return config.algorithm == Algorithm::kAdaptiveBbr2; }
  bool fills_the_path(Timestamp now) const {
    return now - app_limited_at > ms(model.params.app_limited_hold_ms);
  }
  PathModel::Windows rtt_windows() const {
    const BbrParams& p = model.params;
    if (p.min_rtt_rule == MinRttRule::kOverwrite) {
      return {TimeDelta::infinite(), TimeDelta::infinite()};
    }
    return {ms(p.probe_rtt_interval_ms), ms(p.min_rtt_window_ms)};
  }
  // adaptive-bbr2 measures the path with frames now.
  bool by_frames() const { return rate.started() && !by_law(); }
  // It fills the path, and the law of such flows holds the rate.
  bool by_law() const { return law.active(); }
  bool fbe_pending() const { return fbe_wanted && !fbe.done(); }
  // Start-up by trains of a flow that fills the path.
  bool bulk_pending() const { return fbe_pending() && !bulk.done() && fills_the_path(clock); }
  bool was_quiet(PacketNumber number) const { return quiet[slot_of(number)]; }
  void note_quiet(const SentPacket& packet, DataSize before);
  std::size_t slot_of(PacketNumber number) const {
    return static_cast<std::size_t>(number) % quiet.size();
  }
  FastStartup::Settings fbe_settings() const;
  BulkStartup::Settings bulk_settings() const;
  BulkStartup::Situation bulk_situation() const;
  DataRate fallback_bandwidth() const;
  // How far an encoder may jump on what was never verified.
  DataRate first_jump() const;
  bool bound_by_loss() const {
    return model.bounds.inflight_lo().is_finite() || clock - inflight_hi_lost_at < kLossBoundFor;
  }

  void take_packets(const RateSample& sample, const FeedbackReport& report);
  void on_train(Timestamp now, const TrainSample& sample);
  void advise(const RateSample& sample);
  void advise_by_paper(const RateSample& sample, bool was_over);
  void step_fbe(const RateSample& sample);
  void step_bulk(const RateSample& sample);
  void leave_startup(Timestamp now, DataRate rate_now);
  void step_rate(const RateSample& sample);
  void report_finding(Timestamp now);
  void watch_start(Timestamp now);
  void report_frames(Timestamp now, FrameCompetition::Change change);
  void step_paper(const RateSample& sample);
  void on_heard(Timestamp now);
  void check_silence(Timestamp now, std::optional<Timestamp> oldest);
  void set_silent(Timestamp now, bool value);
  void count_loss(const RateSample& sample);
  void restart(Timestamp now);

  DataRate pacing_rate() const {
    const DataRate least = DataRate::from_mbps(model.params.min_pacing_mbps);
    return std::max(std::min(model_pacing_rate(), driver.pacing_cap(clock)), least);
  }
  // Without the interface's bound.
  DataRate model_pacing_rate() const;
  DataSize cwnd() const;
  double recent_loss() const {
    const double counted = recent_lost + recent_delivered;
    return counted > 0 ? recent_lost / counted : 0;
  }
  DataRate media_rate() const;
  TimeDelta window_rtt() const;
  // Of what is in flight, the part that the path cannot hold without a queue.
  DataSize standing_in_flight(DataSize flying) const;
  LimitedBy limited_by() const;

  ControllerConfig config;
  DataRate start_bitrate;
  std::vector<ControllerEvent> events;
  BbrModel model;
  StateMachine machine;
  StandingQueue queue;
  PacketTrains trains;
  AdaptiveRate rate;
  VolatilePath volatility;
  ShareLaw law;
  PaperThreshold paper;
  PaperSignals paper_signals;
  FastStartup fbe;
  BulkStartup bulk;
  DriverQueue driver;
  bool fbe_wanted = config.startup == StartupKind::kFbe;

  Timestamp clock = Timestamp::infinite_past();
  Timestamp app_limited_at = Timestamp::infinite_past();
  bool filling = false;
  bool drains_startup = true;
  bool over_threshold = false;
  Timestamp over_threshold_at = Timestamp::infinite_past();
  Timestamp path_since = Timestamp::infinite_past();
  Timestamp inflight_hi_lost_at = Timestamp::infinite_past();
  DataSize inflight = DataSize::zero();
  DataSize standing_at_frame = DataSize::zero();
  DataSize sent = DataSize::zero();  // ever
  Timestamp last_packet_sent_at = Timestamp::infinite_past();
  // Whether a packet left with nothing of ours before it, by its number.
  std::bitset<4096> quiet;
  // The pacing rate never falls while start-up still looks for the pipe.
  DataRate startup_pacing = DataRate::zero();

  BucketedExtremum<TimeDelta, std::greater<>> report_wait{kReportWaitWindow};
  BucketedExtremum<TimeDelta, std::less<>> recent_rtt{kReportWaitWindow};
  // The way there without a queue, and that without a packet's own time, on the receiver's clock.
  BucketedExtremum<TimeDelta, std::less<>, 20> least_delay{kLeastDelayWindow};
  BucketedExtremum<TimeDelta, std::less<>, 20> empty_delay{kLeastDelayWindow};

  Timestamp heard_at = Timestamp::infinite_past();
  Timestamp first_heard_at = Timestamp::infinite_past();  // on this path
  bool start_watched = false;
  bool sharpens = false;
  bool silent = false;
  Timestamp silent_since = Timestamp::infinite_past();

  // Of the packets that reports should have named, those that none did.
  double unnamed = 0;
  double recent_lost = 0;
  double recent_delivered = 0;
  Timestamp loss_counted_at = Timestamp::infinite_past();
};

}  // namespace farwheel
