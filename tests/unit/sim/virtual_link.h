// A bottleneck in virtual time that several flows share, with a receiver for each flow: rate, tail
// drop, propagation, random loss, order-keeping jitter, uplink grants with repeats, silence, 250-us
// receiver stamps, a receiver clock with offset and skew, reports a packet or by interval. Rate and
// the rest of the configuration may change while it runs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <vector>

#include "feedback/packet_result.h"
#include "sim/event_queue.h"

namespace farwheel::sim {

struct LinkConfig {
  DataRate rate = DataRate::from_mbps(5);
  // What may wait at the bottleneck; what arrives beyond it is dropped.
  DataSize buffer = DataSize::from_bytes(100000);
  double loss = 0;
  // Uplink grants: the bottleneck sends only every `slot` (zero: always), `harq` of the grants
  // arrive 8 ms late, in order.
  TimeDelta slot = TimeDelta::zero();
  double harq = 0;
  std::uint64_t seed = 1;
};

struct FlowConfig {
  // Without queue and serialisation; the way back is half of it too.
  TimeDelta rtt = TimeDelta::from_millis(50);
  // Mean of an exponential delay on the way out, order kept.
  TimeDelta jitter = TimeDelta::zero();
  // Zero: a report for each packet.
  TimeDelta report_interval = TimeDelta::from_millis(10);
  // As a stock receiver does: a report at the last packet of a unit (RTP marker) and at no other
  // time. Takes the place of report_interval.
  bool report_at_markers = false;
  TimeDelta clock_offset = TimeDelta::from_seconds(1000);
  double skew_ppm = 0;
};

// One entry of a receiver's report: every number from the last report on to the highest received.
struct ReceiverEntry {
  PacketNumber number = 0;
  bool lost = false;
  // Receiver's clock, 250-us steps; meaningless when lost.
  std::int64_t remote_ns = 0;
};

// Counts of one flow as the receiver sees them, and delays against true time.
struct FlowCounters {
  std::int64_t packets_delivered = 0;
  std::int64_t packets_dropped = 0;
  std::int64_t bytes_delivered = 0;
  double owd_ms_sum = 0;
  double owd_ms_max = 0;
};

class VirtualLink {
 public:
  using OnReport = std::function<void(const std::vector<ReceiverEntry>&)>;
  using OnArrival = std::function<void(const SentPacket&, Timestamp arrived_at)>;

  VirtualLink(EventQueue& events, const LinkConfig& config)
      : events_(events), config_(config), random_(config.seed) {}

  // Returns the flow's index. `on_arrival` may be empty.
  std::size_t add_flow(const FlowConfig& config, OnReport on_report, OnArrival on_arrival = {}) {
    flows_.push_back(Flow{config, std::move(on_report), std::move(on_arrival)});
    return flows_.size() - 1;
  }

  // A second listener, for whoever measures.
  void watch_arrivals(std::size_t flow, OnArrival watcher) {
    flows_[flow].watcher = std::move(watcher);
  }

  void set_rate(DataRate rate) { config_.rate = rate; }
  void set_buffer(DataSize buffer) { config_.buffer = buffer; }
  void set_loss(double loss) { config_.loss = loss; }
  void set_flow_rtt(std::size_t flow, TimeDelta rtt) { flows_[flow].config.rtt = rtt; }
  // Nothing passes either way until then; what is sent in the meantime is lost.
  void silence_until(Timestamp end) { silent_until_ = end; }

  void send(std::size_t flow, const SentPacket& packet, bool ends_unit = false) {
    const bool lost = random_.uniform() < config_.loss;
    if (lost || silent() || queued_ + packet.size > config_.buffer) {
      ++flows_[flow].counters.packets_dropped;
      return;
    }
    queued_ += packet.size;
    queue_.push_back({flow, packet, ends_unit});
    if (!serving_) serve();
  }

  DataSize queued() const { return queued_; }
  const FlowCounters& counters(std::size_t flow) const { return flows_[flow].counters; }
  void clear_counters() {
    for (Flow& flow : flows_) flow.counters = FlowCounters{};
  }

 private:
  struct Flow {
    FlowConfig config;
    OnReport on_report;
    OnArrival on_arrival;
    OnArrival watcher{};
    FlowCounters counters{};
    Timestamp last_arrival = Timestamp::infinite_past();
    PacketNumber next_to_report = 0;
    std::vector<ReceiverEntry> pending{};
    bool report_scheduled = false;
  };
  struct Queued {
    std::size_t flow;
    SentPacket packet;
    bool ends_unit;
  };

