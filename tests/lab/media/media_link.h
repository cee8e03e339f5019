// The link that vehicles and other traffic share: one queue before a LinkCapacity, limited in time
// or bytes, then propagation with jitter, loss and reordering, and an uncongested way back. A
// packet's departure is known when it is queued, so it costs one event. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "media/link_capacity.h"
#include "media/media_config.h"
#include "path/random.h"
#include "sim/event_queue.h"

namespace farwheel::lab::media {

struct LinkCounters {
  std::int64_t sent = 0;
  std::int64_t delivered = 0;
  std::int64_t dropped_by_queue = 0;
  std::int64_t lost_in_silence = 0;
  std::int64_t lost_at_random = 0;
  std::int64_t lost() const { return dropped_by_queue + lost_in_silence + lost_at_random; }
};

class MediaLink {
 public:
  // IP 20, UDP 8, PPP 2 (measures: 1200 bytes are 1230 at the bottleneck).
  static constexpr std::int64_t kOverhead = 30;
  using Arrival = std::function<void(std::int64_t packet)>;

  MediaLink(sim::EventQueue& events, const LinkCapacity& capacity, const MediaConfig& config);

  // A sender with its way to the bottleneck and on; `arrive` is called at the receiver.
  std::size_t add_flow(double rtt_ms, Arrival arrive);
  // `bytes`: UDP payload. False if it was dropped at once.
  bool send(std::size_t flow, std::int64_t packet, std::int64_t bytes);
  // Something small goes back; lost in silence, and at the share of feedback loss.
  void send_back(std::size_t flow, std::function<void()> arrive);

  bool silent() const;
  std::int64_t queued_bytes();
  const LinkCounters& counters(std::size_t flow) const { return flows_[flow].counters; }

 private:
  struct Flow {
    TimeDelta half_rtt;
    Arrival arrive;
    Timestamp last_arrival = Timestamp::infinite_past();
    LinkCounters counters;
  };
  struct Queued {
    Timestamp departs;
    std::int64_t bytes;
  };
  double queue_limit() const;
  TimeDelta extra_delay(const std::vector<DelayStep>& steps) const;

  sim::EventQueue& events_;
  const LinkCapacity& capacity_;
  const MediaConfig& config_;
  Random loss_random_;
  Random jitter_random_;
  Random back_random_;
  Service service_;
  std::vector<Flow> flows_;
  std::deque<Queued> queue_;
  std::int64_t queued_bytes_ = 0;
  mutable double last_rate_ = 0;  // bytes a second, the last that was not zero
};

}  // namespace farwheel::lab::media
