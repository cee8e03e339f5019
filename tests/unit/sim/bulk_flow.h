// A bulk source behind the whole SendController over a VirtualLink: always more to send, so that
// the law of filling flows, its window and its pacer are seen as a user has them. Keeps what the
// receiver got: rate by half seconds and delays by quarter milliseconds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "send_controller.h"
#include "sim/virtual_link.h"

namespace farwheel::sim {

class BulkFlow {
 public:
  static constexpr std::int64_t kWireBytes = 1230;
  static constexpr std::int64_t kPayloadBytes = 1200;

  BulkFlow(EventQueue& events, VirtualLink& link, const FlowConfig& flow, ControllerConfig config)
      : events_(events), link_(link), controller_(with_bulk_limits(config)) {
    index_ = link_.add_flow(
        flow, [this](const std::vector<ReceiverEntry>& entries) { on_report(entries); },
        [this](const SentPacket& packet, Timestamp at) { on_arrival(packet, at); });
  }

  void start(Timestamp at) {
    events_.at(at, [this] {
      started_at_ = events_.now();
      controller_.add_feed(events_.now(), 0,
                           {.max_bitrate = DataRate::from_mbps(1000),
                            .max_queue_time = TimeDelta::from_seconds(1000)});
      running_ = true;
      tick();
    });
  }
  void stop() { running_ = false; }

  SendController& controller() { return controller_; }
  std::size_t index() const { return index_; }
  Timestamp started_at() const { return started_at_; }
  // Payload received in [from, to), Mbit/s; whole half seconds.
  double mbps(double from, double to) const {
    double bytes = 0;
    for (std::size_t i = bin(from); i < std::min(bin(to), halves_.size()); ++i) bytes += halves_[i];
    return bytes * 8 / (to - from) / 1e6;
  }
  double own_mbps(double end) const {
    double bytes = 0;
    for (const double half : halves_) bytes += half;
    return bytes * 8 / (end - started_at_.seconds()) / 1e6;
  }
  // The least rate of any five seconds inside.
  double worst_5s_mbps(double from, double to) const {
    double worst = 1e9;
    for (double t = from; t + 5 <= to; t += 0.5) worst = std::min(worst, mbps(t, t + 5));
    return worst;
  }
  void clear_delays() {
    delays_.assign(delays_.size(), 0);
    delay_sum_ms_ = 0;
    delay_count_ = 0;
  }
  double mean_owd_ms() const { return delay_sum_ms_ / std::max(1.0, delay_count_); }
  double owd_ms(double share) const {
    double left = share * delay_count_;
    for (std::size_t i = 0; i < delays_.size(); ++i) {
      left -= delays_[i];
      if (left <= 0) return (static_cast<double>(i) + 0.5) / 4;
    }
    return 1e9;
  }
  // When a packet last took longer than that; zero if none since the start.
  double last_over_ms(double limit) {
    for (std::size_t i = highest_.size(); i-- > 0;) {
      if (highest_[i] > limit) return static_cast<double>(i + 1) * kFineSeconds;
    }
    return 0;
  }
  double highest_ms(double from, double to) const {
    double most = 0;
    for (auto i = static_cast<std::size_t>(from / kFineSeconds);
         i < std::min(static_cast<std::size_t>(to / kFineSeconds), highest_.size()); ++i) {
      most = std::max(most, highest_[i]);
    }
    return most;
  }
  std::int64_t sent() const { return next_number_; }
  const std::vector<ControllerEvent>& log() {
    for (ControllerEvent& event : controller_.take_events()) log_.push_back(std::move(event));
    return log_;
  }

 private:
  static constexpr double kFineSeconds = 0.1;

  static ControllerConfig with_bulk_limits(ControllerConfig config) {
    config.max_bitrate = DataRate::from_mbps(1000);
    config.max_packet_size = DataSize::from_bytes(kWireBytes);
    return config;
  }
  static std::size_t bin(double seconds) {
    return static_cast<std::size_t>(std::llround(seconds * 2));
  }

  void fill_queue() {
    // After a silence what waited is given back; a bulk source has more.
    queued_ -= static_cast<int>(controller_.take_drops().size());
    for (; queued_ < 4; ++queued_) {
      controller_.on_packet_queued(events_.now(), {.token = next_token_++,
                                                   .feed = 0,
                                                   .size = DataSize::from_bytes(kWireBytes),
                                                   .kind = FrameKind::kKey,
                                                   .ends_unit = true,
                                                   .queued_at = events_.now()});
    }
  }

  void pump() {
    while (running_) {
      fill_queue();
      const SendDecision decision = controller_.next(events_.now());
      if (decision.action == SendDecision::Action::kSend) {
        --queued_;
        const SentPacket packet{next_number_++, DataSize::from_bytes(kWireBytes), 0, events_.now()};
        controller_.on_packet_sent(packet);
        link_.send(index_, packet);
        continue;
      }
      if (decision.action == SendDecision::Action::kWaitUntil) wake_at(decision.wake_at);
      return;
    }
  }

  void wake_at(Timestamp when) {
    if (wake_ && *wake_ <= when && *wake_ > events_.now()) return;
    wake_ = when;
    events_.at(when, [this, when] {
      if (wake_ != when) return;
      wake_.reset();
      pump();
    });
  }

  void tick() {
    if (!running_) return;
    controller_.on_tick(events_.now());
    pump();
    events_.after(TimeDelta::from_millis(20), [this] { tick(); });
  }

  void on_report(const std::vector<ReceiverEntry>& entries) {
    report_.clear();
    for (const ReceiverEntry& entry : entries) {
      ReportedPacket packet{.sequence_number = static_cast<std::uint16_t>(entry.number),
                            .lost = entry.lost};
      if (!entry.lost) packet.remote_ns = entry.remote_ns % kClockPeriodNs;
      report_.push_back(packet);
    }
    controller_.on_feedback(events_.now(), report_);
    (void)log();
    pump();
  }

  void on_arrival(const SentPacket& packet, Timestamp at) {
    const double ms = (at - packet.sent_at).ms();
    const auto half = static_cast<std::size_t>(at.seconds() * 2);
    if (half >= halves_.size()) halves_.resize(half + 1);
    halves_[half] += kPayloadBytes;
    delay_sum_ms_ += ms;
    ++delay_count_;
    ++delays_[std::min(static_cast<std::size_t>(ms * 4), delays_.size() - 1)];
    const auto fine = static_cast<std::size_t>(packet.sent_at.seconds() / kFineSeconds);
    if (fine >= highest_.size()) highest_.resize(fine + 1);
    highest_[fine] = std::max(highest_[fine], ms);
  }

  static constexpr std::int64_t kClockPeriodNs = 16777216LL * 64000000LL;
  EventQueue& events_;
  VirtualLink& link_;
  SendController controller_;
  std::size_t index_ = 0;
  Timestamp started_at_ = Timestamp::from_nanos(0);
  bool running_ = false;
  int queued_ = 0;
  std::uint64_t next_token_ = 1;
  PacketNumber next_number_ = 0;
  std::optional<Timestamp> wake_;
  std::vector<ReportedPacket> report_;
  std::vector<ControllerEvent> log_;
  std::vector<double> halves_;
  std::vector<double> delays_ = std::vector<double>(16384);
  std::vector<double> highest_;
  double delay_sum_ms_ = 0;
  double delay_count_ = 0;
};

}  // namespace farwheel::sim
