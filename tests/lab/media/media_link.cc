#include "media/media_link.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace farwheel::lab::media {
namespace {

// How much later than its place in the order a reordered packet comes.
constexpr TimeDelta kReordered = TimeDelta::from_millis(10);

TimeDelta millis(double ms) {
  return TimeDelta::from_nanos(std::llround(ms * 1e6));
}

}  // namespace

MediaLink::MediaLink(sim::EventQueue& events, const LinkCapacity& capacity,
                     const MediaConfig& config)
    : events_(events),
      capacity_(capacity),
      config_(config),
      loss_random_(config.seed * 7919 + 11),
      jitter_random_(config.seed * 104729 + 13),
      back_random_(config.seed * 1299709 + 17) {}

std::size_t MediaLink::add_flow(double rtt_ms, Arrival arrive) {
  flows_.push_back({.half_rtt = millis(rtt_ms / 2), .arrive = std::move(arrive)});
  return flows_.size() - 1;
}

bool MediaLink::silent() const {
  const double t = events_.now().seconds();
  return std::any_of(config_.silences.begin(), config_.silences.end(),
                     [t](const Silence& s) { return s.contains(t); });
}

TimeDelta MediaLink::extra_delay(const std::vector<DelayStep>& steps) const {
  double ms = 0;
  for (const DelayStep& step : steps) {
    if (events_.now().seconds() >= step.at_s) ms = step.ms;
  }
  return millis(ms);
}

double MediaLink::queue_limit() const {
  if (!config_.trace.empty()) return config_.buffer_kb * 1000;
  const double rate = capacity_.bytes_per_second(events_.now());
  if (rate > 0) last_rate_ = rate;
  return last_rate_ * config_.buffer_ms / 1e3;
}

std::int64_t MediaLink::queued_bytes() {
  while (!queue_.empty() && queue_.front().departs <= events_.now()) {
    queued_bytes_ -= queue_.front().bytes;
    queue_.pop_front();
  }
  return queued_bytes_;
}

bool MediaLink::send(std::size_t index, std::int64_t packet, std::int64_t bytes) {
  Flow& flow = flows_[index];
  ++flow.counters.sent;
  if (silent()) {
    ++flow.counters.lost_in_silence;
    return false;
  }
  const std::int64_t wire = bytes + kOverhead;
  const std::int64_t standing = queued_bytes();
  // One packet always finds room.
  if (standing > 0 && static_cast<double>(standing + wire) > queue_limit()) {
    ++flow.counters.dropped_by_queue;
    return false;
  }
  const Departure departure = capacity_.serve(service_, events_.now(), wire);
  queue_.push_back({departure.at, wire});
  queued_bytes_ += wire;
  if (loss_random_.uniform() < config_.loss) {
    ++flow.counters.lost_at_random;
    return true;
  }
  Timestamp arrival =
      departure.at + departure.repeat + flow.half_rtt + extra_delay(config_.forward_delay);
  if (config_.jitter_ms > 0) {
    arrival += millis(-config_.jitter_ms * std::log(1 - jitter_random_.uniform()));
  }
  if (config_.reordering > 0 && jitter_random_.uniform() < config_.reordering) {
    arrival += kReordered;
  } else {
    flow.last_arrival = arrival = std::max(arrival, flow.last_arrival);
  }
  events_.at(arrival, [this, index, packet] {
    ++flows_[index].counters.delivered;
    flows_[index].arrive(packet);
  });
  return true;
}

void MediaLink::send_back(std::size_t index, std::function<void()> arrive) {
  if (silent() || back_random_.uniform() < config_.feedback_loss) return;
  events_.after(flows_[index].half_rtt + extra_delay(config_.reverse_delay), std::move(arrive));
}

}  // namespace farwheel::lab::media
