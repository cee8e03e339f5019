// Events as text: one line each, for logs and golden traces.
#include <string>
#include <variant>

#include "controller_types.h"

namespace farwheel {
namespace {

std::string number(std::int64_t value) {
  return std::to_string(value);
}

struct Describe {
  std::string operator()(const StateChanged& e) const {
    return "state " + std::string(to_string(e.from)) + " -> " + std::string(to_string(e.to));
  }
  std::string operator()(const FbeEstimated& e) const {
    // Thousandths, so that the text is the same wherever it is printed.
    return "fbe estimate_bps=" + number(e.estimate.bps()) +
           " confidence_permille=" + number(static_cast<std::int64_t>(e.confidence * 1000 + 0.5)) +
           (e.accepted ? " accepted" : " rejected");
  }
  std::string operator()(const FramesDropped& e) const {
    return "dropped feed=" + number(e.feed) + " packets=" + number(e.packets);
  }
  std::string operator()(const KeyFrameWanted& e) const {
    return "key_frame_wanted feed=" + number(e.feed);
  }
  std::string operator()(const InflightBoundLowered& e) const {
    return "inflight_hi bytes=" + number(e.inflight_hi.bytes()) +
           " why=" + std::string(to_string(e.why));
  }
  std::string operator()(const SilenceChanged& e) const {
    return e.silent ? "silence begins" : "silence ends";
  }
  std::string operator()(const CompetitionChanged& e) const {
    return std::string(e.competing ? "competition begins" : "competition ends") +
           " queue_us=" + number(e.queue.ns() / 1000);
  }
  std::string operator()(const BaseDelayLearnt&) const { return "base_delay learnt"; }
  std::string operator()(const PolicerFound& e) const {
    return "policer rate_bps=" + number(e.rate.bps());
  }
  std::string operator()(const PacketSizeBounded& e) const {
    return "packet_size bound_bytes=" + number(e.bound.bytes());
  }
};

}  // namespace

std::string to_string(const ControllerEvent& event) {
  const std::int64_t ns = event.at.ns();
  const std::int64_t us = event.at.is_finite() ? ns / 1000 : 0;
  return number(us) + "us " + std::visit(Describe(), event.what);
}

}  // namespace farwheel
