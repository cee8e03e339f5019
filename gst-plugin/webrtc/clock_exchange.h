// An NTP-like exchange between the station's and the vehicle's monotonic clocks. Pure: times are
// arguments, any thread but one at a time. Each exchange bounds the offset to ± half of its RTT,
// however asymmetric the path was; the estimate is the exchange whose bound, widened by what two
// clocks can drift apart since, is the narrowest now. A fitted skew, once there is enough to fit,
// lets old good exchanges serve longer.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace farwheel {

// All in ns. `t1`, `t4`: station's clock; `t2`, `t3`: vehicle's.
struct ClockSample {
  std::int64_t t1 = 0;
  std::int64_t t2 = 0;
  std::int64_t t3 = 0;
  std::int64_t t4 = 0;
};

struct ClockEstimate {
  std::int64_t offset_ns = 0;  // station's clock minus vehicle's, now
  std::int64_t error_ns = 0;   // half width of the band around it
};

class ClockExchange {
 public:
  // A fresh ping: returns its id. Remembers the newest 64 that are unanswered.
  std::uint64_t start(std::int64_t t1);
  // A pong. False for one that answers nothing of ours or cannot be (negative times, RTT < 0).
  bool finish(std::uint64_t id, const ClockSample& sample);

  // Empty before the first answer.
  std::optional<ClockEstimate> estimate(std::int64_t station_now) const;
  // Of the newest exchange, and of the best in the window.
  std::optional<std::int64_t> latest_rtt_ns() const;
  std::optional<std::int64_t> min_rtt_ns() const;
  // Vehicle's clock against ours: positive if ours runs faster. Empty until fitted.
  std::optional<double> skew_ppm() const { return skew_ppm_; }
  std::uint64_t rejected() const { return rejected_; }

 private:
  struct Exchange {
    std::int64_t at = 0;  // station's clock, middle
    std::int64_t offset = 0;
    std::int64_t rtt = 0;
  };
  struct Ping {
    std::uint64_t id = 0;
    std::int64_t t1 = 0;
  };
  void fit_skew();

  std::deque<Ping> pings_;
  std::deque<Exchange> window_;
  std::optional<double> skew_ppm_;
  std::uint64_t next_id_ = 1;
  std::uint64_t rejected_ = 0;
};

}  // namespace farwheel
