#include "emulated_link.h"

#include <cmath>
#include <utility>

#include "ip_packet.h"

namespace farwheel::link {
namespace {

constexpr double kNsPerSecond = 1e9;

bool is_rtp(const Packet& packet) {
  const auto udp = view_udp(packet);
  return udp && view_rtp(udp->payload);
}

}  // namespace

EmulatedLink::EmulatedLink(EmulationConfig config, std::int64_t now_ns)
    : config_(std::move(config)),
      capacity_(lab::media::make_capacity(config_.link)),
      link_(events_, *capacity_, config_.link),
      half_rtt_ns_(std::llround(config_.link.rtt_of(0) / 2 * 1e6)),
      duplication_(config_.link.seed * 15485863 + 19) {
  flow_ =
      link_.add_flow(config_.link.rtt_of(0), [this](std::int64_t number) { arrive_there(number); });
  if (config_.begin == EmulationConfig::Begin::kAtOnce) begin(now_ns);
}

void EmulatedLink::begin(std::int64_t now_ns) {
  began_ns_ = now_ns;
}

double EmulatedLink::seconds(std::int64_t now_ns) const {
  return began_ns_ ? static_cast<double>(now_ns - *began_ns_) / kNsPerSecond : 0;
}

bool EmulatedLink::fits(std::int64_t now_ns, std::size_t bytes) const {
  bool fits = true;
  for (const MtuStep& step : config_.mtu) {
    if (seconds(now_ns) >= step.at_s) fits = bytes <= step.bytes;
  }
  return fits;
}

bool EmulatedLink::translate(Way way, std::int64_t now_ns, Packet& packet) {
  if (config_.rebind_at_s.empty()) return true;
  const auto udp = view_udp(packet);
  if (!udp) return true;
  while (began_ns_ && rebound_ < config_.rebind_at_s.size() &&
         seconds(now_ns) >= config_.rebind_at_s[rebound_]) {
    binding_.rebind();
    ++rebound_;
  }
  if (way == Way::kThere) {
    set_source_port(packet, binding_.outward(udp->source_port));
    return true;
  }
  const auto inside = binding_.inward(udp->destination_port);
  if (inside) set_destination_port(packet, *inside);
  return inside.has_value();
}

void EmulatedLink::enter(Way way, std::int64_t now_ns, Packet packet) {
  if (packet.empty() || packet[0] >> 4 != 4) return;
  if (!began_ns_ && way == Way::kThere && is_rtp(packet)) begin(now_ns);
  advance(now_ns);
  if (!translate(way, now_ns, packet) || !fits(now_ns, packet.size())) {
    passed_.push_back({.way = way,
                       .packet = std::move(packet),
                       .entered_ns = now_ns,
                       .due_ns = now_ns,
                       .is_lost = true});
    return;
  }
  if (!began_ns_) {
    early_.push_back({.way = way,
                      .packet = std::move(packet),
                      .entered_ns = now_ns,
                      .due_ns = now_ns + half_rtt_ns_});
  } else if (way == Way::kThere) {
    send_there(now_ns, std::move(packet));
  } else {
    // An event must be copyable.
    auto kept = std::make_shared<Packet>(std::move(packet));
    link_.send_back(flow_, [this, kept, now_ns] {
      passed_.push_back({.way = Way::kBack,
                         .packet = std::move(*kept),
                         .entered_ns = now_ns,
                         .due_ns = *began_ns_ + events_.now().ns()});
    });
  }
}

void EmulatedLink::send_there(std::int64_t now_ns, Packet packet) {
  const std::int64_t number = next_number_++;
  const auto bytes = static_cast<std::int64_t>(packet.size()) - kIpUdpHeaders;
  const std::int64_t lost_before = counters().lost();
  under_way_.emplace(number, Under{std::move(packet), now_ns});
  link_.send(flow_, number, bytes);
  if (counters().lost() == lost_before) return;
  Under lost = std::move(under_way_.extract(number).mapped());
  passed_.push_back({.way = Way::kThere,
                     .packet = std::move(lost.packet),
                     .entered_ns = now_ns,
                     .due_ns = now_ns,
                     .is_lost = true});
}

void EmulatedLink::arrive_there(std::int64_t number) {
  Under arrived = std::move(under_way_.extract(number).mapped());
  Passed passed{.way = Way::kThere,
                .packet = std::move(arrived.packet),
                .entered_ns = arrived.entered_ns,
                .due_ns = *began_ns_ + events_.now().ns()};
  const bool twice = config_.duplication > 0 && duplication_.uniform() < config_.duplication;
  passed_.push_back(passed);
  if (!twice) return;
  passed.is_again = true;
  passed_.push_back(std::move(passed));
}

void EmulatedLink::advance(std::int64_t now_ns) {
  if (began_ns_) events_.run_until(Timestamp::from_nanos(now_ns - *began_ns_));
}

std::optional<Passed> EmulatedLink::take(std::int64_t now_ns) {
  advance(now_ns);
  std::deque<Passed>* from = &passed_;
  if (!early_.empty() && early_.front().due_ns <= now_ns) from = &early_;
  if (from->empty()) return std::nullopt;
  Passed first = std::move(from->front());
  from->pop_front();
  return first;
}

std::optional<std::int64_t> EmulatedLink::next_due() const {
  std::optional<std::int64_t> due;
  const auto sooner = [&due](std::int64_t at) { due = due ? std::min(*due, at) : at; };
  if (!passed_.empty()) sooner(passed_.front().due_ns);
  if (!early_.empty()) sooner(early_.front().due_ns);
  const Timestamp next = events_.next_time();
  if (began_ns_ && next.is_finite()) sooner(*began_ns_ + next.ns());
  return due;
}

}  // namespace farwheel::link
