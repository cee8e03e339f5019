// What happened to one flow, packet by packet, and the figures made of it (measures.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab_config.h"
#include "sender.h"

namespace farwheel::lab {

struct OwdFigures {
  double mean_ms = 0;
  double p95_ms = 0;
  double min_ms = 0;
  double max_ms = 0;
  std::int64_t packets = 0;
};

class FlowLog {
 public:
  void on_arrival(double at_s, double owd_ms);
  void on_loss(double at_s, std::int64_t packets);

  // Over arrivals in [from, to).
  OwdFigures owd(double from_s, double to_s) const;
  double throughput_mbps(double from_s, double to_s) const;  // payload
  std::int64_t lost(double from_s, double to_s) const;
  double loss(double from_s, double to_s) const;  // share of what should have arrived
  // Least throughput of any `span_s` that lies in [from, to), in steps of a tenth of a second.
  double worst_mbps(double from_s, double to_s, double span_s) const;
  // Seconds from `from` until no packet of the next second comes later than `owd_ms`; no value if
  // that is never so before `to`.
  std::optional<double> settled_after_s(double from_s, double to_s, double owd_ms) const;
  // When the packet that makes `packets` arrived; no value if it did not.
  std::optional<double> arrival_of(std::int64_t packets) const;

 private:
  struct Arrival {
    double at_s;
    float owd_ms;
  };
  struct Loss {
    double at_s;
    std::int64_t packets;
  };
  std::pair<std::size_t, std::size_t> range(double from_s, double to_s) const;
  std::vector<Arrival> arrivals_;
  std::vector<Loss> losses_;
};

}  // namespace farwheel::lab
