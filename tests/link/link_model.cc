#include "link_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace farwheel::link {
namespace {

constexpr double kNsPerSecond = 1e9;

std::optional<double> parse_number(std::string_view text) {
  try {
    std::size_t used = 0;
    const std::string copy(text);
    const double value = std::stod(copy, &used);
    if (used == copy.size() && std::isfinite(value) && value >= 0) return value;
  } catch (const std::exception&) {
    // Falls through: no number.
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<RatePhase>> parse_schedule(std::string_view text, std::string& error) {
  std::vector<RatePhase> schedule;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const auto colon = part.find(':');
    const auto rate = parse_number(part.substr(0, colon));
    const auto seconds = colon == std::string_view::npos ? std::optional<double>(0)
                                                         : parse_number(part.substr(colon + 1));
    if (!rate || !seconds || (*seconds == 0 && comma != std::string_view::npos)) {
      error = "'" + std::string(part) + "' is not RATE:SECONDS (Mbit/s, seconds above 0)";
      return std::nullopt;
    }
    schedule.push_back({*rate, *seconds});
    if (comma == std::string_view::npos) return schedule;
    text.remove_prefix(comma + 1);
  }
}

LinkModel::LinkModel(LinkSettings settings)
    : settings_(std::move(settings)), random_(settings_.seed) {}

double LinkModel::rate_mbps(Nanoseconds now) const {
  if (settings_.schedule.empty()) return std::numeric_limits<double>::infinity();
  double begins = 0;
  for (const RatePhase& phase : settings_.schedule) {
    begins += phase.seconds * kNsPerSecond;
    if (static_cast<double>(now) < begins) return phase.mbps;
  }
  return settings_.schedule.back().mbps;
}

std::optional<LinkModel::Nanoseconds> LinkModel::transmission_end(Nanoseconds start,
                                                                  std::size_t bytes) const {
  if (settings_.schedule.empty()) return start;
  double bits = static_cast<double>(bytes + settings_.overhead_bytes) * 8;
  double at = static_cast<double>(start);
  double phase_ends = 0;
  for (std::size_t i = 0; i < settings_.schedule.size(); ++i) {
    const RatePhase& phase = settings_.schedule[i];
    const bool last = i + 1 == settings_.schedule.size();
    phase_ends =
        last ? std::numeric_limits<double>::infinity() : phase_ends + phase.seconds * kNsPerSecond;
    if (at >= phase_ends) continue;
    const double bits_per_ns = phase.mbps * 1e6 / kNsPerSecond;
    if (phase.mbps > 0 && at + bits / bits_per_ns <= phase_ends) {
      return static_cast<Nanoseconds>(std::llround(at + bits / bits_per_ns));
    }
    if (last) return std::nullopt;
    bits -= (phase_ends - at) * bits_per_ns;
    at = phase_ends;
  }
  return std::nullopt;
}

void LinkModel::advance(Nanoseconds now) {
  while (!queue_.empty() && head_ends_ && *head_ends_ <= now) {
    Packet packet = std::move(queue_.front());
    queue_.pop_front();
    queued_bytes_ -= packet.size();
    free_at_ = *head_ends_;
    if (std::uniform_real_distribution<double>(0, 1)(random_) < settings_.loss) {
      ++counters_.lost;
    } else {
      const auto delay = static_cast<Nanoseconds>(settings_.delay_ms * 1e6);
      wire_.push_back({free_at_ + delay, std::move(packet)});
    }
    head_ends_ = queue_.empty() ? std::nullopt : transmission_end(free_at_, queue_.front().size());
  }
}

void LinkModel::enqueue(Nanoseconds now, Packet packet) {
  advance(now);
  ++counters_.packets_in;
  const double limit = rate_mbps(now) * 1e6 / 8 * settings_.buffer_ms / 1e3;
  if (!queue_.empty() && static_cast<double>(queued_bytes_ + packet.size()) > limit) {
    ++counters_.dropped_by_queue;
    return;
  }
  queued_bytes_ += packet.size();
  queue_.push_back(std::move(packet));
  if (queue_.size() == 1) {
    head_ends_ = transmission_end(std::max(now, free_at_), queue_.front().size());
    advance(now);
  }
}

std::optional<LinkModel::Packet> LinkModel::take(Nanoseconds now) {
  advance(now);
  if (wire_.empty() || wire_.front().due > now) return std::nullopt;
  Packet packet = std::move(wire_.front().packet);
  wire_.pop_front();
  ++counters_.packets_out;
  counters_.bytes_out += packet.size();
  return packet;
}

std::optional<LinkModel::Nanoseconds> LinkModel::next_due() const {
  if (!wire_.empty()) return wire_.front().due;
  return head_ends_;
}

}  // namespace farwheel::link
