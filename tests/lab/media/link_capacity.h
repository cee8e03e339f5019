// What a bottleneck can carry when: a rate in phases, a mahimahi trace, or uplink grants, with
// silences in which nothing passes. Immutable once made; the place in the service that a queue has
// reached is the caller's, so that a run and an oracle can read one link.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "units/time.h"

namespace farwheel::lab::media {

struct RatePhase {
  double mbps;  // 0: nothing passes, what is queued waits
  double seconds;
};

struct Silence {
  double at_s;
  double seconds;
  bool contains(double t) const { return t >= at_s && t < at_s + seconds; }
};

// The uplink of a phone: it sends only at grants so far apart, and a share of them arrives later
// (HARQ), in order.
struct Uplink {
  double slot_ms;
  double harq_share = 0;
  double harq_ms = 8;
};

// How far a queue's service has come. Begins at the link's beginning.
struct Service {
  Timestamp free_at = Timestamp::from_nanos(0);
  std::int64_t grant = -1;
  double grant_left = 0;  // bytes
};

struct Departure {
  Timestamp at;
  // The grant was repeated: so much later, and nothing overtakes it.
  TimeDelta repeat = TimeDelta::zero();
};

class LinkCapacity {
 public:
  virtual ~LinkCapacity() = default;
  // A packet of `bytes` that arrives now behind everything served so far: when its last byte has
  // left; infinite if never.
  virtual Departure serve(Service& service, Timestamp arrival, std::int64_t bytes) const = 0;
  // Bytes that could pass in [from, to).
  virtual double bytes_between(Timestamp from, Timestamp to) const = 0;
  // The first time from `from` on at which something can pass.
  virtual Timestamp next_delivery(Timestamp from) const = 0;
  // For the limit of a queue that is given as time; 0 while nothing passes.
  virtual double bytes_per_second(Timestamp at) const = 0;
};

std::unique_ptr<LinkCapacity> phased_capacity(std::vector<RatePhase> phases,
                                              const std::vector<Silence>& silences);
std::unique_ptr<LinkCapacity> slotted_capacity(std::unique_ptr<LinkCapacity> rate,
                                               const Uplink& uplink, std::uint64_t seed);
// `opportunities_ms`: rising, each of 1500 bytes; repeated from the last one's time on.
std::unique_ptr<LinkCapacity> traced_capacity(std::vector<std::int64_t> opportunities_ms,
                                              const std::vector<Silence>& silences);

}  // namespace farwheel::lab::media
