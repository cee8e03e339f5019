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
#include "feedback/outage_losses.h"
#include "feedback/packet_size_watch.h"
#include "feedback/silence_watch.h"
#include "media/delivery_totals.h"
#include "media/feed_ledger.h"
#include "pacing/drop_journal.h"
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
  bool is_window_full(DataSize next) const;
  bool may_pass_window(Timestamp now) const;
  MediaBudget media_budget() const;
  LimitedBy limited_by(Timestamp now, LimitedBy model, std::span<const FeedTarget> targets) const;
  SendDecision send_from(Timestamp now, Lane lane);
  std::optional<Timestamp> held_until(Timestamp now, const QueuedPacket& head) const;
  void apply_params();
  void expire(Timestamp now);
  void collect_drops(Timestamp now);
  void end_silence(Timestamp now, TimeDelta lasted);
  void update_silence(Timestamp now);
  void hand_over(Timestamp now, const FeedbackReport& report);
  void bound_packet_size(Timestamp now, DataSize bound);
  void restart_cameras(Timestamp now, Timestamp fresh);

  ControllerConfig config_;
  SendParams params_;
  BbrSender bbr_;
  FeedbackAdapter adapter_;
  SilenceWatch silence_;
  FeedQueues queues_;
  Pacer pacer_;
  FeedLedger ledger_;

  OutageLosses outage_;
  PacketSizeWatch sizes_;
  DropJournal journal_;
  DeliveryTotals totals_;

  Drops drops_;  // of the call in hand
  std::vector<ControllerEvent> events_;
  Timestamp last_sent_ = Timestamp::infinite_past();
  // Until a report comes on this path: since when we send on it, and how much.
  bool heard_on_path_ = false;
  Timestamp unheard_since_ = Timestamp::infinite_past();
  Timestamp last_heard_ = Timestamp::infinite_past();
  DataSize unheard_size_ = DataSize::zero();
  // The interface's queue is known, and to be kept short.
  bool reads_driver_queue_ = false;
  // The packet that left last bears no number that a report could name.
  bool last_is_unnumbered_ = false;
};

}  // namespace farwheel
