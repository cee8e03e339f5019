// Loss-based and model-based TCP, as far as a bottleneck feels them: CUBIC (RFC 9438; or without
// its Reno-friendly region, as ns-3.37 has it, which yields far sooner) and BBR's first version,
// ack-clocked on a VirtualLink. No retransmission: a lost segment only counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>

#include "path/bucketed_extremum.h"
#include "sim/virtual_link.h"

namespace farwheel::sim {

enum class PeerKind { kCubic, kPlainCubic, kBbr };

class TcpPeer {
 public:
  static constexpr std::int64_t kWireBytes = 1242;

  TcpPeer(EventQueue& events, VirtualLink& link, PeerKind kind, TimeDelta rtt)
      : events_(events), link_(link), kind_(kind), rtt_(rtt) {
    FlowConfig flow;
    flow.rtt = rtt;
    index_ = link_.add_flow(flow, {}, [this](const SentPacket& packet, Timestamp) {
      events_.after(rtt_ / 2.0, [this, packet] { on_ack(packet); });
    });
  }
  void start(Timestamp at) {
    events_.at(at, [this] {
      running_ = true;
      pump();
      watch();
    });
  }
  void stop() { running_ = false; }
  double mbps(double seconds) const {
    return static_cast<double>(link_.counters(index_).packets_delivered) * 1200 * 8 / seconds / 1e6;
  }

 private:
  struct Flying {
    PacketNumber number;
    double delivered;
    double delivered_at;
  };

  double now() const { return events_.now().seconds(); }

  void pump() {
    while (running_ && static_cast<double>(flying_.size()) < std::max(1.0, window_)) {
      if (kind_ == PeerKind::kBbr) {
        if (now() < next_send_) {
          if (!waking_) {
            waking_ = true;
            events_.at(Timestamp::from_seconds(next_send_ + 1e-6), [this] {
              waking_ = false;
              pump();
            });
          }
          return;
        }
        next_send_ = std::max(next_send_, now() - 0.001) + kWireBytes * 8 / pacing();
      }
      flying_.push_back({next_number_, delivered_, delivered_at_});
      link_.send(index_, {next_number_++, DataSize::from_bytes(kWireBytes), 0, events_.now()});
    }
  }

  // Everything in flight may be lost: then the window starts over (RTO).
  void watch() {
    if (!running_) return;
    if (now() - last_ack_ > std::max(1.0, 3 * rtt_.seconds()) && !flying_.empty()) {
      flying_.clear();
      threshold_ = window_ / 2;
      window_ = kind_ == PeerKind::kBbr ? 4 : 1;
      last_ack_ = now();
      pump();
    }
    events_.after(TimeDelta::from_millis(100), [this] { watch(); });
  }

  void on_ack(const SentPacket& packet) {
    last_ack_ = now();
    bool lost = false;
    PacketNumber newest_lost = -1;
    while (!flying_.empty() && flying_.front().number < packet.number) {
      lost = true;
      newest_lost = flying_.front().number;
      flying_.pop_front();
    }
    if (flying_.empty() || flying_.front().number != packet.number) return;
    const Flying acked = flying_.front();
    flying_.pop_front();
    delivered_ += kWireBytes;
    delivered_at_ = now();
    const double rtt = (events_.now() - packet.sent_at).seconds();
    if (kind_ != PeerKind::kBbr) {
      if (lost && newest_lost >= recovery_until_) cut();
      grow(rtt);
    } else {
      on_bbr_ack(acked, rtt);
    }
    pump();
  }

  // ---- CUBIC
  void cut() {
    recovery_until_ = next_number_;
    max_window_ = window_ < max_window_ ? window_ * 0.85 : window_;
    window_ = std::max(2.0, window_ * 0.7);
    threshold_ = window_;
    epoch_ = -1;
    reno_window_ = window_;
  }
  void grow(double rtt) {
    least_rtt_ = std::min(least_rtt_, rtt);
    if (window_ < threshold_) {
      window_ += 1;
      // HyStart's delay test.
      if (window_ > 16 && rtt > least_rtt_ + std::clamp(least_rtt_ / 8, 0.004, 0.016)) {
        threshold_ = window_;
      }
      return;
    }
    if (epoch_ < 0) {
      epoch_ = now();
      max_window_ = std::max(max_window_, window_);
      k_ = std::cbrt((max_window_ - window_) / 0.4);
      reno_window_ = window_;
    }
    const double t = now() - epoch_ + rtt;
    const double target =
        std::clamp(max_window_ + 0.4 * std::pow(t - k_, 3), window_, window_ * 1.5);
    reno_window_ += 3 * 0.3 / 1.7 / window_;
    window_ += (target - window_) / window_;
    if (kind_ == PeerKind::kCubic) window_ = std::max(window_, reno_window_);
  }

