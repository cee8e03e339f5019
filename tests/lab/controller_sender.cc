#include "controller_sender.h"

#include <algorithm>

#include "option_values.h"

namespace farwheel::lab {
namespace {

constexpr FeedId kFeed = 0;
constexpr std::int64_t kWaiting = 2;
constexpr TimeDelta kTick = TimeDelta::from_millis(25);
// A simulated timer is exact: the pacer need not bundle what falls due within a millisecond.
constexpr const char* kExactTimer = "timer_ms=0.05";

Timestamp at(std::int64_t ns) {
  return Timestamp::from_nanos(ns);
}

class ControllerSender : public Sender {
 public:
  ControllerSender(const ControllerConfig& config, const std::string& params)
      : controller_(config) {
    std::string fault = controller_.set_params(kExactTimer);
    if (fault.empty() && !params.empty()) fault = controller_.set_params(params);
    if (!fault.empty()) {
      throw OptionError("--params: " + fault + "; possible are " + controller_.params());
    }
    FeedConfig feed;
    feed.max_bitrate = config.max_bitrate;
    feed.max_queue_time = TimeDelta::from_seconds(3600);
    controller_.add_feed(Timestamp::from_nanos(0), kFeed, feed);
  }

  Decision next(std::int64_t now_ns, std::int64_t packets) override {
    const Timestamp now = at(now_ns);
    // A packet is a unit of its own and needs no other: what a queue may drop is drawn again.
    while (queued_ < std::min(kWaiting, packets)) {
      ++queued_;
      controller_.on_packet_queued(now, {.token = ++token_,
                                         .feed = kFeed,
                                         .size = DataSize::from_bytes(kWireBytes),
                                         .kind = FrameKind::kKey,
                                         .ends_unit = true,
                                         .queued_at = now});
    }
    const SendDecision decision = controller_.next(now);
    queued_ -= std::ssize(controller_.take_drops());
    switch (decision.action) {
      case SendDecision::Action::kSend:
        --queued_;
        return {.may_send = true};
      case SendDecision::Action::kWaitUntil:
        return {.wake_ns = decision.wake_at.is_finite()
                               ? std::max(decision.wake_at.ns(), now_ns + 1)
                               : (now + kTick).ns()};
      case SendDecision::Action::kIdle:
        break;
    }
    return {.wake_ns = (now + kTick).ns()};
  }

  void on_sent(std::int64_t now_ns, std::int64_t number) override {
    controller_.on_packet_sent({.number = number,
                                .size = DataSize::from_bytes(kWireBytes),
                                .feed = kFeed,
                                .sent_at = at(now_ns)});
  }

  void on_feedback(std::int64_t now_ns, std::span<const ReportedPacket> report,
                   std::optional<std::int64_t> ecn_ce_count) override {
    controller_.on_feedback(at(now_ns), report, ecn_ce_count);
  }

  void on_driver_queue(std::int64_t now_ns, std::int64_t bytes) override {
    controller_.on_driver_queue(at(now_ns), {.backlog = DataSize::from_bytes(bytes)});
  }

  void on_tick(std::int64_t now_ns) override { controller_.on_tick(at(now_ns)); }

  SenderState state(std::int64_t now_ns) const override {
    const ControllerSnapshot now = controller_.snapshot(at(now_ns));
    SenderState state;
    state.state = to_string(now.state);
    state.pacing_mbps = now.pacing_rate.mbps();
    state.bw_mbps = now.bw.mbps();
    state.cwnd_bytes = now.cwnd.bytes();
    state.inflight_bytes = now.inflight.bytes();
    if (now.queue_delay) state.queue_delay_ms = now.queue_delay->ms();
    if (now.fbe_estimate) state.estimate_mbps = now.fbe_estimate->mbps();
    state.estimate_confidence = now.fbe_confidence;
    state.counters = {{"packets_sent", now.packets_sent},
                      {"packets_delivered", now.packets_delivered},
                      {"packets_lost", now.packets_lost},
                      {"packets_unknown", now.packets_unknown},
                      {"bytes_delivered", now.bytes_delivered}};
    return state;
  }

  std::vector<LoggedEvent> take_events() override {
    std::vector<LoggedEvent> events;
    for (const ControllerEvent& event : controller_.take_events()) {
      // "<time>us name rest"
      std::string text = to_string(event);
      text.erase(0, text.find(' ') + 1);
      events.push_back({.at_ns = event.at.is_finite() ? event.at.ns() : 0,
                        .name = text.substr(0, text.find(' ')),
                        .text = text});
    }
    return events;
  }

 private:
  SendController controller_;
  std::int64_t queued_ = 0;
  std::uint64_t token_ = 0;
};

}  // namespace

std::vector<std::string> controller_algorithms() {
  return {"adaptive-bbr2", "adaptive-bbr2-paper", "bbr2"};
}

std::unique_ptr<Sender> make_controller_sender(const FlowConfig& flow, std::uint64_t seed) {
  const auto algorithm = parse_algorithm(flow.algorithm);
  if (!algorithm) read_name("--algorithm", flow.algorithm, controller_algorithms());
  const auto startup = parse_startup(flow.startup);
  if (!startup) read_name("--startup", flow.startup, {"fbe", "classic"});
  ControllerConfig config;
  config.algorithm = *algorithm;
  config.startup = *startup;
  // A bulk source has no encoder that could bound it.
  config.max_bitrate = DataRate::from_mbps(10000);
  config.max_packet_size = DataSize::from_bytes(kWireBytes);
  config.seed = seed;
  return std::make_unique<ControllerSender>(config, flow.params);
}

}  // namespace farwheel::lab
