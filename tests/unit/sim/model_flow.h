// One flow over a VirtualLink driven by BbrSender alone: a bulk source, or a camera whose encoder
// follows media_rate(), behind a pacer that obeys pacing_rate() and cwnd(). SendController has its
// own; this one exists so that the model can be tested without it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "bbr/bbr_sender.h"
#include "sim/virtual_link.h"

namespace farwheel::sim {

struct CameraConfig {
  double fps = 30;
  DataRate max = DataRate::from_mbps(8);
  DataRate min = DataRate::from_kbps(150);
};

class ModelFlow {
 public:
  static constexpr std::int64_t kPacketBytes = 1230;

  ModelFlow(EventQueue& events, VirtualLink& link, const FlowConfig& flow,
            const ControllerConfig& config)
      : events_(events),
        link_(link),
        sender_(config),
        target_(config.start_bitrate),
        clock_offset_(flow.clock_offset) {
    index_ = link_.add_flow(
        flow, [this](const std::vector<ReceiverEntry>& entries) { on_entries(entries); },
        [this](const SentPacket& packet, Timestamp at) { on_arrival(packet, at); });
  }

  void start_bulk(Timestamp at) {
    events_.at(at, [this] {
      bulk_ = true;
      tick();
      pump();
    });
  }
  void start_camera(Timestamp at, const CameraConfig& camera) {
    events_.at(at, [this, camera] {
      camera_ = camera;
      key_frame_ = true;
      tick();
      capture();
    });
  }
  // The source falls silent: nothing more is offered.
  void stop() {
    bulk_ = false;
    camera_.reset();
  }

  BbrSender& sender() { return sender_; }
  std::size_t index() const { return index_; }
  DataRate encoder_rate() const { return target_; }
  DataSize inflight() const { return inflight_; }
  ControllerSnapshot snapshot() const {
    ControllerSnapshot s;
    sender_.fill(events_.now(), s);
    return s;
  }
  // Everything that the sender reported so far, in order.
  const std::vector<ControllerEvent>& events() {
    collect_events();
    return log_;
  }
  double delivered_mbps(TimeDelta over) const {
    return static_cast<double>(link_.counters(index_).bytes_delivered) * 8 / over.seconds() / 1e6;
  }
  // Frames' ages when complete, ms, since the last call of clear_frames().
  const std::vector<double>& frame_ages() const { return frame_ages_; }
  void clear_frames() { frame_ages_.clear(); }
  std::int64_t reports() const { return reports_; }
  void drop_reports_until(Timestamp until) { drop_reports_until_ = until; }

 private:
  struct Outstanding {
    SentPacket packet;
  };
  struct Waiting {
    std::int64_t bytes;
    std::int64_t frame;
    bool last;
  };

  void capture() {
    if (!camera_) return;
    // As SendController does: what waits in the pacer is to drain within 170 ms.
    std::int64_t backlog = 0;
    for (const Waiting& packet : waiting_) backlog += packet.bytes;
    const double drain = static_cast<double>(backlog) * 8 / 0.17 / 1e6;
    const double wanted =
        std::clamp(sender_.media_rate().mbps() - drain, camera_->min.mbps(), camera_->max.mbps());
    // A lower target is reached in two frames, a higher one with a 300-ms time constant.
    const double present = target_.mbps();
    const double step = wanted < present ? 0.5 : 1 - std::exp(-1 / camera_->fps / 0.3);
    target_ = DataRate::from_mbps(present + (wanted - present) * step);
    std::int64_t bytes = static_cast<std::int64_t>(target_.mbps() * 1e6 / 8 / camera_->fps);
    if (key_frame_) bytes *= 3;
    key_frame_ = false;
    const std::int64_t frame = next_frame_++;
    captured_.insert_or_assign(frame, events_.now());
    while (bytes > 0) {
      const std::int64_t size = std::min(bytes, kPacketBytes);
      bytes -= size;
      waiting_.push_back({size, frame, bytes <= 0});
    }
    // The pacer is bounded by time, as the real one is.
    while (waiting_.size() > 400) waiting_.pop_front();
    pump();
    events_.after(TimeDelta::from_seconds(1 / camera_->fps), [this] { capture(); });
  }

  bool has_data() const { return bulk_ || !waiting_.empty(); }