  // ---- BBR, first version
  double pacing() const { return std::max(100000.0, bbr_gain_ * rate_or_initial()); }
  double rate_or_initial() const {
    return bandwidth_ > 0 ? bandwidth_ : 10 * kWireBytes * 8 / std::max(0.001, rtt_.seconds());
  }
  void on_bbr_ack(const Flying& acked, double rtt) {
    if (rtt <= least_rtt_ || now() - least_rtt_at_ > 10) {
      if (now() - least_rtt_at_ > 10 && rtt > least_rtt_ && filled_)
        drain_until_ = now() + 0.2 + rtt;
      least_rtt_ = rtt;
      least_rtt_at_ = now();
    }
    if (acked.delivered >= round_end_) {
      round_end_ = delivered_;
      ++round_;
      if (!filled_) {
        if (bandwidth_ > full_ * 1.25) {
          full_ = bandwidth_;
          flat_rounds_ = 0;
        } else if (++flat_rounds_ >= 3) {
          filled_ = true;
          draining_ = true;
        }
      }
    }
    if (acked.delivered_at > 0 && now() > acked.delivered_at) {
      const double sample = (delivered_ - acked.delivered) * 8 / (now() - acked.delivered_at);
      max_.push_back({round_, sample});
      while (!max_.empty() && max_.front().round < round_ - 10) max_.pop_front();
      bandwidth_ = 0;
      for (const Best& best : max_) bandwidth_ = std::max(bandwidth_, best.rate);
      while (max_.size() > 1 && max_[max_.size() - 2].rate <= max_.back().rate) {
        max_.erase(max_.end() - 2);
      }
    }
    const double bdp = rate_or_initial() / 8 * std::min(least_rtt_, 10.0) / kWireBytes;
    const double flying = static_cast<double>(flying_.size());
    if (!filled_) {
      bbr_gain_ = 2.885;
      window_ = std::max(10.0, 2.885 * bdp + 3);
      return;
    }
    if (draining_ && flying <= bdp) draining_ = false;
    if (draining_) {
      bbr_gain_ = 1 / 2.885;
    } else if (now() - phase_at_ > least_rtt_) {
      static constexpr double kGains[] = {1.25, 0.75, 1, 1, 1, 1, 1, 1};
      if (phase_ != 0 || flying >= 1.25 * bdp || now() - phase_at_ > 3 * least_rtt_) {
        phase_ = (phase_ + 1) % 8;
        phase_at_ = now();
      }
      bbr_gain_ = kGains[phase_];
    }
    window_ = std::max(4.0, 2 * bdp + 3);
    if (now() < drain_until_) window_ = 4;
  }

  struct Best {
    std::int64_t round;
    double rate;
  };
  EventQueue& events_;
  VirtualLink& link_;
  PeerKind kind_;
  TimeDelta rtt_;
  std::size_t index_ = 0;
  bool running_ = false;
  std::deque<Flying> flying_;
  PacketNumber next_number_ = 0;
  PacketNumber recovery_until_ = 0;
  double window_ = 10;
  double threshold_ = 1e9;
  double max_window_ = 0;
  double reno_window_ = 0;
  double epoch_ = -1;
  double k_ = 0;
  double least_rtt_ = 1e9;
  double least_rtt_at_ = 0;
  double last_ack_ = 0;

  double bbr_gain_ = 2.885;
  double bandwidth_ = 0;
  std::deque<Best> max_;
  double full_ = 0;
  int flat_rounds_ = 0;
  bool filled_ = false;
  bool draining_ = false;
  int phase_ = 2;
  double phase_at_ = 0;
  double drain_until_ = 0;
  double next_send_ = 0;
  bool waking_ = false;
  std::int64_t round_ = 0;
  double round_end_ = 0;
  double delivered_ = 0;
  double delivered_at_ = 0;
};

}  // namespace farwheel::sim
