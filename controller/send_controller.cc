#include "send_controller.h"

#include <algorithm>

#include "send_engine.h"

namespace farwheel {

// Keeps time from running backwards, whatever the caller says.
class SendController::Impl {
 public:
  explicit Impl(const ControllerConfig& config) : engine(config) {}

  Timestamp advance(Timestamp to) {
    if (to.is_finite()) latest = std::max(latest, to);
    return latest;
  }
  // For what only looks.
  Timestamp at_least(Timestamp to) const { return to.is_finite() ? std::max(latest, to) : latest; }

  SendEngine engine;
  Timestamp latest = Timestamp::from_nanos(0);
};

SendController::SendController(const ControllerConfig& config)
    : impl_(std::make_unique<Impl>(config)) {}
SendController::~SendController() = default;
SendController::SendController(SendController&&) noexcept = default;
SendController& SendController::operator=(SendController&&) noexcept = default;

void SendController::set_algorithm(Timestamp now, Algorithm algorithm) {
  impl_->engine.set_algorithm(impl_->advance(now), algorithm);
}

void SendController::set_startup(StartupKind startup) {
  impl_->engine.set_startup(startup);
}

void SendController::set_bitrate_bounds(Timestamp now, DataRate min, DataRate max) {
  impl_->advance(now);
  impl_->engine.set_bitrate_bounds(min, max);
}

void SendController::set_start_bitrate(DataRate rate) {
  impl_->engine.set_start_bitrate(rate);
}

std::string SendController::set_params(std::string_view text) {
  return impl_->engine.set_params(text);
}

std::string SendController::params() const {
  return impl_->engine.params();
}

void SendController::add_feed(Timestamp now, FeedId feed, const FeedConfig& config) {
  impl_->advance(now);
  impl_->engine.add_feed(feed, config);
}

void SendController::remove_feed(Timestamp now, FeedId feed) {
  impl_->engine.remove_feed(impl_->advance(now), feed);
}

void SendController::on_packet_queued(Timestamp now, const QueuedPacket& packet) {
  const Timestamp at = impl_->advance(now);
  QueuedPacket queued = packet;
  // A unit's age counts from here; a time that is none, or lies ahead, would keep it for ever.
  if (!queued.queued_at.is_finite() || queued.queued_at > at) queued.queued_at = at;
  impl_->engine.on_packet_queued(at, queued);
}

SendDecision SendController::next(Timestamp now) {
  return impl_->engine.next(impl_->advance(now));
}

void SendController::on_packet_sent(const SentPacket& packet) {
  SentPacket sent = packet;
  sent.sent_at = impl_->advance(packet.sent_at);
  impl_->engine.on_packet_sent(sent);
}

std::vector<std::uint64_t> SendController::flush(Timestamp now) {
  impl_->advance(now);
  return impl_->engine.flush();
}

void SendController::on_feedback(Timestamp now, std::span<const ReportedPacket> report,
                                 std::optional<std::int64_t> ecn_ce_count) {
  impl_->engine.on_feedback(impl_->advance(now), report, ecn_ce_count);
}

void SendController::on_driver_queue(Timestamp now, const DriverQueueReport& report) {
  impl_->engine.on_driver_queue(impl_->advance(now), report);
}

void SendController::on_tick(Timestamp now) {
  impl_->engine.on_tick(impl_->advance(now));
}

void SendController::on_path_changed(Timestamp now) {
  impl_->engine.on_path_changed(impl_->advance(now));
}

std::vector<FeedTarget> SendController::targets() const {
  return impl_->engine.targets(impl_->latest);
}

std::vector<std::uint64_t> SendController::take_drops() {
  return impl_->engine.take_drops();
}

std::vector<FeedId> SendController::take_key_frame_requests() {
  return impl_->engine.take_key_frame_requests();
}

std::vector<ControllerEvent> SendController::take_events() {
  return impl_->engine.take_events();
}

ControllerSnapshot SendController::snapshot(Timestamp now) const {
  return impl_->engine.snapshot(impl_->at_least(now));
}

FeedSnapshot SendController::feed_snapshot(Timestamp now, FeedId feed) const {
  return impl_->engine.feed_snapshot(impl_->at_least(now), feed);
}

const FeedbackCounters& SendController::feedback_counters() const {
  return impl_->engine.feedback_counters();
}

}  // namespace farwheel
