// What one run of the laboratory is: a link, the flows under test, and who else is on the link.
// Plain values, already checked by options/; times in seconds or milliseconds as the names say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace farwheel::lab {

// Sizes of measures.md: one RTP packet, and what it occupies at the bottleneck (IP, UDP, PPP).
inline constexpr std::int64_t kPayloadBytes = 1200;
inline constexpr std::int64_t kWireBytes = 1230;

// An uplink that may send only when it is granted a slot; a share of the grants comes late.
struct GrantModel {
  double slot_ms = 5;
  double harq_share = 0;
  double harq_ms = 0;
  // Mean wait that the grants alone impose: half a slot, and late grants with those behind them.
  double own_delay_ms() const;
};

struct Policer {
  double mbps = 5;
  std::int64_t bucket_bytes = 15000;
};

// A delay from a time on. For a route, what is added then; for the way back, what holds then.
struct DelayStep {
  double ms = 0;
  double at_s = 0;
};

struct LinkConfig {
  double rate_mbps = 5;
  double buffer_bdp = 10;
  std::string queue = "fifo";
  bool marks_ecn = false;
  double loss = 0;
  double cross_share = 0;  // of the rate, Poisson arrivals
  std::optional<GrantModel> grants;
  std::optional<Policer> policer;
  std::vector<DelayStep> route_steps;
  std::vector<DelayStep> reverse_steps;
  // 0: the wired dumbbell; 1 or 3: an LTE cell with so many phones in the place of its bottleneck.
  int lte_phones = 0;

  // What can pass at most, by rate and policer.
  double capacity_mbps() const;
};

struct FlowConfig {
  double rtt_ms = 50;
  std::string algorithm = "adaptive-bbr2";
  std::string startup = "fbe";
  std::string params;
  double start_s = 0;
  double jitter_ms = 0;
  double skew_ppm = 0;
  bool has_wifi = false;
};

enum class PeerKind { kCubic, kBbr, kReno };

struct PeerConfig {
  PeerKind kind = PeerKind::kCubic;
  std::optional<double> rtt_ms;  // empty: that of the first flow
  double start_s = 0;
  std::optional<double> stop_s;
};

struct TimeWindow {
  double from_s = 0;
  double to_s = 0;
};

struct RunConfig {
  LinkConfig link;
  std::vector<FlowConfig> flows;
  std::vector<PeerConfig> peers;
  double duration_s = 200;
  std::uint64_t seed = 1;
  std::string plugin;  // shared object behind algorithm "plugin"
  std::vector<TimeWindow> windows;
  std::string series_file;
  double series_step_s = 0.1;
  bool lists_events = false;
};

// One serialisation a hop and half the round trip, as measures.md defines it for the wired
// topology.
double path_owd_ms(const LinkConfig& link, const FlowConfig& flow);
std::int64_t buffer_bytes(const RunConfig& run);
const char* to_string(PeerKind kind);

}  // namespace farwheel::lab
