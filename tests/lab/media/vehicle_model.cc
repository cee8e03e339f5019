#include "media/vehicle_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace farwheel::lab::media {
namespace {

constexpr TimeDelta kTick = TimeDelta::from_millis(10);
constexpr TimeDelta kSeriesStep = TimeDelta::from_millis(50);
constexpr TimeDelta kLongestWait = TimeDelta::from_millis(25);
constexpr TimeDelta kShortestWait = TimeDelta::from_micros(50);
// As rtpbbrcc has it: a sweep older than this is overtaken by the next.
constexpr TimeDelta kRadarQueueTime = TimeDelta::from_millis(80);
// Two sources never start in the same nanosecond.
constexpr TimeDelta kRadarPhase = TimeDelta::from_millis(11);
constexpr TimeDelta kCameraPhase = TimeDelta::from_micros(7100);
constexpr std::int64_t kRtxHeader = 2;

DataRate mbps(double value) {
  return DataRate::from_mbps(value);
}

}  // namespace

ControllerConfig VehicleModel::controller_config() const {
  ControllerConfig controller;
  controller.algorithm = config_.algorithm;
  controller.startup = config_.startup;
  double least = 0;
  double most = 0;
  for (const CameraConfig& camera : config_.cameras) {
    least += camera.min_mbps;
    most += camera.max_mbps;
  }
  if (config_.radar) {
    most += config_.radar->hz * static_cast<double>(config_.radar->bytes + 60) * 8 / 1e6;
  }
  controller.min_bitrate = mbps(least);
  controller.max_bitrate = mbps(most);
  controller.start_bitrate = mbps(config_.start_mbps);
  controller.max_packet_size = DataSize::from_bytes(kPacket + kCounted);
  controller.seed = config_.seed + index_;
  return controller;
}

VehicleModel::VehicleModel(sim::EventQueue& events, MediaLink& link, const MediaConfig& config,
                           std::size_t index)
    : events_(events),
      link_(link),
      config_(config),
      index_(index),
      controller_(controller_config()) {
  fault_ = controller_.set_params(config.params);
  station_ = std::make_unique<StationModel>(
      events, link, config, index,
      StationModel::Replies{[this](std::span<const ReportedPacket> report) {
                              controller_.on_feedback(events_.now(), report);
                              control();
                            },
                            [this](FeedId feed, std::int64_t sequence) { resend(feed, sequence); },
                            [this](FeedId feed) {
                              ++log_.feeds[feed].key_frames_requested;
                              feeds_[feed].camera->ask_for_key_frame();
                            }});
  flow_ = link.add_flow(config.rtt_of(index), [this](std::int64_t n) { on_arrival(n); });
  station_->set_flow(flow_);

  const std::string prefix =
      config.vehicles > 1 ? "vehicle-" + std::to_string(index + 1) + "/" : "";
  const Timestamp start = Timestamp::from_nanos(std::llround(config.start_of(index) * 1e9));
  for (std::size_t i = 0; i < config.cameras.size(); ++i) {
    const auto id = static_cast<FeedId>(feeds_.size());
    const CameraConfig& camera = config.cameras[i];
    feeds_.push_back({.kind = FeedKind::kCamera,
                      .camera = CameraModel(camera, config.seed * 31 + index * 7 + i),
                      .weight = camera.weight});
    log_.feeds.push_back({.name = prefix + "camera-" + std::to_string(i + 1)});
    events_.at(start + kCameraPhase * static_cast<double>(i), [this, id] { capture(id); });
  }
  if (config.radar) {
    const auto id = static_cast<FeedId>(feeds_.size());
    feeds_.push_back({.kind = FeedKind::kRadar});
    log_.feeds.push_back({.name = prefix + "radar", .kind = FeedKind::kRadar});
    events_.at(start + kRadarPhase, [this, id] { sweep(id); });
  }
  for (FeedId id = 0; id < feeds_.size(); ++id) {
    controller_.add_feed(events_.now(), id, feed_config(feeds_[id]));
  }
  for (const WeightChange& change : config.weight_changes) {
    events_.at(Timestamp::from_nanos(std::llround(change.at_s * 1e9)), [this, change] {
      const auto id = static_cast<FeedId>(change.camera);
      feeds_[id].weight = change.weight;
      controller_.add_feed(events_.now(), id, feed_config(feeds_[id]));
    });
  }
  events_.at(start, [this] { tick(); });
  if (config.series != nullptr) events_.at(start, [this] { write_series(); });
}

