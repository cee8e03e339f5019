// The words between the controller and whoever runs it: settings, states, events, decisions, and
// the snapshot that gauges read. Plain values; every room of the controller may include them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "feedback/packet_result.h"
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
// The delay is another's, who fills queues: the law of shares no longer applies, or applies again.
struct CompetitionChanged { bool competing; TimeDelta queue; };
// A delay that stays though we gave way is the path's own: the queue is measured from it now.
struct BaseDelayLearnt {};
// Losses without a queue came back at one rate: held under it for a while.
struct PolicerFound { DataRate rate; };
// Larger IP packets vanish on this path while smaller ones arrive.
struct PacketSizeBounded { DataSize bound; };
// Of one list between two takings; no bound.
inline constexpr std::size_t kUsualEvents = 64;
struct ControllerEvent {
  Timestamp at = Timestamp::infinite_past();
  std::variant<StateChanged, FbeEstimated, FramesDropped, KeyFrameWanted, InflightBoundLowered,
               SilenceChanged, CompetitionChanged, BaseDelayLearnt, PolicerFound,
               PacketSizeBounded>
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
  // IP packets above it vanish: payloaders must make no larger ones. Empty: none known.
  std::optional<DataSize> packet_size_bound;
  bool silent = false;
  bool app_limited = false;
  std::int64_t packets_sent = 0, packets_delivered = 0, packets_lost = 0, packets_unknown = 0;
  std::int64_t bytes_sent = 0, bytes_delivered = 0;
};

// What one feed does, for gauges; rates on the wire over the last second.
struct FeedSnapshot {
  DataRate produced = DataRate::zero();  // by its encoder, as queued
  DataRate sent = DataRate::zero();
  DataSize queued = DataSize::zero();
  std::int64_t packets_sent = 0;
  std::int64_t units_dropped = 0;
  std::int64_t key_frames_requested = 0;
};

}  // namespace farwheel
