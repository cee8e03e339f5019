#include "path/path_model.h"

#include <algorithm>

namespace farwheel {
namespace {
// Receiver stamps are rounded to 250 us at both ends of an interval.
constexpr TimeDelta kStampRounding = TimeDelta::from_micros(500);
constexpr TimeDelta kLeastInterval = TimeDelta::from_micros(250);
}  // namespace

void PathModel::on_packet_sent(const SentPacket& packet, DataSize inflight) {
  // Nothing else is in flight: time before this packet says nothing about the path.
  if (inflight <= packet.size) {
    first_send_time_ = packet.sent_at;
    delivered_time_ = Timestamp::infinite_past();
  }
  SentState& state = sent_.add(packet.number);
  state.status = SentState::Status::kInFlight;
  state.number = packet.number;
  state.delivered = delivered_;
  state.lost = lost_;
  state.marked = marked_;
  state.tx_in_flight = std::max(inflight, packet.size);
  state.delivered_time = delivered_time_;
  state.first_send_time = first_send_time_;
  state.is_app_limited = app_limited();
}

void PathModel::on_application_limited(DataSize inflight) {
  app_limited_until_ = delivered_ + std::max(inflight, DataSize::from_bytes(1));
}

void PathModel::on_path_changed() {
  rtt_.reset();
  sent_.clear();
  delivered_time_ = Timestamp::infinite_past();
  first_send_time_ = Timestamp::infinite_past();
  start_round();
}

const RateSample& PathModel::on_report(Timestamp now, const FeedbackReport& report,
                                       DataSize inflight, const Windows& windows) {
  std::vector<LostPacket> losses = std::move(sample_.losses);
  losses.clear();
  sample_ = RateSample{};
  sample_.losses = std::move(losses);
  sample_.now = now;
  sample_.inflight = inflight;
  newest_.status = SentState::Status::kEmpty;
  rtt_.begin_report();

  std::int64_t packets = 0;
  for (const PacketResult& result : report.packets) {
    SentState* state = sent_.find(result.packet.number);
    if (state == nullptr) continue;
    switch (result.fate) {
      case PacketResult::Fate::kDelivered:
        take_delivered(now, result, *state, windows);
        ++packets;
        break;
      case PacketResult::Fate::kLost:
        if (state->status == SentState::Status::kInFlight) take_lost(result, *state);
        break;
      case PacketResult::Fate::kUnknown:
        state->status = SentState::Status::kEmpty;
        break;
    }
  }
  if (report.ecn_ce_count) take_marks(*report.ecn_ce_count, packets);
  finish_sample();
  return sample_;
}

// Marks are counted in packets; which ones bore them is not told.
void PathModel::take_marks(std::int64_t count, std::int64_t packets) {
  sample_.reports_marks = true;
  if (packets == 0) return;
  const double share = static_cast<double>(std::clamp<std::int64_t>(count, 0, packets)) /
                       static_cast<double>(packets);
  sample_.newly_marked = sample_.newly_delivered * share;
  marked_ += sample_.newly_marked;
}

void PathModel::take_delivered(Timestamp now, const PacketResult& result, SentState& state,
                               const Windows& windows) {
  const DataSize size = std::max(result.packet.size, DataSize::zero());
  // Reported lost before: reordering, so the loss is taken back.
  if (state.status == SentState::Status::kLost) {
    lost_ = lost_ - size;
    sample_.newly_rescued += size;
  }
  delivered_ += size;
  sample_.newly_delivered += size;
  if (result.rtt.is_finite() &&
      rtt_.on_rtt(now, result.rtt, windows.probe_rtt_interval, windows.min_rtt)) {
    sample_.min_rtt = std::min(sample_.min_rtt, std::max(result.rtt, TimeDelta::from_micros(50)));
  }
  if (result.received_at.is_finite()) {
    delivered_time_ = std::max(delivered_time_, result.received_at);
    newest_arrival_ = std::max(newest_arrival_, result.received_at);
  }
  if (newest_.status == SentState::Status::kEmpty || state.number > newest_.number) {
    newest_ = state;
    newest_.status = SentState::Status::kInFlight;
    newest_rtt_ = result.rtt;
    newest_sent_at_ = result.packet.sent_at;
    first_send_time_ = result.packet.sent_at;
  }
  state.status = SentState::Status::kEmpty;
}

void PathModel::take_lost(const PacketResult& result, SentState& state) {
  if (result.packet.sent_at < forgiven_before_) {
    state.status = SentState::Status::kEmpty;
    return;
  }
  if (state.number != last_lost_ + 1) ++sample_.loss_ranges;
  last_lost_ = state.number;
  state.status = SentState::Status::kLost;
  const DataSize size = std::max(result.packet.size, DataSize::zero());
  lost_ += size;
  sample_.newly_lost += size;
  LostPacket loss;
  loss.size = size;
  loss.tx_in_flight = state.tx_in_flight;
  loss.lost = lost_ - state.lost;
  loss.is_app_limited = state.is_app_limited;
  sample_.losses.push_back(loss);
}

void PathModel::finish_sample() {
  if (newest_.status == SentState::Status::kEmpty) return;
  sample_.has_delivery = true;
  sample_.is_app_limited = newest_.is_app_limited;
  sample_.tx_in_flight = newest_.tx_in_flight;
  sample_.lost = std::max(lost_ - newest_.lost, DataSize::zero());
  sample_.delivered = delivered_ - newest_.delivered;
  sample_.marked = marked_ - newest_.marked;
  sample_.newest_sent_at = newest_sent_at_;

  // Section 4.5.1, round counting.
  if (newest_.delivered >= next_round_delivered_) {
    next_round_delivered_ = delivered_;
    ++round_;
    sample_.round_start = true;
  }

  // draft-06 section 4.1.2 with the receiver's clock for the acknowledging side: the batching of
  // reports and the way back do not compress it.
  const TimeDelta send_elapsed = newest_sent_at_ - newest_.first_send_time;
  TimeDelta ack_elapsed = TimeDelta::zero();
  if (newest_.delivered_time.is_finite()) {
    if (delivered_time_.is_finite()) ack_elapsed = delivered_time_ - newest_.delivered_time;
  } else if (newest_rtt_.is_finite()) {
    // The flight began after idle: the draft's acknowledging side would have begun at its sending.
    ack_elapsed = send_elapsed + newest_rtt_;
  }
  const TimeDelta interval = std::max(send_elapsed, ack_elapsed);
  if (!interval.is_finite() || interval < kLeastInterval) return;
  const std::optional<TimeDelta> min_rtt = rtt_.min_rtt();
  if (min_rtt && interval + kStampRounding < *min_rtt) return;
  sample_.delivery_rate = sample_.delivered / interval;
}

}  // namespace farwheel
