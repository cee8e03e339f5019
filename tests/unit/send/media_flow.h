// A vehicle in virtual time: cameras whose encoders follow their targets, a radar, and the whole
// SendController in front of a VirtualLink, with the element's part (numbers, tokens, ticks,
// reports on the wire's terms) played here. What arrived when is kept frame by frame.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "send_controller.h"
#include "sim/event_queue.h"
#include "sim/virtual_link.h"

namespace farwheel::sim {

struct Camera {
  double fps = 30;
  DataRate min = DataRate::from_kbps(150);
  DataRate max = DataRate::from_mbps(8);
  double weight = 1;
};

// One frame or sweep as the driver would judge it.
struct UnitFate {
  FeedId feed = 0;
  bool is_key = false;
  Timestamp captured = Timestamp::infinite_past();
  std::optional<Timestamp> complete;  // last byte at the receiver; empty: never whole
  std::optional<Timestamp> shown;     // and the last of all that it needs; set by judge()
  std::int64_t packets_missing = 0;
  std::int64_t payload = 0;
};

class MediaFlow {
 public:
  static constexpr std::int64_t kPayload = 1200;
  static constexpr std::int64_t kOverhead = 46;
  static constexpr std::int64_t kClockPeriodNs = 16777216LL * 64000000LL;

  MediaFlow(EventQueue& events, VirtualLink& link, const FlowConfig& flow,
            const ControllerConfig& config)
      : controller_(config),
        events_(events),
        link_(link),
        random_(config.seed),
        way_back_(flow.rtt / 2.0) {
    index_ = link_.add_flow(
        flow, [this](const std::vector<ReceiverEntry>& entries) { on_report(entries); },
        [this](const SentPacket& packet, Timestamp at) { on_arrival(packet, at); });
    tick();
  }

  FeedId add_camera(const Camera& camera) {
    const FeedId feed = next_feed_++;
    controller_.add_feed(events_.now(), feed,
                         {.kind = FeedKind::kCamera,
                          .weight = camera.weight,
                          .min_bitrate = camera.min,
                          .max_bitrate = camera.max});
    encoders_[feed] = Encoder{camera, 0, true};
    events_.after(TimeDelta::zero(), [this, feed] { capture(feed); });
    return feed;
  }
  FeedId add_radar(double hz, std::int64_t bytes) {
    const FeedId feed = next_feed_++;
    controller_.add_feed(events_.now(), feed, {.kind = FeedKind::kRadar});
    events_.after(TimeDelta::from_millis(11), [this, feed, hz, bytes] { sweep(feed, hz, bytes); });
    return feed;
  }

  SendController& controller() { return controller_; }
  std::size_t index() const { return index_; }
  // No report passes from then until then.
  void mute_feedback(Timestamp from, Timestamp until) { muted_from_ = from, muted_until_ = until; }
  // Called with each report before it is given to the controller; may spoil it.
  std::function<void(std::vector<ReportedPacket>&)> tamper;
  // When the first report came.
  std::optional<Timestamp> first_report_at;
  // A key frame's size over that of the mean frame at the encoder's rate.
  double key_frame_factor = 3;
  // Whether the receiver asks for lost packets again.
  bool retransmit = true;

  DataRate encoder_rate(FeedId feed) const {
    return DataRate::from_bps(static_cast<std::int64_t>(encoders_.at(feed).rate));
  }
  DataRate target(FeedId feed) const {
    for (const FeedTarget& target : controller_.targets()) {
      if (target.feed == feed) return target.bitrate;
    }
    return DataRate::zero();
  }
  // Says of each unit when it could be decoded, if ever: a delta needs the frame before it.
  void judge() {
    std::map<FeedId, std::optional<Timestamp>> chain;
    for (UnitFate& unit : units_) {
      unit.shown = unit.complete;
      if (!encoders_.contains(unit.feed)) continue;
      std::optional<Timestamp>& previous = chain[unit.feed];
      if (!unit.is_key && (!previous || !unit.complete)) unit.shown.reset();
      if (!unit.is_key && unit.shown) unit.shown = std::max(*unit.shown, *previous);
      previous = unit.shown;
    }
  }
  // Latencies in ms, sorted, of decodable units captured in [from, to).
  std::vector<double> latencies(FeedId feed, Timestamp from, Timestamp to) {
    judge();
    std::vector<double> ms;
    for (const UnitFate& unit : units_) {
      if (unit.feed != feed || unit.captured < from || unit.captured >= to) continue;
      if (unit.shown) ms.push_back((*unit.shown - unit.captured).ms());
    }
    std::sort(ms.begin(), ms.end());
    return ms;
  }
  static double percentile(const std::vector<double>& sorted, double share) {
    if (sorted.empty()) return -1;
    const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
    return sorted[at];
  }
  // Share of units captured in [from, to) that were not decodable within `limit`.
  double share_over(FeedId feed, TimeDelta limit, Timestamp from, Timestamp to) {
    judge();
    double late = 0;
    double all = 0;
    for (const UnitFate& unit : units_) {
      if (unit.feed != feed || unit.captured < from || unit.captured >= to) continue;
      ++all;
      if (!unit.shown || *unit.shown - unit.captured > limit) ++late;
    }
    return all > 0 ? late / all : 0;
  }
  // Camera and radar payload that arrived in [from, to), bit/s.
  DataRate delivered(Timestamp from, Timestamp to) const {
    std::int64_t bytes = 0;
    for (const auto& [at, payload] : arrivals_) {
      if (at >= from && at < to) bytes += payload;
    }
    return DataSize::from_bytes(bytes) / (to - from);
  }
  const std::vector<UnitFate>& units() const { return units_; }
  const std::vector<ControllerEvent>& log() {
    for (ControllerEvent& event : controller_.take_events()) log_.push_back(event);
    return log_;
  }
  std::int64_t tokens_lost_or_twice() const { return bad_tokens_; }
  std::size_t tokens_waiting() const { return waiting_.size(); }
  std::int64_t video_packets_sent() const { return video_packets_sent_; }
  const std::vector<std::pair<FeedId, Timestamp>>& key_requests() const { return key_requests_; }

