#include "flow_log.h"

#include <algorithm>
#include <utility>

namespace farwheel::lab {
namespace {

constexpr double kSettledFor = 1;
constexpr double kWorstStep = 0.1;

double mbps(std::size_t packets, double span_s) {
  return span_s > 0 ? static_cast<double>(packets) * kPayloadBytes * 8 / 1e6 / span_s : 0;
}

}  // namespace

void FlowLog::on_arrival(double at_s, double owd_ms) {
  arrivals_.push_back({at_s, static_cast<float>(owd_ms)});
}

void FlowLog::on_loss(double at_s, std::int64_t packets) {
  losses_.push_back({at_s, packets});
}

std::pair<std::size_t, std::size_t> FlowLog::range(double from_s, double to_s) const {
  const auto before = [](const Arrival& arrival, double at) { return arrival.at_s < at; };
  const auto first = std::lower_bound(arrivals_.begin(), arrivals_.end(), from_s, before);
  const auto last = std::lower_bound(first, arrivals_.end(), to_s, before);
  return {first - arrivals_.begin(), last - arrivals_.begin()};
}

OwdFigures FlowLog::owd(double from_s, double to_s) const {
  const auto [first, last] = range(from_s, to_s);
  OwdFigures figures;
  if (first == last) return figures;
  std::vector<float> delays;
  delays.reserve(last - first);
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) {
    delays.push_back(arrivals_[i].owd_ms);
    sum += arrivals_[i].owd_ms;
  }
  figures.packets = std::ssize(delays);
  figures.mean_ms = sum / static_cast<double>(delays.size());
  const auto [least, most] = std::minmax_element(delays.begin(), delays.end());
  figures.min_ms = *least;
  figures.max_ms = *most;
  const auto p95 = delays.begin() + static_cast<std::ptrdiff_t>((delays.size() - 1) * 95 / 100);
  std::nth_element(delays.begin(), p95, delays.end());
  figures.p95_ms = *p95;
  return figures;
}

double FlowLog::throughput_mbps(double from_s, double to_s) const {
  const auto [first, last] = range(from_s, to_s);
  return mbps(last - first, to_s - from_s);
}

std::int64_t FlowLog::lost(double from_s, double to_s) const {
  std::int64_t sum = 0;
  for (const Loss& loss : losses_) {
    if (loss.at_s >= from_s && loss.at_s < to_s) sum += loss.packets;
  }
  return sum;
}

double FlowLog::loss(double from_s, double to_s) const {
  const auto [first, last] = range(from_s, to_s);
  const auto missing = static_cast<double>(lost(from_s, to_s));
  const double all = missing + static_cast<double>(last - first);
  return all > 0 ? missing / all : 0;
}

double FlowLog::worst_mbps(double from_s, double to_s, double span_s) const {
  if (to_s - from_s < span_s) return throughput_mbps(from_s, to_s);
  double worst = throughput_mbps(from_s, from_s + span_s);
  for (double at = from_s; at + span_s <= to_s; at += kWorstStep) {
    worst = std::min(worst, throughput_mbps(at, at + span_s));
  }
  return worst;
}

std::optional<double> FlowLog::settled_after_s(double from_s, double to_s, double owd_ms) const {
  const auto [first, last] = range(from_s, to_s);
  double since = from_s;
  for (std::size_t i = first; i < last; ++i) {
    if (arrivals_[i].at_s - since >= kSettledFor) return since - from_s;
    if (arrivals_[i].owd_ms > owd_ms) since = arrivals_[i].at_s;
  }
  return std::nullopt;
}

std::optional<double> FlowLog::arrival_of(std::int64_t packets) const {
  if (packets < 1 || packets > std::ssize(arrivals_)) return std::nullopt;
  return arrivals_[static_cast<std::size_t>(packets - 1)].at_s;
}

}  // namespace farwheel::lab
