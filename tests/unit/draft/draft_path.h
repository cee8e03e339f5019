// One flow of BbrSender behind the product's feedback adapter over a path that a test can bend
// while it runs: rate, buffer, loss, policer, reordering, batching receiver, marks, an application
// that offers less than fits. Virtual time; the same script gives the same run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "bbr/bbr_sender.h"
#include "feedback/feedback_adapter.h"
#include "sim/event_queue.h"

namespace farwheel {

struct PathSetup {
  Algorithm algorithm = Algorithm::kBbr2;
  std::string params;
  double mbps = 10;
  double rtt_ms = 40;
  double buffer_ms = 200;  // at the rate of the beginning
};

class DraftPath {
 public:
  static constexpr DataSize kPacket = DataSize::from_bytes(1200);

  explicit DraftPath(const PathSetup& setup)
      : rate(DataRate::from_mbps(setup.mbps)),
        half_rtt(TimeDelta::from_seconds(setup.rtt_ms / 2e3)),
        buffer(rate * TimeDelta::from_seconds(setup.buffer_ms / 1e3)),
        sender(config_of(setup)) {
    fault = sender.set_params(setup.params);
    tick();
    pump();
  }

  // ---- what the test may bend
  DataRate rate;
  TimeDelta half_rtt;
  DataSize buffer;
  double loss = 0;
  DataRate offered = DataRate::infinite();         // zero: the application pauses
  TimeDelta batch = TimeDelta::zero();             // arrivals come in batches so far apart
  DataSize policer_bucket = DataSize::infinite();  // what finds no token is dropped
  DataRate policer_rate = DataRate::infinite();
  std::optional<DataSize> mark_above;             // queue from which packets are marked
  std::function<TimeDelta(PacketNumber)> detour;  // extra way out; order is not kept

  BbrSender sender;
  FeedbackAdapter adapter;
  std::string fault;

  // ---- running
  void run_to(double seconds) { events_.run_until(Timestamp::from_seconds(seconds)); }
  // Stops at the moment after the next event that enters the state; false if the time ends first.
  bool run_into(BbrState state, double until_seconds) {
    (void)fresh_events();
    while (now() < Timestamp::from_seconds(until_seconds)) {
      events_.run_until(now() + TimeDelta::from_micros(200));
      for (const ControllerEvent& event : fresh_events()) {
        const auto* change = std::get_if<StateChanged>(&event.what);
        if (change != nullptr && change->to == state) return true;
      }
    }
    return false;
  }
  Timestamp now() const { return events_.now(); }
  DataSize inflight() const { return adapter.bytes_in_flight(); }
  ControllerSnapshot snapshot() const {
    ControllerSnapshot s;
    sender.fill(now(), s);
    return s;
  }
  BbrState state() const { return snapshot().state; }
  // All events so far.
  const std::vector<ControllerEvent>& log() {
    (void)fresh_events();
    return log_;
  }
  // BDP of the path as it is.
  DataSize bdp() const { return rate * (half_rtt * 2.0); }
  double delivered_mbps_since_mark() const {
    return static_cast<double>(delivered_.bytes()) * 8 / (now() - mark_).seconds() / 1e6;
  }
  double loss_since_mark() const {
    return sent_ == 0 ? 0 : static_cast<double>(dropped_) / static_cast<double>(sent_);
  }
  void mark() {
    mark_ = now();
    delivered_ = DataSize::zero();
    sent_ = dropped_ = 0;
  }

 private:
  struct Queued {
    SentPacket packet;
    bool marked;
  };

  static ControllerConfig config_of(const PathSetup& setup) {
    ControllerConfig config;
    config.algorithm = setup.algorithm;
    config.startup = StartupKind::kClassic;
    config.max_packet_size = kPacket;
    config.max_bitrate = DataRate::from_mbps(1000);
    return config;
  }

  std::vector<ControllerEvent> fresh_events() {
    std::vector<ControllerEvent> fresh = sender.take_events();
    log_.insert(log_.end(), fresh.begin(), fresh.end());
    return fresh;
  }

  bool has_data() {
    if (offered.is_infinite()) return true;
    credit_ = std::min(credit_ + offered * (now() - credited_at_), kPacket * 4.0);
    credited_at_ = now();
    return credit_ >= kPacket;
  }

