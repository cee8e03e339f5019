#include "path/rtt_model.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr TimeDelta kMaxRttWindow = TimeDelta::from_millis(10000);
// Receiver stamps come in 250-us steps, so a loopback RTT may round to nothing or below.
constexpr TimeDelta kLeastRtt = TimeDelta::from_micros(50);
constexpr TimeDelta kRounding = TimeDelta::from_millis(5);
constexpr TimeDelta kLargestRtt = TimeDelta::from_millis(60000);
}  // namespace

RttModel::RttModel() : max_filter_(kMaxRttWindow) {}

void RttModel::overwrite_min_rtt(Timestamp now, TimeDelta rtt) {
  min_rtt_ = probe_rtt_min_ = std::max(rtt, kLeastRtt);
  min_rtt_stamp_ = probe_rtt_min_stamp_ = now;
}

void RttModel::reset() {
  *this = RttModel();
}

bool RttModel::on_rtt(Timestamp now, TimeDelta rtt, TimeDelta probe_rtt_interval,
                      TimeDelta min_rtt_window) {
  if (rtt < TimeDelta::zero() - kRounding || rtt > kLargestRtt) return false;
  rtt = std::max(rtt, kLeastRtt);
  latest_ = rtt;
  smoothed_ = smoothed_ ? *smoothed_ * 0.875 + rtt * 0.125 : rtt;
  max_filter_.update(now, rtt);

  // Section 4.3.4.4, BBRUpdateMinRTT.
  const bool expired = probe_rtt_min_ && now > probe_rtt_min_stamp_ + probe_rtt_interval;
  probe_rtt_expired_ = probe_rtt_expired_ || expired;
  if (!probe_rtt_min_ || rtt < *probe_rtt_min_ || expired) {
    probe_rtt_min_ = rtt;
    probe_rtt_min_stamp_ = now;
  }
  const bool min_rtt_expired = min_rtt_ && now > min_rtt_stamp_ + min_rtt_window;
  if (!min_rtt_ || *probe_rtt_min_ < *min_rtt_ || min_rtt_expired) {
    min_rtt_ = probe_rtt_min_;
    min_rtt_stamp_ = probe_rtt_min_stamp_;
  }
  return true;
}

}  // namespace farwheel