FeedConfig VehicleModel::feed_config(const Feed& feed) const {
  FeedConfig config;
  config.kind = feed.kind;
  if (feed.kind == FeedKind::kRadar) {
    config.max_queue_time = kRadarQueueTime;
    return config;
  }
  config.weight = feed.weight;
  config.min_bitrate = mbps(feed.camera->config().min_mbps);
  config.max_bitrate = mbps(feed.camera->config().max_mbps);
  return config;
}

bool VehicleModel::is_paused() const {
  const double t = events_.now().seconds();
  return std::any_of(config_.pauses.begin(), config_.pauses.end(), [&](const Pause& pause) {
    return pause.vehicle == index_ && t >= pause.from_s && t < pause.to_s;
  });
}

void VehicleModel::capture(FeedId id) {
  if (events_.now().seconds() >= config_.duration_s) return;
  CameraModel& camera = *feeds_[id].camera;
  events_.after(TimeDelta::from_seconds(1 / camera.config().fps), [this, id] { capture(id); });
  if (is_paused()) return;
  // rtpbbrcc tells a new feed's encoder its target before the first frame.
  if (feeds_[id].packets.empty()) control();
  const CameraModel::Frame frame = camera.capture();
  if (frame.is_key) ++log_.feeds[id].key_frames_sent;
  queue_unit(id, frame.bytes, frame.is_key ? FrameKind::kKey : FrameKind::kDelta);
}

void VehicleModel::sweep(FeedId id) {
  if (events_.now().seconds() >= config_.duration_s) return;
  events_.after(TimeDelta::from_seconds(1 / config_.radar->hz), [this, id] { sweep(id); });
  if (!is_paused()) queue_unit(id, config_.radar->bytes, FrameKind::kSweep);
}

void VehicleModel::queue_unit(FeedId id, std::int64_t bytes, FrameKind kind) {
  Feed& feed = feeds_[id];
  FeedLog& log = log_.feeds[id];
  const auto unit = static_cast<std::int32_t>(log.units.size());
  // A sweep's size is that of its packets; a frame's is the encoder's output.
  const std::int64_t headers = feed.kind == FeedKind::kRadar ? 0 : kHeaders;
  const std::int64_t most = kPacket - headers;
  log.units.push_back({.captured = events_.now(),
                       .first_packet = std::ssize(feed.packets),
                       .is_key = kind == FrameKind::kKey});
  for (; bytes > 0; bytes -= most) {
    const std::int64_t size = std::min(bytes, most) + headers;
    const auto sequence = std::ssize(feed.packets);
    feed.packets.push_back({.unit = unit, .bytes = static_cast<std::int32_t>(size)});
    ++log.units.back().packets;
    ++log.units.back().missing;
    const std::uint64_t token = next_token_++;
    waiting_.emplace(token, Waiting{id, sequence, size, false});
    controller_.on_packet_queued(events_.now(), {.token = token,
                                                 .feed = id,
                                                 .size = DataSize::from_bytes(size + kCounted),
                                                 .kind = kind,
                                                 .ends_unit = bytes <= most,
                                                 .queued_at = events_.now()});
  }
  pump();
}

// rtprtxsend stands before rtpbbrcc: it knows every packet, also one that was dropped behind it.
void VehicleModel::resend(FeedId id, std::int64_t sequence) {
  const std::int64_t size =
      feeds_[id].packets[static_cast<std::size_t>(sequence)].bytes + kRtxHeader;
  const std::uint64_t token = next_token_++;
  waiting_.emplace(token, Waiting{id, sequence, size, true});
  controller_.on_packet_queued(events_.now(), {.token = token,
                                               .feed = id,
                                               .size = DataSize::from_bytes(size + kCounted),
                                               .kind = FrameKind::kRetransmission,
                                               .ends_unit = true,
                                               .queued_at = events_.now()});
  pump();
}

