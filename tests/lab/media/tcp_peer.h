// A TCP bulk flow beside the vehicles: CUBIC (RFC 9438) or BBR version 1 in their essentials, with
// selective acknowledgement, one acknowledgement a packet, an initial window of 10, and a timeout
// of a second. A neighbour to be measured beside, not a model of any one stack. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "media/media_config.h"
#include "media/media_link.h"
#include "sim/event_queue.h"

namespace farwheel::lab::media {

// What a congestion control says: how much may be under way, and how fast it leaves.
class PeerWindow {
 public:
  struct Ack {
    double now_s;
    double rtt_s;
    double delivery_rate;  // packets a second
    double in_flight;      // packets
    bool round_start;
  };
  virtual ~PeerWindow() = default;
  virtual void on_ack(const Ack& ack) = 0;
  virtual void on_loss(double now_s) = 0;  // at most once a round trip
  virtual void on_timeout() = 0;
  virtual double window() const = 0;  // packets
  virtual double pace() const = 0;    // packets a second; 0: not paced
};
std::unique_ptr<PeerWindow> make_cubic();
std::unique_ptr<PeerWindow> make_bbr();

class TcpPeer {
 public:
  TcpPeer(sim::EventQueue& events, MediaLink& link, const MediaConfig& config);
  // Payload over its active time.
  double mbps() const;

 private:
  struct Packet {
    std::int64_t sequence;
    Timestamp sent;
    double delivered_then;
    Timestamp delivered_at_then;
    bool acked;
    bool lost;
  };
  void pump();
  void transmit(std::int64_t sequence);
  void on_ack(std::int64_t index);
  void detect_losses(std::int64_t newest);
  void check_timeout();

  sim::EventQueue& events_;
  MediaLink& link_;
  double start_s_;
  double end_s_;
  std::unique_ptr<PeerWindow> window_;
  std::size_t flow_;
  std::vector<Packet> packets_;  // transmissions, in order
  std::int64_t oldest_ = 0;      // before it all are settled
  std::deque<std::int64_t> resend_;
  std::vector<bool> received_;
  std::int64_t next_sequence_ = 0;
  std::int64_t unique_received_ = 0;
  std::int64_t in_flight_ = 0;
  double delivered_ = 0;
  Timestamp delivered_at_ = Timestamp::from_nanos(0);
  std::int64_t round_end_ = 0;
  Timestamp loss_until_ = Timestamp::infinite_past();
  double smoothed_rtt_ = 0.1;
  Timestamp heard_at_ = Timestamp::from_nanos(0);
  Timestamp next_send_ = Timestamp::from_nanos(0);
  bool wake_set_ = false;
};

}  // namespace farwheel::lab::media