  void pump() {
    while (has_data()) {
      if (inflight() + kPacket > sender.cwnd()) return;
      if (now() < next_send_) {
        wake_at(next_send_);
        return;
      }
      if (offered.is_finite()) credit_ -= kPacket;
      const SentPacket packet{next_number_++, kPacket, 0, now()};
      adapter.on_packet_sent(packet);
      sender.on_packet_sent(packet, inflight());
      ++sent_;
      enter(packet);
      next_send_ =
          std::max(next_send_, now() - TimeDelta::from_millis(1)) + kPacket / sender.pacing_rate();
    }
    sender.on_application_limited(now(), inflight());
    if (!offered.is_zero()) wake_at(now() + kPacket / offered);
  }

  void wake_at(Timestamp when) {
    if (wake_ && *wake_ <= when && *wake_ > now()) return;
    wake_ = when;
    events_.at(when, [this] {
      wake_.reset();
      pump();
    });
  }

  void tick() {
    take(adapter.age_out(now(), sender.smoothed_rtt()));
    sender.on_tick(now(), inflight(), adapter.oldest_in_flight());
    pump();
    events_.after(TimeDelta::from_millis(10), [this] { tick(); });
  }

  bool policer_passes() {
    if (policer_bucket.is_infinite()) return true;
    tokens_ = std::min(tokens_ + policer_rate * (now() - filled_at_), policer_bucket);
    filled_at_ = now();
    if (tokens_ < kPacket) return false;
    tokens_ -= kPacket;
    return true;
  }

  void enter(const SentPacket& packet) {
    if (random_.uniform() < loss || !policer_passes() || queued_ + kPacket > buffer) {
      ++dropped_;
      return;
    }
    queued_ += kPacket;
    queue_.push_back({packet, mark_above && queued_ > *mark_above});
    if (queue_.size() == 1) serve();
  }

  void serve() {
    events_.after(kPacket / rate, [this] {
      const Queued next = queue_.front();
      queue_.pop_front();
      queued_ -= kPacket;
      const TimeDelta extra = detour ? detour(next.packet.number) : TimeDelta::zero();
      Timestamp at = now() + half_rtt + extra;
      if (batch > TimeDelta::zero()) {
        at = Timestamp::from_nanos((at.ns() / batch.ns() + 1) * batch.ns());
      }
      events_.at(at, [this, next] { arrive(next); });
      if (!queue_.empty()) serve();
    });
  }

  void arrive(const Queued& arrived) {
    delivered_ += kPacket;
    const PacketNumber number = arrived.packet.number;
    for (; expected_ < number; ++expected_) {
      pending_.push_back({static_cast<std::uint16_t>(expected_), true, {}, {}});
    }
    expected_ = std::max(expected_, number + 1);
    const std::int64_t stamp = (now().ns() + 125000) / 250000 * 250000 + 777 * 1000000;
    pending_.push_back({static_cast<std::uint16_t>(number), false, stamp, {}});
    pending_marks_ += arrived.marked ? 1 : 0;
    if (report_due_) return;
    report_due_ = true;
    // Whatever arrives at the same moment is reported together.
    events_.after(TimeDelta::zero(), [this] {
      report_due_ = false;
      events_.after(half_rtt, [this, entries = std::exchange(pending_, {}),
                               marks = std::exchange(pending_marks_, 0)] {
        take(adapter.on_report(now(), entries,
                               mark_above ? std::optional<std::int64_t>(marks) : std::nullopt));
        pump();
      });
    });
  }

  void take(const FeedbackReport& report) {
    if (!report.packets.empty()) sender.on_report(now(), report, inflight());
  }

  sim::EventQueue events_;
  sim::Random random_{7};
  std::vector<ControllerEvent> log_;
  PacketNumber next_number_ = 0;
  Timestamp next_send_ = Timestamp::from_nanos(0);
  std::optional<Timestamp> wake_;
  DataSize credit_ = DataSize::zero();
  Timestamp credited_at_ = Timestamp::from_nanos(0);
  std::deque<Queued> queue_;
  DataSize queued_ = DataSize::zero();
  DataSize tokens_ = DataSize::zero();
  Timestamp filled_at_ = Timestamp::from_nanos(0);
  PacketNumber expected_ = 0;
  std::vector<ReportedPacket> pending_;
  std::int64_t pending_marks_ = 0;
  bool report_due_ = false;
  Timestamp mark_ = Timestamp::from_nanos(0);
  DataSize delivered_ = DataSize::zero();
  std::int64_t sent_ = 0;
  std::int64_t dropped_ = 0;
};

}  // namespace farwheel