  bool silent() const { return events_.now() < silent_until_; }

  void serve() {
    if (queue_.empty()) {
      serving_ = false;
      return;
    }
    serving_ = true;
    if (config_.slot > TimeDelta::zero()) {
      serve_grant();
      return;
    }
    const Queued next = queue_.front();
    queue_.pop_front();
    events_.after(next.packet.size / config_.rate, [this, next] {
      queued_ -= next.packet.size;
      depart(next, TimeDelta::zero());
      serve();
    });
  }

  // At each grant, as much as the rate gives in one slot.
  void serve_grant() {
    const std::int64_t slot_ns = config_.slot.ns();
    const std::int64_t index = events_.now().ns() / slot_ns + 1;
    events_.at(Timestamp::from_nanos(index * slot_ns), [this] {
      credit_ = std::min(credit_ + config_.rate * config_.slot, config_.rate * config_.slot * 2.0);
      const TimeDelta repeat =
          random_.uniform() < config_.harq ? TimeDelta::from_millis(8) : TimeDelta::zero();
      while (!queue_.empty() && queue_.front().packet.size <= credit_) {
        const Queued next = queue_.front();
        queue_.pop_front();
        credit_ -= next.packet.size;
        queued_ -= next.packet.size;
        depart(next, repeat);
      }
      if (queue_.empty()) credit_ = DataSize::zero();
      serve();
    });
  }

  void depart(const Queued& queued, TimeDelta extra) {
    if (silent()) {
      ++flows_[queued.flow].counters.packets_dropped;
      return;
    }
    Flow& flow = flows_[queued.flow];
    Timestamp arrival = events_.now() + flow.config.rtt / 2.0 + extra;
    if (flow.config.jitter > TimeDelta::zero()) {
      arrival += flow.config.jitter * -std::log(1.0 - random_.uniform());
    }
    arrival = std::max(arrival, flow.last_arrival);
    flow.last_arrival = arrival;
    events_.at(arrival, [this, queued] { arrive(queued); });
  }

  std::int64_t receiver_clock(const Flow& flow) const {
    const double ns = static_cast<double>(events_.now().ns()) * (1 + flow.config.skew_ppm * 1e-6);
    const std::int64_t exact = static_cast<std::int64_t>(ns) + flow.config.clock_offset.ns();
    return (exact + 125000) / 250000 * 250000;
  }

  void arrive(const Queued& queued) {
    Flow& flow = flows_[queued.flow];
    const SentPacket& packet = queued.packet;
    const double owd = (events_.now() - packet.sent_at).ms();
    ++flow.counters.packets_delivered;
    flow.counters.bytes_delivered += packet.size.bytes();
    flow.counters.owd_ms_sum += owd;
    flow.counters.owd_ms_max = std::max(flow.counters.owd_ms_max, owd);
    if (flow.on_arrival) flow.on_arrival(packet, events_.now());
    if (flow.watcher) flow.watcher(packet, events_.now());
    for (; flow.next_to_report < packet.number; ++flow.next_to_report) {
      flow.pending.push_back({flow.next_to_report, true, 0});
    }
    flow.pending.push_back({packet.number, false, receiver_clock(flow)});
    flow.next_to_report = packet.number + 1;
    if (flow.config.report_at_markers) {
      if (queued.ends_unit) report(queued.flow);
      return;
    }
    if (flow.report_scheduled) return;
    flow.report_scheduled = true;
    events_.after(flow.config.report_interval, [this, index = queued.flow] { report(index); });
  }

  void report(std::size_t index) {
    Flow& flow = flows_[index];
    flow.report_scheduled = false;
    std::vector<ReceiverEntry> entries;
    entries.swap(flow.pending);
    if (silent()) return;
    events_.after(flow.config.rtt / 2.0, [this, index, entries = std::move(entries)] {
      if (!silent()) flows_[index].on_report(entries);
    });
  }

  EventQueue& events_;
  LinkConfig config_;
  Random random_;
  std::deque<Flow> flows_;
  std::deque<Queued> queue_;
  DataSize queued_ = DataSize::zero();
  DataSize credit_ = DataSize::zero();
  bool serving_ = false;
  Timestamp silent_until_ = Timestamp::infinite_past();
};

}  // namespace farwheel::sim
