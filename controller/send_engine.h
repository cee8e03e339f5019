// Behind SendController: queues, pacer, feedback, path model and media targets put together, and
// the rules that join them: what silence holds back, what is dropped, who is asked for a key frame.
// Pure, deterministic, not thread-safe; times never run backwards (SendController sees to that).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bbr/bbr_sender.h"
#include "controller_types.h"
#include "feedback/feedback_adapter.h"
#include "feedback/silence_watch.h"
#include "media/feed_ledger.h"
#include "media/windowed_sum.h"
#include "pacing/feed_queues.h"
#include "pacing/pacer.h"
#include "send_params.h"

namespace farwheel {

class SendEngine {
 public:
  explicit SendEngine(const ControllerConfig& config);

  void set_algorithm(Timestamp now, Algorithm algorithm);
  void set_startup(StartupKind startup);
  void set_bitrate_bounds(DataRate min, DataRate max);
  void set_start_bitrate(DataRate rate);
  std::string set_params(std::string_view text);
  std::string params() const;

  void add_feed(FeedId feed, const FeedConfig& config);
  void remove_feed(Timestamp now, FeedId feed);

  void on_packet_queued(Timestamp now, const QueuedPacket& packet);
  SendDecision next(Timestamp now);
  void on_packet_sent(const SentPacket& packet);
  std::vector<std::uint64_t> flush();
  void on_feedback(Timestamp now, std::span<const ReportedPacket> report,
                   std::optional<std::int64_t> ecn_ce_count);
  void on_driver_queue(Timestamp now, const DriverQueueReport& report);
  void on_tick(Timestamp now);
  void on_path_changed(Timestamp now);

  std::vector<FeedTarget> targets(Timestamp now) const;
  std::vector<std::uint64_t> take_drops();
  std::vector<FeedId> take_key_frame_requests();
  std::vector<ControllerEvent> take_events();
  ControllerSnapshot snapshot(Timestamp now) const;
  FeedSnapshot feed_snapshot(Timestamp now, FeedId feed) const;
  const FeedbackCounters& feedback_counters() const { return adapter_.counters(); }

 private:
  using Phase = SilenceWatch::Phase;

  SilenceWatch::InFlight in_flight() const;
  TimeDelta trickle_interval() const;
  DataRate pacing_rate(Timestamp now) const;
  MediaBudget media_budget() const;
  LimitedBy limited_by(Timestamp now, LimitedBy model, std::span<const FeedTarget> targets) const;
  SendDecision send_from(Timestamp now, Lane lane);
  std::optional<Timestamp> held_until(Timestamp now, const QueuedPacket& head) const;
  void apply_params();
  void expire(Timestamp now);
  void collect_drops(Timestamp now);
  void report_drops(Timestamp now);
  void end_silence(Timestamp now, TimeDelta lasted);
  void update_silence(Timestamp now);
  void hand_over(Timestamp now, const FeedbackReport& report);
  void count(Timestamp now, const PacketResult& result);
  void add_event(ControllerEvent event);

  ControllerConfig config_;
  SendParams params_;
  BbrSender bbr_;
  FeedbackAdapter adapter_;
  SilenceWatch silence_;
  FeedQueues queues_;
  Pacer pacer_;
  FeedLedger ledger_;

  Drops drops_;  // of the call in hand
  std::vector<std::uint64_t> dropped_tokens_;
  std::vector<FeedId> key_requests_;
  std::vector<ControllerEvent> events_;
  std::vector<FramesDropped> unreported_drops_;
  Timestamp drops_reported_at_ = Timestamp::infinite_past();

  Timestamp last_sent_ = Timestamp::infinite_past();
  // Losses of packets sent in this span are the outage's and no sign of congestion.
  Timestamp excused_from_ = Timestamp::infinite_future();
  Timestamp excused_until_ = Timestamp::infinite_past();
  FeedbackReport excused_;  // a report with such losses taken out

  WindowedSum recent_delivered_{TimeDelta::from_seconds(1)};
  WindowedSum recent_lost_{TimeDelta::from_seconds(1)};
  WindowedSum recent_bytes_{TimeDelta::from_seconds(1)};
  std::int64_t packets_sent_ = 0, packets_delivered_ = 0, packets_lost_ = 0, packets_unknown_ = 0;
  std::int64_t bytes_sent_ = 0, bytes_delivered_ = 0;
};

}  // namespace farwheel
