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
#include <variant>
#include <vector>

#include "feedback/feedback_adapter.h"
#include "feedback/packet_result.h"
#include "pacing/feed_queues.h"
#include "units/data.h"

namespace farwheel {

enum class Algorithm { kAdaptiveBbr2, kAdaptiveBbr2Paper, kBbr2 };
enum class StartupKind { kFbe, kClassic };

// BBRv2's states (draft-cardwell-iccrg-bbr-congestion-control-02 section 4.3), one name a phase.
enum class BbrState {
  kStartup,
  kDrain,
  kProbeBwDown,
  kProbeBwCruise,
  kProbeBwRefill,
  kProbeBwUp,
  kProbeRtt,
};

// What holds the target where it is.
enum class LimitedBy {
  kNothing,     // still unknown: no feedback yet
  kStartup,     // the path is not yet measured
  kBandwidth,   // the path's capacity
  kQueueDelay,  // a queueing-delay threshold (Algorithm 2)
  kLoss,        // inflight_hi/inflight_lo/bw_lo after loss
  kEncoder,     // the application: encoders at their maximum or below the target
  kDriverQueue, // the interface's own queue
  kSilence,     // no feedback
};

std::string_view to_string(Algorithm);
std::string_view to_string(StartupKind);
std::string_view to_string(BbrState);     // "startup", "drain", "probe_bw_down", ..., "probe_rtt"
std::string_view to_string(LimitedBy);    // "nothing", "startup", "bandwidth", "queue_delay", ...
std::optional<Algorithm> parse_algorithm(std::string_view nick);     // "adaptive-bbr2", ...
std::optional<StartupKind> parse_startup(std::string_view nick);     // "fbe", "classic"

struct ControllerConfig {
  Algorithm algorithm = Algorithm::kAdaptiveBbr2;
  StartupKind startup = StartupKind::kFbe;
  // Bounds of the sum of all feeds' targets.
  DataRate min_bitrate = DataRate::from_kbps(150);
  DataRate max_bitrate = DataRate::from_mbps(8);
  DataRate start_bitrate = DataRate::from_mbps(1);
  // Largest packet on the wire.
  DataSize max_packet_size = DataSize::from_bytes(1246);
  std::uint64_t seed = 1;
};

// One event for every change that a log, a gauge or a replay would want to know of.
struct StateChanged { BbrState from; BbrState to; };
struct FbeEstimated { DataRate estimate; double confidence; bool accepted; };
struct FramesDropped { FeedId feed; std::int64_t packets; };
struct KeyFrameWanted { FeedId feed; };
struct InflightBoundLowered { DataSize inflight_hi; LimitedBy why; };
struct SilenceChanged { bool silent; };
struct ControllerEvent {
  Timestamp at = Timestamp::infinite_past();
  std::variant<StateChanged, FbeEstimated, FramesDropped, KeyFrameWanted, InflightBoundLowered,
               SilenceChanged>
      what;
};
std::string to_string(const ControllerEvent&);  // one line, for logs and golden traces

struct FeedTarget { FeedId feed; DataRate bitrate; };

// The interface's own backlog below us (SIOCOUTQ + qdisc).
struct DriverQueueReport { DataSize backlog = DataSize::zero(); };

// What the pacer wants done now.
struct SendDecision {
  enum class Action { kSend, kWaitUntil, kIdle };
  Action action = Action::kIdle;
  std::uint64_t token = 0;                             // kSend
  Timestamp wake_at = Timestamp::infinite_future();    // kWaitUntil
};

// Everything a gauge may show; a plain copy.
struct ControllerSnapshot {
  BbrState state = BbrState::kStartup;
  LimitedBy limited_by = LimitedBy::kNothing;
  DataRate target = DataRate::zero();          // sum over feeds
  DataRate pacing_rate = DataRate::zero();
  DataRate bw = DataRate::zero();              // min(max_bw, bw_lo)
  DataRate max_bw = DataRate::zero();
  DataRate delivered_rate = DataRate::zero();  // recent, receiver's clock
  DataSize cwnd = DataSize::zero();
  DataSize inflight = DataSize::zero();
  std::optional<DataSize> inflight_hi;         // empty: unbounded
  std::optional<DataSize> inflight_lo;
  std::optional<DataRate> bw_lo;
  std::optional<TimeDelta> min_rtt;            // empty: not yet measured
  std::optional<TimeDelta> max_rtt;
  std::optional<TimeDelta> smoothed_rtt;
  std::optional<TimeDelta> latest_rtt;
  std::optional<TimeDelta> queue_delay;
  double loss = 0;                             // share of packets lost, last second or so
  std::optional<DataRate> fbe_estimate;
  double fbe_confidence = 0;                   // 0..1
  bool fbe_done = false;
  TimeDelta pacer_queue = TimeDelta::zero();   // what waits, at the pacing rate
  bool silent = false;
  bool app_limited = false;
  std::int64_t packets_sent = 0, packets_delivered = 0, packets_lost = 0, packets_unknown = 0;
  std::int64_t bytes_sent = 0, bytes_delivered = 0;
};

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
  // Overrides named tunables: "name=value[,name=value...]". Returns an empty string, or what is
  // wrong with which name (then nothing is changed).
  [[nodiscard]] std::string set_params(std::string_view text);
  // Every tunable as "name=value,...", in the order of bbr_params.h.
  [[nodiscard]] std::string params() const;

  // ---- feeds
  void add_feed(Timestamp now, FeedId, const FeedConfig&);   // or changes it
  void remove_feed(Timestamp now, FeedId);                    // its queue must be taken first
  // What the encoder of a feed really produces is measured from what is queued.

  // ---- packets
  // A packet arrives from a payloader. May drop older units; see drops().
  void on_packet_queued(Timestamp now, const QueuedPacket& packet);
  // What to do now. After kSend the packet counts as leaving: call on_packet_sent with its number.
  [[nodiscard]] SendDecision next(Timestamp now);
  void on_packet_sent(const SentPacket& packet);
  // Everything queued is forgotten (flush); tokens are given back.
  [[nodiscard]] std::vector<std::uint64_t> flush(Timestamp now);

  // ---- feedback
  void on_feedback(Timestamp now, std::span<const ReportedPacket> report);
  // Same, for callers that know the results already (the ns-3 lab with ECN).
  void on_driver_queue(Timestamp now, const DriverQueueReport&);
  // To be called at least every 25 ms while packets are in flight: ageing, silence, timers.
  void on_tick(Timestamp now);
  // The path under the session is another one (handover, route change): model starts afresh.
  void on_path_changed(Timestamp now);

  // ---- decisions (each take_ empties what it gives)
  [[nodiscard]] std::vector<FeedTarget> targets() const;
  [[nodiscard]] std::vector<std::uint64_t> take_drops();
  [[nodiscard]] std::vector<FeedId> take_key_frame_requests();  // at most one a feed in 250 ms
  [[nodiscard]] std::vector<ControllerEvent> take_events();
  [[nodiscard]] ControllerSnapshot snapshot(Timestamp now) const;
  const FeedbackCounters& feedback_counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace farwheel