void VehicleModel::pump() {
  while (true) {
    const SendDecision decision = controller_.next(events_.now());
    if (decision.action == SendDecision::Action::kSend) {
      send(decision.token);
      continue;
    }
    if (!waiting_.empty()) {
      const bool has_time = decision.action == SendDecision::Action::kWaitUntil;
      const TimeDelta wait = has_time ? decision.wake_at - events_.now() : kLongestWait;
      wake_at(events_.now() + std::clamp(wait, kShortestWait, kLongestWait));
    }
    break;
  }
  for (const std::uint64_t token : controller_.take_drops()) {
    const auto found = waiting_.find(token);
    if (found == waiting_.end()) continue;
    if (!found->second.is_retransmission) {
      Packet& packet =
          feeds_[found->second.feed].packets[static_cast<std::size_t>(found->second.sequence)];
      packet.dropped = true;
    }
    waiting_.erase(found);
  }
}

void VehicleModel::send(std::uint64_t token) {
  const auto found = waiting_.find(token);
  if (found == waiting_.end()) return;
  const Waiting waiting = found->second;
  waiting_.erase(found);
  const auto number = static_cast<PacketNumber>(flights_.size());
  flights_.push_back({events_.now(), waiting.feed, waiting.sequence});
  controller_.on_packet_sent({.number = number,
                              .size = DataSize::from_bytes(waiting.bytes + kCounted),
                              .feed = waiting.feed,
                              .sent_at = events_.now()});
  link_.send(flow_, number, waiting.bytes);
}

// What the element's control thread does.
void VehicleModel::control() {
  const Timestamp now = events_.now();
  controller_.on_tick(now);
  for (const ControllerEvent& event : controller_.take_events()) {
    if (config_.events) std::fprintf(stderr, "%s\n", to_string(event).c_str());
  }
  for (const FeedId id : controller_.take_key_frame_requests()) {
    if (feeds_[id].camera) feeds_[id].camera->ask_for_key_frame();
  }
  for (const FeedTarget& target : controller_.targets()) {
    if (feeds_[target.feed].camera) feeds_[target.feed].camera->set_target(now, target.bitrate);
  }
  pump();
}

void VehicleModel::tick() {
  control();
  events_.after(kTick, [this] { tick(); });
}

// A line of what media_command.cc's heading names.
void VehicleModel::write_series() {
  events_.after(kSeriesStep, [this] { write_series(); });
  const ControllerSnapshot s = controller_.snapshot(events_.now());
  std::fprintf(config_.series, "%.3f,%zu,%s,%s,%.4f,%.4f,%.4f,%.4f,%.2f,%.2f,%.2f,%.2f,%.4f\n",
               events_.now().seconds(), index_ + 1, std::string(to_string(s.state)).c_str(),
               std::string(to_string(s.limited_by)).c_str(), s.bw.mbps(), s.target.mbps(),
               s.delivered_rate.mbps(), s.pacing_rate.mbps(),
               s.queue_delay ? s.queue_delay->ms() : -1.0, s.pacer_queue.ms(),
               static_cast<double>(s.inflight.bytes()) / 1e3,
               s.cwnd.is_finite() ? static_cast<double>(s.cwnd.bytes()) / 1e3 : -1.0, s.loss);
}

void VehicleModel::wake_at(Timestamp when) {
  if (wake_ && *wake_ <= when && *wake_ > events_.now()) return;
  wake_ = when;
  events_.at(when, [this, when] {
    if (wake_ != when) return;
    wake_.reset();
    pump();
  });
}

void VehicleModel::on_arrival(PacketNumber number) {
  const Flight& flight = flights_[static_cast<std::size_t>(number)];
  Feed& feed = feeds_[flight.feed];
  const Timestamp now = events_.now();
  station_->on_packet(number, flight.feed, flight.sequence, feed.kind);
  Packet& packet = feed.packets[static_cast<std::size_t>(flight.sequence)];
  if (packet.arrived) return;
  packet.arrived = true;
  FeedLog& log = log_.feeds[flight.feed];
  log.delivered_bytes += packet.bytes;
  log_.arrivals.push_back({now, now - flight.sent, packet.bytes, flight.feed});
  Unit& unit = log.units[static_cast<std::size_t>(packet.unit)];
  if (--unit.missing > 0) return;
  unit.complete = now;
  if (unit.is_key) station_->on_key_frame(flight.feed, unit.first_packet);
}

VehicleLog VehicleModel::finish() {
  for (FeedId id = 0; id < feeds_.size(); ++id) {
    const FeedSnapshot counted = controller_.feed_snapshot(events_.now(), id);
    log_.feeds[id].dropped_units = counted.units_dropped;
    log_.feeds[id].key_frames_requested += counted.key_frames_requested;
  }
  return std::move(log_);
}

}  // namespace farwheel::lab::media
