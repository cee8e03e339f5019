// Takes back what loss did to the model when every packet reported lost arrives after all:
// reordering, not congestion (draft-ietf-ccwg-bbr-06, sections 5.2.5 and 5.5.11). Transport-wide
// feedback has no retransmissions, so a late arrival is proof. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "bbr/inflight_bounds.h"
#include "controller_types.h"
#include "path/rate_sample.h"

namespace farwheel {

class SpuriousLoss {
 public:
  // What stood before the losses of one episode.
  struct Saved {
    BbrState state;
    InflightBounds bounds;
  };

  // To be called before the model takes the report. Gives what is to be restored when the last
  // loss of the episode was taken back by this report.
  std::optional<Saved> on_report(const RateSample& sample, std::int64_t round, BbrState state,
                                 const InflightBounds& bounds);
  void reset() { *this = SpuriousLoss(); }

 private:
  std::optional<Saved> saved_;
  std::int64_t first_round_ = 0;
  DataSize still_lost_ = DataSize::zero();
};

}  // namespace farwheel
