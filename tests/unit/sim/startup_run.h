// One bulk flow's first seconds over a bottleneck of its own, idle or with Poisson cross traffic,
// an uplink of slots, or a rate that changes: when it converged, when so many bytes were there, the
// longest queue, loss and the estimate. The measures are those of farwheel-lab's `startup`.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "sim/experiment.h"

namespace farwheel::sim {

struct StartupCase {
  double mbps = 20;
  double rtt_ms = 50;
  double buffer_bdp = 1;
  // Share of the link that Poisson packets of others take.
  double cross = 0;
  double slot_ms = 0;
  double harq = 0;
  double jitter_ms = 0;
  TimeDelta report_interval = TimeDelta::zero();
  // The local link is halved then, and its queue is read every 10 ms and after each report, as
  // rtpbbrcc does; zero: neither.
  double halve_at_s = 0;
  std::int64_t bytes = 524288;
  Algorithm algorithm = Algorithm::kAdaptiveBbr2;
  StartupKind startup = StartupKind::kFbe;
  std::uint64_t seed = 1;
};

struct StartupResult {
  std::optional<double> convergence_ms;
  std::optional<double> fct_ms;
  double max_queue_ms = 0;         // within the first 12 round trips
  double max_queue_halved_ms = 0;  // from the halving on, at the halved rate
  double estimate_mbps = 0;
  double confidence = 0;
  double estimated_at_ms = 0;
  std::int64_t packets_lost = 0;  // within the first 12 round trips, ours
  BbrState state = BbrState::kStartup;
};

class StartupRun {
 public:
  explicit StartupRun(const StartupCase& c) : case_(c), run_(link_of(c)), random_(c.seed * 77) {
    FlowConfig flow;
    flow.rtt = TimeDelta::from_seconds(c.rtt_ms / 1e3);
    flow.jitter = TimeDelta::from_seconds(c.jitter_ms / 1e3);
    flow.report_interval = c.report_interval;
    ControllerConfig config;
    config.algorithm = c.algorithm;
    config.startup = c.startup;
    config.max_bitrate = DataRate::from_mbps(1000);
    config.seed = c.seed;
    ours_ = &run_.add(flow, config);
    run_.link.watch_arrivals(ours_->index(), [this](const SentPacket& packet, Timestamp at) {
      arrivals_.push_back({(at - start_).ms(), packet.size.bytes() - kHeaders});
    });
  }

  StartupResult measure() {
    if (case_.cross > 0) start_cross();
    // Not in step with the receiver's clock or the grants.
    start_ = Timestamp::from_seconds(0.05 + random_.uniform() * 0.02);
    ours_->start_bulk(start_);
    const double seconds = std::max(
        {2.0, case_.rtt_ms * 0.03, static_cast<double>(case_.bytes) * 1.2e-5 / case_.mbps});
    const Timestamp watch_until = start_ + TimeDelta::from_seconds(case_.rtt_ms * 12 / 1e3);
    if (case_.halve_at_s > 0) {
      run_.events.at(start_ + TimeDelta::from_seconds(case_.halve_at_s), [this] {
        run_.link.set_rate(DataRate::from_mbps(case_.mbps / 2));
        halved_ = true;
      });
      read_driver_queue();
    }
    const double step = 0.0001;
    for (double at = 0; at < seconds; at += step) {
      run_.events.run_until(start_ + TimeDelta::from_seconds(at));
      if (case_.halve_at_s > 0 && ours_->reports() != reports_) {
        reports_ = ours_->reports();
        report_driver_queue();
      }
      const double queued = static_cast<double>(run_.link.queued().bytes()) * 8e-3;
      if (run_.events.now() < watch_until) {
        result_.max_queue_ms = std::max(result_.max_queue_ms, queued / case_.mbps);
        result_.packets_lost = run_.link.counters(ours_->index()).packets_dropped;
      }
      if (halved_) {
        result_.max_queue_halved_ms =
            std::max(result_.max_queue_halved_ms, queued / (case_.mbps / 2));
      }
    }
    find_completion();
    find_convergence();
    const ControllerSnapshot snapshot = ours_->snapshot();
    result_.state = snapshot.state;
    for (const ControllerEvent& event : ours_->events()) {
      if (const auto* found = std::get_if<FbeEstimated>(&event.what)) {
        result_.estimate_mbps = found->estimate.mbps();
        result_.confidence = found->confidence;
        result_.estimated_at_ms = (event.at - start_).ms();
      }
    }
    return result_;
  }
  const std::vector<std::pair<double, std::int64_t>>& arrivals() const { return arrivals_; }
  ModelFlow& flow() { return *ours_; }
  Experiment& experiment() { return run_; }

