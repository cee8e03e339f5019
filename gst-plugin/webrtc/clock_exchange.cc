#include "webrtc/clock_exchange.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace farwheel {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kWindow = 60 * kSecond;
constexpr std::size_t kMaxPings = 64;
// Clock readings beyond this (about 146 years) are no clock's.
constexpr std::int64_t kMaxReading = std::int64_t{1} << 62;
// Two quartzes without temperature control drift apart by less than this; with a fit, the rest is
// temperature.
constexpr double kMaxDriftPpm = 100;
constexpr double kFittedDriftPpm = 15;
// The fit: the best exchange of each bucket, over a span, of those near the minimum RTT.
constexpr std::int64_t kBucket = 2 * kSecond;
constexpr std::int64_t kFitSpan = 16 * kSecond;
constexpr std::size_t kFitBuckets = 8;
constexpr double kMaxSkewPpm = 500;

bool is_reading(std::int64_t time) {
  return time >= 0 && time < kMaxReading;
}

}  // namespace

std::uint64_t ClockExchange::start(std::int64_t t1) {
  pings_.push_back({next_id_, t1});
  if (pings_.size() > kMaxPings) pings_.pop_front();
  return next_id_++;
}

bool ClockExchange::finish(std::uint64_t id, const ClockSample& sample) {
  const auto ping = std::find_if(pings_.begin(), pings_.end(),
                                 [id](const Ping& other) { return other.id == id; });
  if (ping == pings_.end() || ping->t1 != sample.t1 || !is_reading(sample.t2) ||
      !is_reading(sample.t3) || !is_reading(sample.t4) || sample.t3 < sample.t2 ||
      sample.t4 < sample.t1 || sample.t4 - sample.t1 < sample.t3 - sample.t2) {
    ++rejected_;
    return false;
  }
  pings_.erase(ping);
  Exchange exchange;
  exchange.rtt = (sample.t4 - sample.t1) - (sample.t3 - sample.t2);
  exchange.at = sample.t1 + (sample.t4 - sample.t1) / 2;
  exchange.offset = (sample.t1 - sample.t2) / 2 + (sample.t4 - sample.t3) / 2;
  window_.push_back(exchange);
  while (exchange.at - window_.front().at > kWindow) window_.pop_front();
  fit_skew();
  return true;
}

std::optional<ClockEstimate> ClockExchange::estimate(std::int64_t station_now) const {
  std::optional<ClockEstimate> best;
  const double skew = skew_ppm_.value_or(0) * 1e-6;
  const double drift = (skew_ppm_ ? kFittedDriftPpm : kMaxDriftPpm) * 1e-6;
  for (const Exchange& exchange : window_) {
    const auto age = static_cast<double>(station_now - exchange.at);
    const auto widened = static_cast<std::int64_t>(std::ceil(std::abs(age) * drift));
    const std::int64_t error = (exchange.rtt + 1) / 2 + widened;
    if (best && best->error_ns <= error) continue;
    best =
        ClockEstimate{exchange.offset + static_cast<std::int64_t>(std::llround(age * skew)), error};
  }
  return best;
}

std::optional<std::int64_t> ClockExchange::latest_rtt_ns() const {
  if (window_.empty()) return std::nullopt;
  return window_.back().rtt;
}

std::optional<std::int64_t> ClockExchange::min_rtt_ns() const {
  if (window_.empty()) return std::nullopt;
  return std::min_element(window_.begin(), window_.end(),
                          [](const Exchange& a, const Exchange& b) { return a.rtt < b.rtt; })
      ->rtt;
}

void ClockExchange::fit_skew() {
  std::vector<Exchange> points;
  for (const Exchange& exchange : window_) {
    const bool same_bucket = !points.empty() && exchange.at / kBucket == points.back().at / kBucket;
    if (!same_bucket) {
      points.push_back(exchange);
    } else if (exchange.rtt < points.back().rtt) {
      points.back() = exchange;
    }
  }
  if (points.size() < kFitBuckets || points.back().at - points.front().at < kFitSpan) {
    skew_ppm_.reset();
    return;
  }
  // A bucket whose best was still queued says little: weigh by 1 / RTT². Centred for precision.
  const double at0 = static_cast<double>(points.front().at);
  const double offset0 = static_cast<double>(points.front().offset);
  double sum = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (const Exchange& point : points) {
    const double rtt = static_cast<double>(point.rtt) + 1e4;
    const double weight = 1e12 / (rtt * rtt);
    const double x = static_cast<double>(point.at) - at0;
    const double y = static_cast<double>(point.offset) - offset0;
    sum += weight;
    sum_x += weight * x;
    sum_y += weight * y;
    sum_xx += weight * x * x;
    sum_xy += weight * x * y;
  }
  const double spread = sum * sum_xx - sum_x * sum_x;
  if (spread <= 0) return;
  const double slope_ppm = (sum * sum_xy - sum_x * sum_y) / spread * 1e6;
  if (std::abs(slope_ppm) <= kMaxSkewPpm) {
    skew_ppm_ = slope_ppm;
  } else {
    skew_ppm_.reset();
  }
}

}  // namespace farwheel
