// The controller's one entry: events in, decisions out. Everything that decides when a packet of a
// vehicle leaves and how much its encoders may produce is behind this class. Pure (C++ standard
// library only), deterministic, not thread-safe: the caller serialises calls and passes the time.
// Time must not run backwards between calls; a call that does is treated as at the latest time seen.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controller_types.h"
#include "feedback/feedback_adapter.h"
#include "feedback/packet_result.h"
#include "pacing/feed_queues.h"
#include "units/data.h"

namespace farwheel {

class SendController {
 public:
  explicit SendController(const ControllerConfig& config);
  ~SendController();
  SendController(SendController&&) noexcept;
  SendController& operator=(SendController&&) noexcept;

  // ---- settings, changeable at any time
  void set_algorithm(Timestamp now, Algorithm);
  void set_startup(StartupKind);  // takes effect at the next start or path change
  // min <= max is the caller's duty; a reversed pair is swapped. The start applies until measured.
  void set_bitrate_bounds(Timestamp now, DataRate min, DataRate max);
  void set_start_bitrate(DataRate);
  // Overrides named tunables: "name=value[,name=value...]"; a bare "draft" or "quiche2019" takes
  // that set of BBRv2's frame. Returns an empty string, or what is wrong with which name (then
  // nothing is changed).
  [[nodiscard]] std::string set_params(std::string_view text);
  // Every tunable as "name=value,...", in the order of bbr_params.h, then of send_params.h.
  [[nodiscard]] std::string params() const;

  // ---- feeds
  void add_feed(Timestamp now, FeedId, const FeedConfig&);   // or changes it
  void remove_feed(Timestamp now, FeedId);                    // what it has queued is given back by take_drops()
  // What the encoder of a feed really produces is measured from what is queued.

  // ---- packets
  // A packet arrives from a payloader. May drop older units, or the packet itself: take_drops().
  void on_packet_queued(Timestamp now, const QueuedPacket& packet);
  // What to do now. After kSend the packet has left its queue: call on_packet_sent with its number
  // before it is pushed, since on a short path feedback is there sooner than the push returns. Call
  // again after kSend, at wake_at, and after each packet queued or report.
  [[nodiscard]] SendDecision next(Timestamp now);
  void on_packet_sent(const SentPacket& packet);
  // Everything queued is forgotten (flush); tokens are given back.
  [[nodiscard]] std::vector<std::uint64_t> flush(Timestamp now);

  // ---- feedback
  // `ecn_ce_count`: newly marked packets, where the transport carries ECN (the lab does).
  void on_feedback(Timestamp now, std::span<const ReportedPacket> report,
                   std::optional<std::int64_t> ecn_ce_count = std::nullopt);
  void on_driver_queue(Timestamp now, const DriverQueueReport&);
  // To be called at least every 25 ms while packets are in flight or queued: ageing, silence, timers.
  void on_tick(Timestamp now);
  // The path under the session is another one (handover, route change): model starts afresh.
  void on_path_changed(Timestamp now);

  // ---- decisions (each take_ empties what it gives)
  [[nodiscard]] std::vector<FeedTarget> targets() const;
  [[nodiscard]] std::vector<std::uint64_t> take_drops();
  [[nodiscard]] std::vector<FeedId> take_key_frame_requests();  // at most one a feed in 250 ms
  [[nodiscard]] std::vector<ControllerEvent> take_events();
  [[nodiscard]] ControllerSnapshot snapshot(Timestamp now) const;
  [[nodiscard]] FeedSnapshot feed_snapshot(Timestamp now, FeedId feed) const;
  const FeedbackCounters& feedback_counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace farwheel