 private:
  static constexpr std::int64_t kHeaders = ModelFlow::kPacketBytes - 1200;

  static LinkConfig link_of(const StartupCase& c) {
    LinkConfig link = sim::link_of(c.mbps, std::max(c.rtt_ms * c.buffer_bdp, 12.0 / c.mbps));
    link.slot = TimeDelta::from_seconds(c.slot_ms / 1e3);
    link.harq = c.harq;
    link.seed = c.seed;
    return link;
  }

  void start_cross() {
    FlowConfig other;
    other.rtt = TimeDelta::from_millis(10);
    cross_ = run_.link.add_flow(other, [](const std::vector<ReceiverEntry>&) {});
    cross_mean_s_ = ModelFlow::kPacketBytes * 8 / (case_.cross * case_.mbps * 1e6);
    send_cross();
  }
  void send_cross() {
    SentPacket packet{cross_number_++, DataSize::from_bytes(ModelFlow::kPacketBytes), 0,
                      run_.events.now()};
    run_.link.send(cross_, packet);
    run_.events.after(TimeDelta::from_seconds(-std::log(1 - random_.uniform()) * cross_mean_s_),
                      [this] { send_cross(); });
  }
  void report_driver_queue() {
    ours_->sender().on_driver_queue(run_.events.now(), DriverQueueReport{run_.link.queued()});
  }
  void read_driver_queue() {
    report_driver_queue();
    run_.events.after(TimeDelta::from_millis(10), [this] { read_driver_queue(); });
  }

  void find_completion() {
    std::int64_t received = 0;
    for (const auto& [at, size] : arrivals_) {
      received += size;
      if (received < case_.bytes) continue;
      result_.fct_ms = at;
      return;
    }
  }
  // The received payload's rate reaches 90 % of what others leave in a window and keeps 88 % in
  // each of the next four.
  void find_convergence() {
    const double window = std::max(20.0, case_.rtt_ms / 2);
    std::vector<double> bits;
    for (const auto& [at, size] : arrivals_) {
      const std::size_t k = static_cast<std::size_t>(at / window);
      if (bits.size() <= k) bits.resize(k + 1);
      bits[k] += static_cast<double>(size) * 8;
    }
    const double fair = case_.mbps * (1 - case_.cross);
    for (std::size_t k = 0; k + 5 < bits.size(); ++k) {
      if (bits[k] / window / 1e3 < 0.90 * fair) continue;
      const auto after = bits.begin() + static_cast<std::ptrdiff_t>(k) + 1;
      if (*std::min_element(after, after + 4) / window / 1e3 < 0.88 * fair) continue;
      result_.convergence_ms = static_cast<double>(k + 1) * window - case_.rtt_ms / 2;
      return;
    }
  }

  StartupCase case_;
  Experiment run_;
  Random random_;
  ModelFlow* ours_ = nullptr;
  Timestamp start_ = Timestamp::from_nanos(0);
  bool halved_ = false;
  std::int64_t reports_ = 0;
  std::size_t cross_ = 0;
  PacketNumber cross_number_ = 0;
  double cross_mean_s_ = 1;
  std::vector<std::pair<double, std::int64_t>> arrivals_;
  StartupResult result_;
};

}  // namespace farwheel::sim
