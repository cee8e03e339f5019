#include "bbr/state_machine.h"

#include <algorithm>

namespace farwheel {
namespace {
bool in_probe_bw(BbrState state) {
  return state == BbrState::kProbeBwDown || state == BbrState::kProbeBwCruise ||
         state == BbrState::kProbeBwRefill || state == BbrState::kProbeBwUp;
}
}  // namespace

StateMachine::StateMachine(BbrModel& model, std::vector<ControllerEvent>& events)
    : model_(model), events_(events) {
  startup_.enter(model_);
  model_.cwnd = model_.mss * model_.params.initial_window_packets;
}

bool StateMachine::probing_bandwidth() const {
  return state_ == BbrState::kStartup || state_ == BbrState::kProbeBwRefill ||
         state_ == BbrState::kProbeBwUp;
}

void StateMachine::change_to(BbrState next, Timestamp now) {
  if (next == state_) return;
  const BbrState from = state_;
  state_ = next;
  switch (next) {
    case BbrState::kStartup:
      startup_.enter(model_);
      break;
    case BbrState::kDrain:
      drain_.enter(model_);
      break;
    case BbrState::kProbeRtt:
      probe_rtt_.enter(model_, from);
      break;
    default:
      probe_bw_.enter(model_, from, next, now);
      break;
  }
  events_.push_back(ControllerEvent{now, StateChanged{from, next}});
}

// draft-ietf-ccwg-bbr-06, section 5.5.11. A state that ended for another reason stays ended.
void StateMachine::undo(const SpuriousLoss::Saved& saved, Timestamp now) {
  model_.bounds.undo_to(saved.bounds);
  if (state_ == BbrState::kProbeRtt || state_ == saved.state) return;
  if (saved.state == BbrState::kStartup && model_.full_pipe.filled_by_congestion()) {
    model_.full_pipe.reset();
    change_to(BbrState::kStartup, now);
  } else if (saved.state == BbrState::kProbeBwUp && state_ == BbrState::kProbeBwDown &&
             probe_bw_.probe_ended_by_loss()) {
    change_to(BbrState::kProbeBwUp, now);
  }
}

void StateMachine::on_report(const RateSample& sample) {
  model_.ecn.on_report(model_.params, sample);
  const std::optional<SpuriousLoss::Saved> saved =
      spurious_loss_.on_report(sample, model_.path.round(), state_, model_.bounds);
  update_bandwidth(sample);
  update_lower_bounds(sample);

  const bool was_down = state_ == BbrState::kProbeBwDown;
  std::optional<BbrState> next;
  if (state_ == BbrState::kStartup) {
    next = startup_.on_report(model_, sample);
  } else if (state_ == BbrState::kDrain) {
    next = drain_.on_report(model_, sample);
  } else if (in_probe_bw(state_)) {
    next = probe_bw_.on_report(model_, state_, sample);
    if (probe_bw_.lowered_inflight_hi()) {
      events_.push_back(ControllerEvent{
          sample.now, InflightBoundLowered{model_.bounds.inflight_hi(), LimitedBy::kLoss}});
    }
  }
  if (next) change_to(*next, sample.now);
  if (saved && model_.params.undo_spurious_loss) undo(*saved, sample.now);

  if (state_ == BbrState::kProbeRtt) {
    if (std::optional<BbrState> after = probe_rtt_.on_report(model_, sample)) {
      change_to(*after, sample.now);
    }
  } else if (ProbeRtt::wanted(model_, sample) ||
             (was_down && next && ProbeRtt::wanted_after_down(model_, sample))) {
    change_to(BbrState::kProbeRtt, sample.now);
  }
  if (sample.has_delivery) model_.idle_restart = false;
  update_window(sample);
}

void StateMachine::on_time(Timestamp now) {
  if (state_ != BbrState::kProbeRtt) return;
  if (std::optional<BbrState> next = probe_rtt_.on_time(model_, now)) change_to(*next, now);
}

// Section 4.4.3.
void StateMachine::on_restart_from_idle(Timestamp now) {
  model_.idle_restart = true;
  model_.aggregation.restart(now);
  if (in_probe_bw(state_)) model_.pacing_gain = 1;
  if (state_ != BbrState::kProbeRtt) return;
  if (std::optional<BbrState> next = probe_rtt_.on_restart_from_idle(model_, now)) {
    change_to(*next, now);
  }
}

void StateMachine::finish_startup(Timestamp now) {
  model_.full_pipe.set_filled();
  if (state_ == BbrState::kStartup) change_to(BbrState::kDrain, now);
}

void StateMachine::restart(Timestamp now) {
  model_.path.on_path_changed();
  model_.max_bw.reset(DataRate::zero());
  model_.bounds.reset_all();
  model_.full_pipe.reset();
  model_.aggregation = AckAggregation();
  model_.ecn.reset();
  spurious_loss_.reset();
  model_.advice = Advice{};
  model_.cwnd = model_.mss * model_.params.initial_window_packets;
  change_to(BbrState::kStartup, now);
}

// Sections 4.5.2.3 and 4.5.2.4: application-limited samples say what was offered, so they may only
// raise.
void StateMachine::update_bandwidth(const RateSample& sample) {
  if (sample.delivery_rate &&
      (!sample.is_app_limited || *sample.delivery_rate >= model_.max_bw.value())) {
    model_.max_bw.update(*sample.delivery_rate);
  }
  const double rounds = model_.full_pipe.filled() ? model_.params.extra_acked_rounds : 2;
  if (sample.has_delivery && !model_.max_bw.value().is_zero()) {
    model_.aggregation.on_report(sample.now, model_.path.round(), sample.newly_delivered,
                                 model_.bw(), model_.cwnd, static_cast<std::int64_t>(rounds));
  }
}

// Section 4.5.6.3: once a round of loss counting, not while probing.
void StateMachine::update_lower_bounds(const RateSample& sample) {
  if (!model_.bounds.on_report(sample, model_.path.delivered())) return;
  if (!probing_bandwidth()) {
    model_.bounds.adapt_lower(model_.params,
                              {model_.advice.lower_bounds_loss, model_.ecn.cut(model_.params)},
                              model_.bandwidth(), model_.cwnd);
  }
  model_.bounds.advance(sample);
}

// Sections 4.6.4.2 and 4.6.4.6.
void StateMachine::update_window(const RateSample& sample) {
  const DataSize model_window = model_.bdp(model_.bw(), model_.cwnd_gain);
  if (model_window.is_finite()) {
    const double extra = state_ == BbrState::kProbeBwUp ? std::max(model_.params.window_packets,
                                                                   model_.params.probe_up_packets)
                                                        : model_.params.window_packets;
    const DataSize most = std::max(
        model_window + model_.aggregation.extra_acked() + model_.mss * extra, model_.min_cwnd());
    if (model_.full_pipe.filled()) {
      model_.cwnd = std::min(model_.cwnd + sample.newly_delivered, most);
    } else if (model_.cwnd < most ||
               model_.path.delivered() < model_.mss * model_.params.initial_window_packets) {
      model_.cwnd += sample.newly_delivered;
    }
  }
  DataSize cap = window_cap();
  if (state_ == BbrState::kProbeRtt) cap = std::min(cap, ProbeRtt::window(model_));
  model_.cwnd = std::max(std::min(model_.cwnd, cap), model_.min_cwnd());
}

// Section 4.6.4.7.
DataSize StateMachine::window_cap() const {
  DataSize cap = DataSize::infinite();
  if (state_ == BbrState::kProbeRtt || state_ == BbrState::kProbeBwCruise) {
    cap = model_.bounds.inflight_with_headroom(model_.params, model_.mss);
  } else if (in_probe_bw(state_)) {
    cap = model_.bounds.inflight_hi();
  }
  return std::min(cap, model_.bounds.inflight_lo());
}

}  // namespace farwheel
