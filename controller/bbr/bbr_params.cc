#include "bbr/bbr_params.h"

#include <array>
#include <charconv>
#include <type_traits>

namespace farwheel {
namespace {

struct Entry {
  std::string_view name;
  double BbrParams::*member;
  double least;
  double most;
};

// Bounds keep the model from dividing by nothing or sending without limit, not from bad taste.
constexpr Entry kEntries[] = {
    {"startup_pacing_gain", &BbrParams::startup_pacing_gain, 0.1, 10},
    {"startup_cwnd_gain", &BbrParams::startup_cwnd_gain, 0.1, 10},
    {"full_bw_growth", &BbrParams::full_bw_growth, 1, 10},
    {"full_bw_rounds", &BbrParams::full_bw_rounds, 1, 1000},
    {"startup_loss_ranges", &BbrParams::startup_loss_ranges, 1, 1000},
    {"initial_window_packets", &BbrParams::initial_window_packets, 4, 1000},
    {"initial_pacing_mbps", &BbrParams::initial_pacing_mbps, 0.001, 10000},
    {"drain_pacing_gain", &BbrParams::drain_pacing_gain, 0.1, 10},
    {"drain_rounds", &BbrParams::drain_rounds, 0, 1000},
    {"probe_up_gain", &BbrParams::probe_up_gain, 0.1, 10},
    {"probe_down_gain", &BbrParams::probe_down_gain, 0.1, 10},
    {"cwnd_gain", &BbrParams::cwnd_gain, 0.1, 10},
    {"probe_wait_base_ms", &BbrParams::probe_wait_base_ms, 0.1, 600000},
    {"probe_wait_random_ms", &BbrParams::probe_wait_random_ms, 0, 600000},
    {"reno_rounds", &BbrParams::reno_rounds, 1, 1000},
    {"probe_up_packets", &BbrParams::probe_up_packets, 0, 1000},
    {"probe_up_least_rounds", &BbrParams::probe_up_least_rounds, 0, 1000},
    {"probe_down_wait_share", &BbrParams::probe_down_wait_share, 0, 1},
    {"app_limited_up_rounds", &BbrParams::app_limited_up_rounds, 0, 1000},
    {"loss_threshold", &BbrParams::loss_threshold, 0, 1},
    {"beta", &BbrParams::beta, 0, 1},
    {"headroom", &BbrParams::headroom, 0, 1},
    {"min_cwnd_packets", &BbrParams::min_cwnd_packets, 4, 1000},
    {"extra_acked_rounds", &BbrParams::extra_acked_rounds, 1, 1000},
    {"window_packets", &BbrParams::window_packets, 0, 1000},
    {"ecn_alpha_gain", &BbrParams::ecn_alpha_gain, 0, 1},
    {"ecn_factor", &BbrParams::ecn_factor, 0, 1},
    {"ecn_threshold", &BbrParams::ecn_threshold, 0, 1},
    {"ecn_startup_rounds", &BbrParams::ecn_startup_rounds, 1, 1000},
    {"probe_rtt_interval_ms", &BbrParams::probe_rtt_interval_ms, 0.1, 600000},
    {"probe_rtt_duration_ms", &BbrParams::probe_rtt_duration_ms, 0.1, 600000},
    {"probe_rtt_cwnd_gain", &BbrParams::probe_rtt_cwnd_gain, 0.1, 10},
    {"min_rtt_window_ms", &BbrParams::min_rtt_window_ms, 0.1, 600000},
    {"min_rtt_margin", &BbrParams::min_rtt_margin, 0, 1},
    {"pacing_margin", &BbrParams::pacing_margin, 0, 1},
    {"min_pacing_mbps", &BbrParams::min_pacing_mbps, 0.001, 10000},
    {"paper_gain_min", &BbrParams::paper_gain_min, 0.1, 10},
    {"paper_gain_max", &BbrParams::paper_gain_max, 0.1, 10},
    {"paper_target_factor", &BbrParams::paper_target_factor, 0, 1},
    {"paper_gain_equal", &BbrParams::paper_gain_equal, 0.1, 10},
    {"paper_max_rtt_ms", &BbrParams::paper_max_rtt_ms, 0.1, 600000},
    {"threshold_floor_ms", &BbrParams::threshold_floor_ms, 0.1, 600000},
    {"threshold_most_ms", &BbrParams::threshold_most_ms, 0.1, 600000},
    {"threshold_noise", &BbrParams::threshold_noise, 0, 1000},
    {"queue_base_window_ms", &BbrParams::queue_base_window_ms, 0.1, 600000},
    {"startup_queue_ms", &BbrParams::startup_queue_ms, 0.1, 600000},
    {"app_limited_hold_ms", &BbrParams::app_limited_hold_ms, 0.1, 600000},
    {"train_stretched", &BbrParams::train_stretched, 0, 1},
    {"media_pacing_gain", &BbrParams::media_pacing_gain, 0.1, 10},
    {"media_stretched_gain", &BbrParams::media_stretched_gain, 0.1, 10},
    {"media_queue_gain", &BbrParams::media_queue_gain, 0.1, 10},
    {"media_share", &BbrParams::media_share, 0, 1},
    {"media_queue_ms", &BbrParams::media_queue_ms, 0.1, 600000},
    {"media_slack_ms", &BbrParams::media_slack_ms, 0, 1000},
    {"media_queue_packets", &BbrParams::media_queue_packets, 0, 100},
    {"media_free_drift", &BbrParams::media_free_drift, 0, 1},
    {"media_drift_kbps", &BbrParams::media_drift_kbps, 0, 10000},
    {"media_window_packets", &BbrParams::media_window_packets, 0, 100},
    {"media_drain_ms", &BbrParams::media_drain_ms, 0.1, 600000},
    {"media_growth_max", &BbrParams::media_growth_max, 0.1, 10},
    {"media_growth_ms", &BbrParams::media_growth_ms, 0.1, 600000},
    {"media_drift", &BbrParams::media_drift, 0, 1000},
    {"fbe_cluster_gap_ms", &BbrParams::fbe_cluster_gap_ms, 0.1, 600000},
    {"fbe_min_span_ms", &BbrParams::fbe_min_span_ms, 0.1, 600000},
    {"fbe_min_clusters", &BbrParams::fbe_min_clusters, 1, 1000},
    {"fbe_cross_traffic", &BbrParams::fbe_cross_traffic, 0, 1000},
    {"fbe_share", &BbrParams::fbe_share, 0, 1},
    {"fbe_min_confidence", &BbrParams::fbe_min_confidence, 0, 1},
    {"fbe_queue_ms", &BbrParams::fbe_queue_ms, 0.1, 600000},
    {"fbe_give_up_ms", &BbrParams::fbe_give_up_ms, 0.1, 600000},
    {"fbe_train_mbps", &BbrParams::fbe_train_mbps, 0.1, 10000},
    {"fbe_steered_rounds", &BbrParams::fbe_steered_rounds, 1, 1000},
    {"driver_high_ms", &BbrParams::driver_high_ms, 0.1, 600000},
    {"driver_low_ms", &BbrParams::driver_low_ms, 0.1, 600000},
    {"driver_freeze_ms", &BbrParams::driver_freeze_ms, 0.1, 600000},
    {"driver_cap_ms", &BbrParams::driver_cap_ms, 0.1, 600000},
    {"driver_backoff", &BbrParams::driver_backoff, 0, 1},
    {"silence_ms", &BbrParams::silence_ms, 0.1, 600000},
    {"silence_floor_ms", &BbrParams::silence_floor_ms, 0.1, 600000},
};

// A tunable whose values are words.
struct Choice {
  std::string_view name;
  std::array<std::string_view, 3> words;
  std::size_t (*get)(const BbrParams&);
  void (*put)(BbrParams&, std::size_t);
};

template <auto kMember>
constexpr Choice choice(std::string_view name, std::array<std::string_view, 3> words) {
  using Value = std::remove_cvref_t<decltype(BbrParams{}.*kMember)>;
  return {
      name, words,
      [](const BbrParams& params) { return static_cast<std::size_t>(params.*kMember); },
      [](BbrParams& params, std::size_t index) { params.*kMember = static_cast<Value>(index); }};
}

constexpr Choice kChoices[] = {
    choice<&BbrParams::min_rtt_rule>("min_rtt_rule", {"draft", "overwrite"}),
    choice<&BbrParams::inflight_count>("inflight_count", {"after", "before"}),
    choice<&BbrParams::precautionary_probe>("precautionary_probe", {"no", "yes"}),
    choice<&BbrParams::undo_spurious_loss>("undo_spurious_loss", {"no", "yes"}),
    choice<&BbrParams::paper_max_rtt>("paper_max_rtt", {"window", "lifetime", "after_startup"}),
    choice<&BbrParams::paper_threshold>("paper_threshold", {"both", "up", "cruise"}),
    choice<&BbrParams::paper_inflight>("paper_inflight", {"at_send", "now", "delivered"}),
    choice<&BbrParams::paper_cut>("paper_cut", {"report", "round"}),
    choice<&BbrParams::paper_now_rtt>("paper_now_rtt", {"net", "raw"}),
};

std::string number(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end.ptr);
}

const Entry* entry_named(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

const Choice* choice_named(std::string_view name) {
  for (const Choice& choice : kChoices) {
    if (choice.name == name) return &choice;
  }
  return nullptr;
}

std::string choose(BbrParams& params, const Choice& choice, std::string_view word) {
  std::string known;
  for (std::size_t i = 0; i < choice.words.size() && !choice.words[i].empty(); ++i) {
    if (choice.words[i] == word) {
      choice.put(params, i);
      return {};
    }
    known += (known.empty() ? "" : ", ") + std::string(choice.words[i]);
  }
  return "parameter '" + std::string(choice.name) + "' must be one of " + known + ", not '" +
         std::string(word) + "'";
}

std::string set_one(BbrParams& params, std::string_view pair) {
  const std::size_t equals = pair.find('=');
  const std::string_view name = pair.substr(0, equals);
  if (equals == std::string_view::npos) {
    if (const std::optional<ParamSet> set = parse_param_set(name)) {
      params.use(*set);
      return {};
    }
  } else if (const Choice* choice = choice_named(name)) {
    return choose(params, *choice, pair.substr(equals + 1));
  }
  const Entry* entry = entry_named(name);
  if (entry == nullptr) {
    return "no parameter is named '" + std::string(name) + "'; params() lists them";
  }
  if (equals == std::string_view::npos) {
    return "parameter '" + std::string(name) + "' needs a value: name=value";
  }
  const std::string_view text = pair.substr(equals + 1);
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) {
    return "parameter '" + std::string(name) + "': '" + std::string(text) + "' is not a number";
  }
  if (!(value >= entry->least && value <= entry->most)) {
    return "parameter '" + std::string(name) + "' must be between " + number(entry->least) +
           " and " + number(entry->most) + ", not " + number(value);
  }
  params.*entry->member = value;
  return {};
}

}  // namespace

