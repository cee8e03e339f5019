// The words by which settings and states are known outside: properties, logs, telemetry.
#include <array>
#include <utility>

#include "controller_types.h"

namespace farwheel {
namespace {

template <typename E, std::size_t N>
using Names = std::array<std::pair<E, std::string_view>, N>;

constexpr Names<Algorithm, 3> kAlgorithms{{{Algorithm::kAdaptiveBbr2, "adaptive-bbr2"},
                                           {Algorithm::kAdaptiveBbr2Paper, "adaptive-bbr2-paper"},
                                           {Algorithm::kBbr2, "bbr2"}}};
constexpr Names<StartupKind, 2> kStartups{
    {{StartupKind::kFbe, "fbe"}, {StartupKind::kClassic, "classic"}}};
constexpr Names<BbrState, 7> kStates{{{BbrState::kStartup, "startup"},
                                      {BbrState::kDrain, "drain"},
                                      {BbrState::kProbeBwDown, "probe_bw_down"},
                                      {BbrState::kProbeBwCruise, "probe_bw_cruise"},
                                      {BbrState::kProbeBwRefill, "probe_bw_refill"},
                                      {BbrState::kProbeBwUp, "probe_bw_up"},
                                      {BbrState::kProbeRtt, "probe_rtt"}}};
constexpr Names<LimitedBy, 8> kLimits{{{LimitedBy::kNothing, "nothing"},
                                       {LimitedBy::kStartup, "startup"},
                                       {LimitedBy::kBandwidth, "bandwidth"},
                                       {LimitedBy::kQueueDelay, "queue_delay"},
                                       {LimitedBy::kLoss, "loss"},
                                       {LimitedBy::kEncoder, "encoder"},
                                       {LimitedBy::kDriverQueue, "driver_queue"},
                                       {LimitedBy::kSilence, "silence"}}};

template <typename E, std::size_t N>
std::string_view name_of(const Names<E, N>& names, E value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  return "unknown";
}

template <typename E, std::size_t N>
std::optional<E> value_of(const Names<E, N>& names, std::string_view name) {
  for (const auto& [value, candidate] : names) {
    if (candidate == name) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Algorithm value) { return name_of(kAlgorithms, value); }
std::string_view to_string(StartupKind value) { return name_of(kStartups, value); }
std::string_view to_string(BbrState value) { return name_of(kStates, value); }
std::string_view to_string(LimitedBy value) { return name_of(kLimits, value); }
std::optional<Algorithm> parse_algorithm(std::string_view name) {
  return value_of(kAlgorithms, name);
}
std::optional<StartupKind> parse_startup(std::string_view name) {
  return value_of(kStartups, name);
}

}  // namespace farwheel
