// A sender under test: told what left and what feedback said, asked when the next packet may leave.
// Times are the simulator's, in nanoseconds. One flow owns one sender; nothing here is thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "feedback/feedback_adapter.h"
#include "lab_config.h"

namespace farwheel::lab {

struct LoggedEvent {
  std::int64_t at_ns = 0;
  std::string name;  // first word of the event's text
  std::string text;
};

// What a sender can tell of itself, at the end or for a time series; what it does not know is
// empty.
struct SenderState {
  std::string state;
  double pacing_mbps = 0;
  double bw_mbps = 0;
  std::int64_t cwnd_bytes = 0;
  std::int64_t inflight_bytes = 0;
  double queue_delay_ms = 0;
  std::optional<double> estimate_mbps;
  double estimate_confidence = 0;
  std::map<std::string, std::int64_t> counters;
};

class Sender {
 public:
  struct Decision {
    bool may_send = false;
    std::int64_t wake_ns = 0;  // when to ask again, if it may not
  };

  virtual ~Sender() = default;
  // `packets`: how many the source still has to send.
  virtual Decision next(std::int64_t now_ns, std::int64_t packets) = 0;
  virtual void on_sent(std::int64_t now_ns, std::int64_t number) = 0;
  virtual void on_feedback(std::int64_t now_ns, std::span<const ReportedPacket> report,
                           std::optional<std::int64_t> ecn_ce_count) = 0;
  virtual void on_driver_queue(std::int64_t now_ns, std::int64_t bytes) = 0;
  // Every 10 ms of simulated time.
  virtual void on_tick(std::int64_t now_ns) = 0;
  virtual SenderState state(std::int64_t now_ns) const = 0;
  virtual std::vector<LoggedEvent> take_events() = 0;
};

// Throws OptionError if the flow's algorithm, startup or parameters are none.
std::unique_ptr<Sender> make_sender(const FlowConfig& flow, std::uint64_t seed,
                                    const std::string& plugin);

}  // namespace farwheel::lab
