#include "media/tcp_peer.h"

#include <algorithm>
#include <utility>

namespace farwheel::lab::media {
namespace {

constexpr std::int64_t kSegment = 1200;
constexpr std::int64_t kTcpOverUdp = 12 + 12;  // TCP 20 and timestamps 12, where UDP has 8
constexpr std::int64_t kReorder = 3;
constexpr double kTimeout = 1;
constexpr TimeDelta kCheck = TimeDelta::from_millis(100);

}  // namespace

TcpPeer::TcpPeer(sim::EventQueue& events, MediaLink& link, const MediaConfig& config)
    : events_(events),
      link_(link),
      start_s_(config.peer->at_s),
      end_s_(config.duration_s),
      window_(config.peer->kind == Peer::Kind::kCubic ? make_cubic() : make_bbr()) {
  smoothed_rtt_ = std::max(0.001, config.rtt_of(0) / 1e3);
  flow_ = link.add_flow(config.rtt_of(0), [this](std::int64_t index) {
    const auto sequence =
        static_cast<std::size_t>(packets_[static_cast<std::size_t>(index)].sequence);
    if (received_.size() <= sequence) received_.resize(sequence + 1, false);
    if (!received_[sequence] && events_.now().seconds() < end_s_) ++unique_received_;
    received_[sequence] = true;
    link_.send_back(flow_, [this, index] { on_ack(index); });
  });
  events_.at(Timestamp::from_seconds(start_s_), [this] {
    heard_at_ = delivered_at_ = next_send_ = events_.now();
    pump();
    check_timeout();
  });
}

double TcpPeer::mbps() const {
  const double active = end_s_ - start_s_;
  return active > 0 ? static_cast<double>(unique_received_ * kSegment) * 8 / 1e6 / active : 0;
}

void TcpPeer::pump() {
  while (static_cast<double>(in_flight_) < window_->window() && events_.now().seconds() < end_s_) {
    const double pace = window_->pace();
    if (pace > 0 && next_send_ > events_.now()) {
      if (!std::exchange(wake_set_, true)) {
        events_.at(next_send_, [this] {
          wake_set_ = false;
          pump();
        });
      }
      return;
    }
    if (pace > 0) {
      next_send_ = std::max(next_send_, events_.now()) + TimeDelta::from_seconds(1 / pace);
    }
    if (!resend_.empty()) {
      const std::int64_t sequence = resend_.front();
      resend_.pop_front();
      transmit(sequence);
    } else {
      transmit(next_sequence_++);
    }
  }
}

void TcpPeer::transmit(std::int64_t sequence) {
  const auto index = std::ssize(packets_);
  packets_.push_back({sequence, events_.now(), delivered_, delivered_at_, false, false});
  ++in_flight_;
  link_.send(flow_, index, kSegment + kTcpOverUdp);
}

void TcpPeer::on_ack(std::int64_t index) {
  Packet& packet = packets_[static_cast<std::size_t>(index)];
  const Timestamp now = events_.now();
  heard_at_ = now;
  if (packet.acked) return;
  packet.acked = true;
  if (!packet.lost) --in_flight_;
  delivered_ += 1;
  delivered_at_ = now;
  const double rtt = (now - packet.sent).seconds();
  smoothed_rtt_ += (rtt - smoothed_rtt_) / 8;
  const double span = std::max((now - packet.delivered_at_then).seconds(), rtt);
  const bool round_start = index >= round_end_;
  if (round_start) round_end_ = std::ssize(packets_);
  detect_losses(index);
  window_->on_ack({now.seconds(), rtt, (delivered_ - packet.delivered_then) / span,
                   static_cast<double>(in_flight_), round_start});
  pump();
}

void TcpPeer::detect_losses(std::int64_t newest) {
  bool lost_any = false;
  for (std::int64_t i = oldest_; i <= newest - kReorder; ++i) {
    Packet& packet = packets_[static_cast<std::size_t>(i)];
    if (packet.acked || packet.lost) continue;
    packet.lost = true;
    --in_flight_;
    resend_.push_back(packet.sequence);
    lost_any = lost_any || packet.sent > loss_until_;
  }
  oldest_ = std::max(oldest_, newest - kReorder + 1);
  if (!lost_any) return;
  loss_until_ = events_.now();
  window_->on_loss(events_.now().seconds());
}

void TcpPeer::check_timeout() {
  if (events_.now().seconds() >= end_s_) return;
  events_.after(kCheck, [this] { check_timeout(); });
  if (in_flight_ == 0 || (events_.now() - heard_at_).seconds() < kTimeout + smoothed_rtt_) return;
  heard_at_ = events_.now();
  for (std::int64_t i = oldest_; i < std::ssize(packets_); ++i) {
    Packet& packet = packets_[static_cast<std::size_t>(i)];
    if (packet.acked || packet.lost) continue;
    packet.lost = true;
    resend_.push_back(packet.sequence);
  }
  oldest_ = std::ssize(packets_);
  in_flight_ = 0;
  window_->on_timeout();
  pump();
}

}  // namespace farwheel::lab::media
