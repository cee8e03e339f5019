// The sets of BBRv2's tunables that have a name.
#include "bbr/bbr_params.h"

namespace farwheel {
namespace {

// BBRv2 as google/quiche had it in 2019 (bbr2_probe_bw.cc, bbr2_misc.cc), which the words of the
// Adaptive BBRv2 paper point to. What guards the other set is off on purpose: an expired min_rtt is
// overwritten by an RTT with queue in it, DRAIN lasts as long as it takes, UP may linger.
BbrParams quiche2019() {
  BbrParams p;
  p.startup_pacing_gain = 2.885;
  p.startup_cwnd_gain = 2.885;
  p.startup_loss_ranges = 8;
  p.drain_pacing_gain = 1 / 2.885;
  p.drain_rounds = 0;
  p.probe_down_gain = 0.75;
  p.probe_down_wait_share = 0.2;
  p.probe_up_least_rounds = 1;
  p.app_limited_up_rounds = 0;
  p.window_packets = 0;
  p.ecn_factor = 0;
  p.pacing_margin = 0;
  p.min_rtt_rule = MinRttRule::kOverwrite;
  p.inflight_count = InflightCount::kBefore;
  p.precautionary_probe = true;
  p.undo_spurious_loss = false;
  return p;
}

}  // namespace

BbrParams BbrParams::of(ParamSet set) {
  return set == ParamSet::kQuiche2019 ? quiche2019() : BbrParams();
}

std::string_view to_string(ParamSet set) {
  return set == ParamSet::kQuiche2019 ? "quiche2019" : "draft";
}

std::optional<ParamSet> parse_param_set(std::string_view name) {
  for (const ParamSet set : {ParamSet::kDraft, ParamSet::kQuiche2019}) {
    if (to_string(set) == name) return set;
  }
  return std::nullopt;
}

}  // namespace farwheel