  void pump() {
    while (has_data()) {
      if (events_.now() < next_send_) {
        wake_at(next_send_);
        return;
      }
      const std::int64_t bytes = bulk_ ? kPacketBytes : waiting_.front().bytes;
      const DataSize size = DataSize::from_bytes(bytes);
      if (inflight_ + size > sender_.cwnd()) return;
      SentPacket packet{next_number_++, size, 0, events_.now()};
      if (!bulk_) {
        if (waiting_.front().last) frame_ends_[packet.number] = waiting_.front().frame;
        waiting_.pop_front();
      }
      outstanding_.insert_or_assign(packet.number, Outstanding{packet});
      inflight_ += size;
      sender_.on_packet_sent(packet, inflight_);
      link_.send(index_, packet);
      // The pace keeps a grid while it is behind by less than a millisecond of waking.
      const TimeDelta gap = size / sender_.pacing_rate();
      next_send_ = std::max(next_send_, events_.now() - TimeDelta::from_millis(1)) + gap;
    }
    if (inflight_ < sender_.cwnd()) sender_.on_application_limited(events_.now(), inflight_);
  }

  void wake_at(Timestamp when) {
    if (wake_ && *wake_ <= when && *wake_ > events_.now()) return;
    wake_ = when;
    events_.at(when, [this] {
      wake_.reset();
      pump();
    });
  }

  void tick() {
    FeedbackReport aged;
    aged.received_at = events_.now();
    TimeDelta age = TimeDelta::from_millis(250);
    const TimeDelta srtt = sender_.smoothed_rtt();
    if (srtt.is_finite()) age = std::max(age, srtt * 4.0);
    while (!outstanding_.empty() &&
           outstanding_.begin()->second.packet.sent_at + age < events_.now()) {
      PacketResult result{outstanding_.begin()->second.packet};
      inflight_ -= result.packet.size;
      aged.packets.push_back(result);
      outstanding_.erase(outstanding_.begin());
    }
    if (!aged.packets.empty()) sender_.on_report(events_.now(), aged, inflight_);
    std::optional<Timestamp> oldest;
    if (!outstanding_.empty()) oldest = outstanding_.begin()->second.packet.sent_at;
    sender_.on_tick(events_.now(), inflight_, oldest);
    pump();
    events_.after(TimeDelta::from_millis(10), [this] { tick(); });
  }

  void on_entries(const std::vector<ReceiverEntry>& entries) {
    if (events_.now() < drop_reports_until_) return;
    ++reports_;
    FeedbackReport report;
    report.received_at = events_.now();
    std::int64_t newest = entries.back().remote_ns;
    for (const ReceiverEntry& entry : entries) {
      const auto it = outstanding_.find(entry.number);
      if (it == outstanding_.end()) continue;
      PacketResult result{it->second.packet};
      if (entry.lost) {
        result.fate = PacketResult::Fate::kLost;
      } else {
        result.fate = PacketResult::Fate::kDelivered;
        result.received_at = Timestamp::from_nanos(entry.remote_ns);
        result.rtt = (events_.now() - result.packet.sent_at) -
                     TimeDelta::from_nanos(newest - entry.remote_ns);
      }
      inflight_ -= result.packet.size;
      outstanding_.erase(it);
      report.packets.push_back(result);
    }
    if (report.packets.empty()) return;
    sender_.on_report(events_.now(), report, inflight_);
    collect_events();
    pump();
  }

  void on_arrival(const SentPacket& packet, Timestamp at) {
    const auto it = frame_ends_.find(packet.number);
    if (it == frame_ends_.end()) return;
    frame_ages_.push_back((at - captured_.at(it->second)).ms());
    frame_ends_.erase(it);
  }

  void collect_events() {
    for (ControllerEvent& event : sender_.take_events()) log_.push_back(std::move(event));
  }

  EventQueue& events_;
  VirtualLink& link_;
  BbrSender sender_;
  DataRate target_;
  TimeDelta clock_offset_;
  std::size_t index_ = 0;
  bool bulk_ = false;
  std::optional<CameraConfig> camera_;
  bool key_frame_ = false;
  std::int64_t next_frame_ = 0;
  std::map<std::int64_t, Timestamp> captured_;
  std::map<PacketNumber, std::int64_t> frame_ends_;
  std::vector<double> frame_ages_;
  std::deque<Waiting> waiting_;
  std::map<PacketNumber, Outstanding> outstanding_;
  DataSize inflight_ = DataSize::zero();
  PacketNumber next_number_ = 0;
  Timestamp next_send_ = Timestamp::from_nanos(0);
  std::optional<Timestamp> wake_;
  Timestamp drop_reports_until_ = Timestamp::infinite_past();
  std::int64_t reports_ = 0;
  std::vector<ControllerEvent> log_;
};

}  // namespace farwheel::sim
