// Every tunable of the model, grouped, with its source. Times are in ms, rates in Mbit/s unless the
// name says otherwise; gains and shares are ratios. params()/set_params() know each by its name.
//
// "draft": draft-cardwell-iccrg-bbr-congestion-control-02. "draft-06": draft-ietf-ccwg-bbr-06.
// "paper": Adaptive BBRv2. Others as named; "ours": chosen here, measured with tests/unit/model.
// The values here are the set "draft"; bbr_param_sets.cc has the other one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "units/time.h"

namespace farwheel {

// A parameter set by name: what BBRv2's frame is to be like.
enum class ParamSet { kDraft, kQuiche2019 };

// What the paper leaves open, each a parameter of its own.
enum class MinRttRule { kDraft, kOverwrite };
enum class InflightCount { kAfter, kBefore };
enum class MaxRttLife { kWindow, kLifetime, kAfterStartup };
enum class ThresholdIn { kBoth, kUp, kCruise };
enum class PaperInflight { kAtSend, kNow, kDelivered };
enum class PaperCut { kEachReport, kEachRound };
enum class PaperRtt { kNetOfReports, kRaw };

struct BbrParams {
  // ---- start-up
  double startup_pacing_gain = 2.77;   // draft 4.3.1: 4 ln 2
  double startup_cwnd_gain = 2.0;      // draft 4.3.1
  double full_bw_growth = 1.25;        // draft 4.3.1.2
  double full_bw_rounds = 3;           // draft 4.3.1.2
  double startup_loss_ranges = 3;      // draft 4.3.1.3
  double initial_window_packets = 10;  // RFC 6928
  double initial_pacing_mbps = 20;     // ours: the first window is a train of 5 ms, not a burst
  // ---- drain
  double drain_pacing_gain = 0.5;  // draft 4.3.2: 1 / startup_cwnd_gain
  double drain_rounds = 3;         // draft-06 5.3.2: never longer; 0: without a limit
  // ---- probe_bw
  double probe_up_gain = 1.25;         // draft 4.3.3
  double probe_down_gain = 0.9;        // draft 4.3.3
  double cwnd_gain = 2.0;              // draft 4.3.3
  double probe_wait_base_ms = 2000;    // draft 4.3.3.5
  double probe_wait_random_ms = 1000;  // draft 4.3.3.5
  double reno_rounds = 63;             // draft 4.3.3.5
  double probe_up_packets = 2;         // draft 4.6.4.2: allowance beyond the BDP in UP
  double probe_up_least_rounds = 0;    // quiche: whole rounds before UP may end; 0: one min_rtt
  double probe_down_wait_share = 0;    // quiche: of the wait for a probe; 0: only when drained
  double app_limited_up_rounds = 3;    // ours: UP may not linger; 0: as the draft, for ever
  // ---- bounds
  double loss_threshold = 0.02;    // draft 2.8: BBRLossThresh
  double beta = 0.7;               // draft 2.8: BBRBeta
  double headroom = 0.15;          // draft 2.8, read as a share kept free
  double min_cwnd_packets = 4;     // draft 2.7: BBRMinPipeCwnd
  double extra_acked_rounds = 10;  // draft 2.12
  double window_packets = 1;       // ours: a window that is no multiple of a packet never fills
  // ---- ECN (Linux v2alpha; no draft specifies it)
  double ecn_alpha_gain = 0.0625;  // weight of a round in the share of marked packets
  double ecn_factor = 0.333;       // inflight_lo falls by this times that share; 0: no response
  double ecn_threshold = 0.5;      // marked share of a flight that means inflight is too high
  double ecn_startup_rounds = 2;   // rounds over the threshold that end start-up
  // ---- probe_rtt
  double probe_rtt_interval_ms = 5000;  // draft 4.3.4
  double probe_rtt_duration_ms = 200;   // draft 4.3.4
  double probe_rtt_cwnd_gain = 0.5;     // draft 4.3.4
  double min_rtt_window_ms = 10000;     // draft 4.3.4
  double min_rtt_margin = 0.05;         // picoquic: seen again within this, no probe is needed
  // ---- pacing
  double pacing_margin = 0.01;    // draft 4.6.2
  double min_pacing_mbps = 0.05;  // ours
  // ---- the paper's algorithms
  double paper_gain_min = 1.1;       // paper, Algorithm 1
  double paper_gain_max = 1.5;       // paper, Algorithm 1
  double paper_target_factor = 0.7;  // paper, Algorithm 2
  double paper_gain_equal = 1.1;     // ours: where MaxRtt is MinRtt the formula has no value
  double paper_max_rtt_ms = 10000;   // ours: window of MaxRtt
  // ---- adaptive-bbr2: standing queue and share
  double threshold_floor_ms = 5;        // ours: above receiver stamps' rounding and ordinary jitter
  double threshold_most_ms = 10;        // ours: a deep queue once seen must not excuse the next
  double threshold_noise = 1.0;         // ours: times the measured noise
  double queue_base_window_ms = 10000;  // real-links.md section 2
  double startup_queue_ms = 8;          // ours: a round's least queue that ends start-up
  // ---- application-limited flows
  double app_limited_hold_ms = 300;  // ours: so long after the pacer last ran empty
  double train_stretched = 0.9;      // media-law.md: arrival rate under this share of the send rate
  double media_pacing_gain = 1.5;    // SCReAM v2: a frame leaves well within its interval
  double media_stretched_gain = 1.2;  // media-law.md
  double media_queue_gain = 0.9;      // media-law.md
  double media_share = 1;             // ours: of the capacity; the queue that stands takes the rest
  double media_queue_ms = 8;          // ours: standing queue that lowers the capacity
  double media_slack_ms = 4;          // ours: what may stand in the network when a frame begins
  double media_queue_packets = 2;     // ours: packets of our own that may stand as well
  double media_window_packets = 32;  // ours: a standing queue is the least delay of so many
  double media_drain_ms = 170;       // media-law.md: what stands drains in this time
  double media_growth_max = 2.0;     // ours: of the capacity in a growth interval
  double media_growth_ms = 200;      // ours
  // Growth in 100 ms while the path shows no queue: of the rate, and the same for every flow, which
  // makes shares equal. media-law.md has 0.08 of the rate.
  double media_drift = 0.01;      // ours
  double media_drift_kbps = 100;  // ours
  double media_free_drift = 0.2;  // ours: of the rate, where no bottleneck was seen for a second
  // ---- fast bandwidth estimation
  double fbe_cluster_gap_ms = 1;    // congestion-control.md 2.1: four receiver ticks
  double fbe_min_span_ms = 15;      // real-links.md section 3
  double fbe_min_clusters = 3;      // real-links.md section 3
  double fbe_cross_traffic = 1.5;   // congestion-control.md 2.1 rule 4
  double fbe_share = 0.9;           // congestion-control.md 2.1 rule 6
  double fbe_min_confidence = 0.7;  // congestion-control.md 2.1 rule 7
  double fbe_queue_ms = 10;         // congestion-control.md 2.1 rule 7
  double fbe_give_up_ms = 600;      // ours: by then it ends with what it has
  double fbe_train_mbps = 1000;     // lab-scenarios.md section 7: the first window leaves at once
  double fbe_steered_rounds = 8;    // lab-scenarios.md section 7
  // ---- the interface's queue
  double driver_high_ms = 8;     // congestion-control.md 2.1 rule 8
  double driver_low_ms = 1;      // congestion-control.md 2.1 rule 8
  double driver_freeze_ms = 40;  // congestion-control.md 2.1 rule 8
  double driver_cap_ms = 100;    // congestion-control.md 2.1 rule 8
  double driver_backoff = 0.9;   // congestion-control.md 2.1 rule 8
  // ---- silence
  double silence_ms = 100;        // real-links.md section 4
  double silence_floor_ms = 250;  // media-law.md: from then on the least rate
  // ---- rules that are words
  // "draft": 4.3.4.4. "overwrite": an expired min_rtt becomes the RTT of the moment (quiche).
  MinRttRule min_rtt_rule = MinRttRule::kDraft;
  // The volume in flight that UP and DOWN go by: after a report was taken off, or before (quiche).
  InflightCount inflight_count = InflightCount::kAfter;
  // Going past inflight_hi again right after a probe that was too high is given up at once and
  // tried afresh a round later (quiche, Linux v2alpha, draft-06 5.3.3.4 "precautionary").
  bool precautionary_probe = false;
  // Losses that all arrive after all are taken back (draft-06 5.5.11).
  bool undo_spurious_loss = true;
  MaxRttLife paper_max_rtt = MaxRttLife::kWindow;
  ThresholdIn paper_threshold = ThresholdIn::kBoth;
  PaperInflight paper_inflight = PaperInflight::kAtSend;
  PaperCut paper_cut = PaperCut::kEachReport;
  // NowRtt as reported, or less what the way of reporting added to it.
  PaperRtt paper_now_rtt = PaperRtt::kNetOfReports;

  // "name=value,name=value"; the bare name of a set ("draft", "quiche2019") puts the frame's
  // tunables to that set's values. Empty on success, else what is wrong, and nothing is changed.
  [[nodiscard]] std::string set(std::string_view text);
  static BbrParams of(ParamSet set);
  void use(ParamSet set);
  // What still stands as `from` has it goes over to `to`, unless set() was given a set by name.
  void rebase(ParamSet from, ParamSet to);
  // All of them, in the order above.
  std::string to_string() const;

 private:
  void take_set(ParamSet set, std::optional<ParamSet> only_where_still);
  bool set_was_named_ = false;
};

std::string_view to_string(ParamSet);
std::optional<ParamSet> parse_param_set(std::string_view name);  // "draft", "quiche2019"

// A time parameter as a span.
inline TimeDelta ms(double value) {
  return TimeDelta::from_seconds(value / 1e3);
}

}  // namespace farwheel