std::string BbrParams::set(std::string_view text) {
  BbrParams changed = *this;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view pair = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (pair.empty()) continue;
    std::string fault = set_one(changed, pair);
    if (!fault.empty()) return fault;
  }
  *this = changed;
  return {};
}

void BbrParams::use(ParamSet set) {
  take_set(set, std::nullopt);
  set_was_named_ = true;
}

void BbrParams::rebase(ParamSet from, ParamSet to) {
  if (!set_was_named_) take_set(to, from);
}

// Only what the sets differ in belongs to them.
void BbrParams::take_set(ParamSet set, std::optional<ParamSet> only_where_still) {
  const BbrParams draft = of(ParamSet::kDraft);
  const BbrParams quiche = of(ParamSet::kQuiche2019);
  const BbrParams values = of(set);
  const BbrParams still = of(only_where_still.value_or(set));
  for (const Entry& entry : kEntries) {
    if (draft.*entry.member == quiche.*entry.member) continue;
    if (only_where_still && this->*entry.member != still.*entry.member) continue;
    this->*entry.member = values.*entry.member;
  }
  for (const Choice& choice : kChoices) {
    if (choice.get(draft) == choice.get(quiche)) continue;
    if (only_where_still && choice.get(*this) != choice.get(still)) continue;
    choice.put(*this, choice.get(values));
  }
}

std::string BbrParams::to_string() const {
  std::string text;
  for (const Entry& entry : kEntries) {
    if (!text.empty()) text += ',';
    text += std::string(entry.name) + '=' + number(this->*entry.member);
  }
  for (const Choice& choice : kChoices) {
    text += ',' + std::string(choice.name) + '=' + std::string(choice.words[choice.get(*this)]);
  }
  return text;
}

}  // namespace farwheel