 private:
  struct Encoder {
    Camera camera;
    double rate = 0;  // bit/s
    bool key_wanted = false;
    Timestamp picture_request = Timestamp::infinite_past();
  };
  struct Waiting {
    QueuedPacket packet;
    std::size_t unit;
    std::int64_t payload;
  };

  void capture(FeedId feed) {
    Encoder& encoder = encoders_.at(feed);
    const double wanted = static_cast<double>(target(feed).bps());
    if (encoder.rate <= 0) encoder.rate = wanted * 0.8;
    // A lower target is reached in two frames, a higher one with a 300-ms time constant.
    const double step = wanted < encoder.rate ? 0.5 : 1 - std::exp(-1 / encoder.camera.fps / 0.3);
    encoder.rate = wanted < encoder.rate && encoder.rate - wanted < 0.05 * wanted
                       ? wanted
                       : encoder.rate + (wanted - encoder.rate) * step;
    // Lognormal, mean 1, sigma 0.2.
    const double normal = std::sqrt(-2 * std::log(1 - random_.uniform())) *
                          std::cos(6.283185307179586 * random_.uniform());
    double bytes = encoder.rate / 8 / encoder.camera.fps * std::exp(0.2 * normal - 0.02);
    if (encoder.key_wanted) bytes *= key_frame_factor;
    const FrameKind kind = encoder.key_wanted ? FrameKind::kKey : FrameKind::kDelta;
    encoder.key_wanted = false;
    queue_unit(feed, kind, std::max<std::int64_t>(100, std::llround(bytes)));
    events_.after(TimeDelta::from_seconds(1 / encoder.camera.fps), [this, feed] { capture(feed); });
  }

  void sweep(FeedId feed, double hz, std::int64_t bytes) {
    queue_unit(feed, FrameKind::kSweep, bytes);
    events_.after(TimeDelta::from_seconds(1 / hz),
                  [this, feed, hz, bytes] { sweep(feed, hz, bytes); });
  }

  void queue_unit(FeedId feed, FrameKind kind, std::int64_t bytes) {
    const std::size_t unit = units_.size();
    units_.push_back({.feed = feed,
                      .is_key = kind == FrameKind::kKey,
                      .captured = events_.now(),
                      .payload = bytes});
    for (; bytes > 0; bytes -= kPayload) {
      const std::int64_t payload = std::min(bytes, kPayload);
      QueuedPacket packet{.token = next_token_++,
                          .feed = feed,
                          .size = DataSize::from_bytes(payload + kOverhead),
                          .kind = kind,
                          .ends_unit = bytes <= kPayload,
                          .queued_at = events_.now()};
      ++units_[unit].packets_missing;
      waiting_.insert_or_assign(packet.token, Waiting{packet, unit, payload});
      controller_.on_packet_queued(events_.now(), packet);
    }
    pump();
  }

  void pump() {
    while (true) {
      const SendDecision decision = controller_.next(events_.now());
      if (decision.action == SendDecision::Action::kSend) {
        send(decision.token);
        continue;
      }
      if (decision.action == SendDecision::Action::kWaitUntil) wake_at(decision.wake_at);
      break;
    }
    collect();
  }

  void send(std::uint64_t token) {
    const auto found = waiting_.find(token);
    if (found == waiting_.end()) {
      ++bad_tokens_;
      return;
    }
    const Waiting waiting = found->second;
    waiting_.erase(found);
    const SentPacket packet{next_number_++, waiting.packet.size, waiting.packet.feed,
                            events_.now()};
    if (waiting.packet.kind != FrameKind::kSweep) ++video_packets_sent_;
    controller_.on_packet_sent(packet);
    flying_[packet.number] = {waiting.unit, waiting.payload};
    link_.send(index_, packet, waiting.packet.ends_unit);
  }

