// A bottleneck in virtual time that several flows share, with a receiver for each flow: rate, tail
// drop or fair queueing, policer, propagation, random loss, order-keeping jitter before and behind
// it, uplink grants with repeats, silence, 250-us receiver stamps, a receiver clock with offset and
// skew, reports a packet or by interval. Rate and the rest may change while it runs.
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
#include "sim/link_queue.h"
#include "sim/policer.h"

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
  // A queue for each flow, served in turn.
  bool fair = false;
  // Tokens for so much at once, filled at `rate`; zero: none. What finds no token is dropped.
  DataSize policer_bucket = DataSize::zero();
  DataRate policer_rate = DataRate::from_mbps(5);
  std::uint64_t seed = 1;
};

struct FlowConfig {
  // Without queue and serialisation; the way back is half of it too.
  TimeDelta rtt = TimeDelta::from_millis(50);
  // Mean of an exponential delay on the way out, order kept.
  TimeDelta jitter = TimeDelta::zero();
  // The same on the sender's access, before the bottleneck.
  TimeDelta access_jitter = TimeDelta::zero();
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
      : events_(events),
        config_(config),
        random_(config.seed),
        policer_(config.policer_rate, config.policer_bucket),
        queue_(config.fair) {}

  // Returns the flow's index. `on_arrival` may be empty, `on_report` too: then nothing is reported.
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
  // Delay on top of the flow's own from now on, out and back.
  void set_extra_delay(std::size_t flow, TimeDelta out, TimeDelta back) {
    flows_[flow].extra_out = out;
    flows_[flow].extra_back = back;
  }
  // Nothing passes either way until then; what is sent in the meantime is lost.
  void silence_until(Timestamp end) { silent_until_ = end; }

  void send(std::size_t flow, const SentPacket& packet, bool ends_unit = false) {
    Flow& from = flows_[flow];
    if (from.config.access_jitter.is_zero()) {
      enter({flow, packet, ends_unit});
      return;
    }
    const Timestamp at =
        std::max(events_.now() + exponential(from.config.access_jitter), from.last_entry);
    from.last_entry = at;
    events_.at(at, [this, flow, packet, ends_unit] { enter({flow, packet, ends_unit}); });
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
    TimeDelta extra_out = TimeDelta::zero();
    TimeDelta extra_back = TimeDelta::zero();
    Timestamp last_entry = Timestamp::infinite_past();
    Timestamp last_arrival = Timestamp::infinite_past();
    Timestamp last_report = Timestamp::infinite_past();
    PacketNumber next_to_report = 0;
    std::vector<ReceiverEntry> pending{};
    bool report_scheduled = false;
  };
  bool silent() const { return events_.now() < silent_until_; }

  TimeDelta exponential(TimeDelta mean) { return mean * -std::log(1.0 - random_.uniform()); }

  void enter(const LinkPacket& entering) {
    const bool lost = config_.loss > 0 && random_.uniform() < config_.loss;
    if (lost || silent() || !policer_.passes(events_.now(), entering.packet.size)) {
      ++flows_[entering.flow].counters.packets_dropped;
      return;
    }
    queued_ += entering.packet.size;
    queue_.push(entering);
    while (queued_ > config_.buffer) {
      const LinkPacket dropped = queue_.drop();
      queued_ -= dropped.packet.size;
      ++flows_[dropped.flow].counters.packets_dropped;
    }
    if (!serving_ && !queue_.empty()) serve();
  }

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
    const LinkPacket next = queue_.pop();
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
      const DataSize grant = config_.rate * config_.slot;
      credit_ = std::min(credit_ + grant, grant + std::max(grant, kLargestPacket));
      const TimeDelta repeat =
          random_.uniform() < config_.harq ? TimeDelta::from_millis(8) : TimeDelta::zero();
      while (!queue_.empty() && queue_.front_size() <= credit_) {
        const LinkPacket next = queue_.pop();
        credit_ -= next.packet.size;
        queued_ -= next.packet.size;
        depart(next, repeat);
      }
      if (queue_.empty()) credit_ = DataSize::zero();
      serve();
    });
  }

  void depart(const LinkPacket& queued, TimeDelta extra) {
    if (silent()) {
      ++flows_[queued.flow].counters.packets_dropped;
      return;
    }
    Flow& flow = flows_[queued.flow];
    Timestamp arrival = events_.now() + flow.config.rtt / 2.0 + flow.extra_out + extra;
    if (flow.config.jitter > TimeDelta::zero()) arrival += exponential(flow.config.jitter);
    arrival = std::max(arrival, flow.last_arrival);
    flow.last_arrival = arrival;
    events_.at(arrival, [this, queued] { arrive(queued); });
  }

  std::int64_t receiver_clock(const Flow& flow) const {
    const double ns = static_cast<double>(events_.now().ns()) * (1 + flow.config.skew_ppm * 1e-6);
    const std::int64_t exact = static_cast<std::int64_t>(ns) + flow.config.clock_offset.ns();
    return (exact + 125000) / 250000 * 250000;
  }

  void arrive(const LinkPacket& queued) {
    Flow& flow = flows_[queued.flow];
    const SentPacket& packet = queued.packet;
    const double owd = (events_.now() - packet.sent_at).ms();
    ++flow.counters.packets_delivered;
    flow.counters.bytes_delivered += packet.size.bytes();
    flow.counters.owd_ms_sum += owd;
    flow.counters.owd_ms_max = std::max(flow.counters.owd_ms_max, owd);
    if (flow.on_arrival) flow.on_arrival(packet, events_.now());
    if (flow.watcher) flow.watcher(packet, events_.now());
    if (!flow.on_report) return;
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
    const Timestamp at =
        std::max(events_.now() + flow.config.rtt / 2.0 + flow.extra_back, flow.last_report);
    flow.last_report = at;
    events_.at(at, [this, index, entries = std::move(entries)] {
      if (!silent()) flows_[index].on_report(entries);
    });
  }

  EventQueue& events_;
  LinkConfig config_;
  static constexpr DataSize kLargestPacket = DataSize::from_bytes(1500);
  Random random_;
  Policer policer_;
  std::deque<Flow> flows_;
  LinkQueue queue_;
  DataSize queued_ = DataSize::zero();
  DataSize credit_ = DataSize::zero();
  bool serving_ = false;
  Timestamp silent_until_ = Timestamp::infinite_past();
};

}  // namespace farwheel::sim
