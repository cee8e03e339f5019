#include "adaptive/paper_signals.h"

#include <algorithm>

namespace farwheel {
namespace {
// Short, so that a receiver's clock that drifts by 100 ppm moves the result by 0.2 ms only.
constexpr TimeDelta kWayBackWindow = TimeDelta::from_millis(2000);
}  // namespace

PaperSignals::PaperSignals()
    : window_(ms(BbrParams().paper_max_rtt_ms)), recent_max_(window_), way_back_(kWayBackWindow) {}

void PaperSignals::on_delivered(const BbrParams& params, Timestamp now, BbrState state,
                                const PacketResult& result) {
  if (!result.rtt.is_finite()) return;
  TimeDelta rtt = std::max(result.rtt, TimeDelta::zero());
  if (result.received_at.is_finite()) {
    // Holds the unknown offset of the clocks, which cancels out.
    const TimeDelta way_out = result.received_at - result.packet.sent_at;
    way_back_.update(now, rtt - way_out);
    if (params.paper_now_rtt == PaperRtt::kNetOfReports) {
      rtt = std::min(rtt, way_out + way_back_.value().value_or(rtt - way_out));
    }
  }
  now_rtt_ = rtt;

  if (window_ != ms(params.paper_max_rtt_ms)) {
    window_ = ms(params.paper_max_rtt_ms);
    recent_max_ = BucketedExtremum<TimeDelta, std::greater<>>(window_);
  }
  recent_max_.update(now, rtt);
  lifetime_max_ = std::max(lifetime_max_.value_or(rtt), rtt);
  if (state != BbrState::kStartup && state != BbrState::kDrain) {
    after_startup_max_ = std::max(after_startup_max_.value_or(rtt), rtt);
  }
}

std::optional<TimeDelta> PaperSignals::max_rtt(const BbrParams& params) const {
  switch (params.paper_max_rtt) {
    case MaxRttLife::kLifetime:
      return lifetime_max_;
    case MaxRttLife::kAfterStartup:
      return after_startup_max_;
    default:
      return recent_max_.value();
  }
}

}  // namespace farwheel