  void collect() {
    for (const std::uint64_t token : controller_.take_drops()) {
      if (waiting_.erase(token) == 0) ++bad_tokens_;
    }
    for (const FeedId feed : controller_.take_key_frame_requests()) {
      key_requests_.push_back({feed, events_.now()});
      if (encoders_.contains(feed)) encoders_.at(feed).key_wanted = true;
    }
  }

  void wake_at(Timestamp when) {
    if (wake_ && *wake_ <= when && *wake_ > events_.now()) return;
    wake_ = when;
    events_.at(when, [this, when] {
      if (wake_ == when) wake_.reset();
      pump();
    });
  }

  void tick() {
    controller_.on_tick(events_.now());
    pump();
    events_.after(TimeDelta::from_millis(20), [this] { tick(); });
  }

  void on_report(const std::vector<ReceiverEntry>& entries) {
    if (events_.now() >= muted_from_ && events_.now() < muted_until_) return;
    std::vector<ReportedPacket> report;
    for (const ReceiverEntry& entry : entries) {
      ReportedPacket packet{.sequence_number = static_cast<std::uint16_t>(entry.number),
                            .lost = entry.lost};
      if (!entry.lost) packet.remote_ns = entry.remote_ns % kClockPeriodNs;
      report.push_back(packet);
    }
    if (!first_report_at) first_report_at = events_.now();
    if (tamper) tamper(report);
    controller_.on_feedback(events_.now(), report);
    pump();
  }

  void on_arrival(const SentPacket& packet, Timestamp at) {
    const auto found = flying_.find(packet.number);
    if (found == flying_.end()) return;
    ask_again(packet.number);
    UnitFate& unit = units_[found->second.first];
    arrivals_.push_back({at, found->second.second});
    flying_.erase(found);
    if (--unit.packets_missing > 0) return;
    unit.complete = at;
    if (encoders_.contains(unit.feed)) look_for_gaps(unit.feed);
  }

  // The receiver's part: what is missing is asked for again once; where that does not help within
  // 150 ms, a key frame is. Both requests take half an RTT.
  void ask_again(PacketNumber upto) {
    for (auto it = flying_.begin(); it != flying_.end() && it->first < upto;) {
      const auto [unit, payload] = it->second;
      it = flying_.erase(it);
      if (!retransmit || !encoders_.contains(units_[unit].feed)) continue;
      events_.after(way_back_, [this, unit = unit, payload = payload] {
        const QueuedPacket packet{.token = next_token_++,
                                  .feed = units_[unit].feed,
                                  .size = DataSize::from_bytes(payload + kOverhead + 2),
                                  .kind = FrameKind::kRetransmission,
                                  .ends_unit = true,
                                  .queued_at = events_.now()};
        waiting_.insert_or_assign(packet.token, Waiting{packet, unit, payload});
        controller_.on_packet_queued(events_.now(), packet);
        pump();
      });
    }
  }
  void look_for_gaps(FeedId feed) {
    Encoder& encoder = encoders_.at(feed);
    if (events_.now() - encoder.picture_request < TimeDelta::from_millis(250)) return;
    bool broken = false;
    for (std::size_t i = units_.size(); i-- > 0;) {
      const UnitFate& unit = units_[i];
      if (unit.feed != feed) continue;
      const bool overdue = events_.now() - unit.captured > TimeDelta::from_millis(150);
      broken = broken || (!unit.complete && overdue);
      if (unit.is_key && unit.complete) break;
    }
    if (!broken) return;
    encoder.picture_request = events_.now();
    events_.after(way_back_, [this, feed] { encoders_.at(feed).key_wanted = true; });
  }

  SendController controller_;
  EventQueue& events_;
  VirtualLink& link_;
  Random random_;
  TimeDelta way_back_;
  std::size_t index_ = 0;
  FeedId next_feed_ = 0;
  std::uint64_t next_token_ = 1;
  PacketNumber next_number_ = 0;
  std::map<FeedId, Encoder> encoders_;
  std::vector<UnitFate> units_;
  std::map<std::uint64_t, Waiting> waiting_;
  std::map<PacketNumber, std::pair<std::size_t, std::int64_t>> flying_;
  std::vector<std::pair<Timestamp, std::int64_t>> arrivals_;
  std::vector<ControllerEvent> log_;
  std::vector<std::pair<FeedId, Timestamp>> key_requests_;
  std::optional<Timestamp> wake_;
  Timestamp muted_from_ = Timestamp::infinite_future();
  Timestamp muted_until_ = Timestamp::infinite_past();
  std::int64_t bad_tokens_ = 0;
  std::int64_t video_packets_sent_ = 0;
};

}  // namespace farwheel::sim
