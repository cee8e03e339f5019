#include "media/figures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "media/media_link.h"
#include "media/percentile.h"
#include "media/vehicle_model.h"

namespace farwheel::lab::media {
namespace {

constexpr double kReach = static_cast<double>(VehicleModel::kPacket) /
                          static_cast<double>(VehicleModel::kPacket + MediaLink::kOverhead);
constexpr TimeDelta kFrozen = TimeDelta::from_millis(300);
constexpr double kWindowSeconds = 0.2;
constexpr double kRecovered = 0.9;
constexpr double kHeld = 0.85;
constexpr double kHeldSeconds = 1;
constexpr double kReturned = 0.8;

std::vector<PacketArrival> merged(const std::vector<VehicleLog>& vehicles) {
  std::vector<PacketArrival> all;
  for (const VehicleLog& vehicle : vehicles) {
    all.insert(all.end(), vehicle.arrivals.begin(), vehicle.arrivals.end());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const PacketArrival& a, const PacketArrival& b) { return a.at < b.at; });
  return all;
}

// Payload that arrived by a time.
class Delivered {
 public:
  explicit Delivered(const std::vector<PacketArrival>& arrivals) : arrivals_(arrivals) {
    sums_.reserve(arrivals.size() + 1);
    sums_.push_back(0);
    for (const PacketArrival& packet : arrivals) {
      sums_.push_back(sums_.back() + static_cast<double>(packet.bytes));
    }
  }
  double bytes(double from_s, double to_s) const { return by(to_s) - by(from_s); }

 private:
  double by(double s) const {
    const Timestamp at = Timestamp::from_seconds(s);
    const auto after =
        std::lower_bound(arrivals_.begin(), arrivals_.end(), at,
                         [](const PacketArrival& a, Timestamp t) { return a.at < t; });
    return sums_[static_cast<std::size_t>(after - arrivals_.begin())];
  }
  const std::vector<PacketArrival>& arrivals_;
  std::vector<double> sums_;
};

struct Span {
  double from;
  double to;
  double mbps;
};

std::vector<Span> spans_of(const MediaConfig& config, const LinkCapacity& capacity) {
  std::vector<Span> spans;
  if (!config.trace.empty()) {
    const double bytes = capacity.bytes_between(Timestamp::from_nanos(0),
                                                Timestamp::from_seconds(config.duration_s));
    return {{0, config.duration_s, bytes * 8 / 1e6 / config.duration_s}};
  }
  double start = 0;
  for (std::size_t i = 0; i < config.phases.size() && start < config.duration_s; ++i) {
    const bool last = i + 1 == config.phases.size();
    const double end =
        last ? config.duration_s : std::min(config.duration_s, start + config.phases[i].seconds);
    spans.push_back({start, end, config.phases[i].mbps});
    start = end;
  }
  return spans;
}

std::optional<double> recovery(const Span& span, const Delivered& delivered, double reach) {
  if (reach <= 0) return std::nullopt;
  for (double t = span.from + kWindowSeconds; t + kHeldSeconds <= span.to; t += 0.001) {
    if (delivered.bytes(t - kWindowSeconds, t) < kRecovered * reach * kWindowSeconds) continue;
    if (delivered.bytes(t, t + kHeldSeconds) < kHeld * reach * kHeldSeconds) continue;
    return t - span.from;
  }
  return std::nullopt;
}

// Payload bytes a second that all feeds together can be, and the link can carry.
double reachable(const MediaConfig& config, double mbps) {
  double most = 0;
  for (const CameraConfig& camera : config.cameras) {
    most += camera.max_mbps * 1e6 / 8 * VehicleModel::kPacket /
            (VehicleModel::kPacket - VehicleModel::kHeaders);
  }
  if (config.radar) most += config.radar->hz * static_cast<double>(config.radar->bytes);
  most *= static_cast<double>(config.vehicles);
  return std::min(most, mbps * 1e6 / 8 * kReach);
}

PhaseFigures measure_phase(const MediaConfig& config, const LinkCapacity& capacity,
                           const Span& span, const std::vector<PacketArrival>& arrivals,
                           const Delivered& delivered) {
  PhaseFigures figures;
  figures.rate_mbps = span.mbps;
  figures.seconds = span.to - span.from;
  const Timestamp from = Timestamp::from_seconds(span.from);
  const Timestamp to = Timestamp::from_seconds(span.to);
  const double offered = capacity.bytes_between(from, to);
  if (offered > 0) figures.utilisation = delivered.bytes(span.from, span.to) / offered;
  std::vector<double> owd;
  for (const PacketArrival& packet : arrivals) {
    const bool is_known = packet.owd.is_finite();  // real processes: not always
    if (is_known && packet.at >= from && packet.at < to) owd.push_back(packet.owd.ms());
  }
  std::sort(owd.begin(), owd.end());
  figures.owd_p50_ms = percentile(owd, 0.5);
  figures.owd_p95_ms = percentile(owd, 0.95);
  figures.owd_max_ms = percentile(owd, 1);
  figures.recovery_90_s = recovery(span, delivered, reachable(config, span.mbps));
  return figures;
}

struct Frozen {
  double seconds = 0;
  std::int64_t times = 0;
};

Frozen frozen(const FeedLog& feed, double duration_s) {
  // In order of being shown; each moves the newest picture on, if it is newer.
  std::vector<const Unit*> shown;
  for (const Unit& unit : feed.units) {
    if (unit.shown.is_finite()) shown.push_back(&unit);
  }
  std::sort(shown.begin(), shown.end(),
            [](const Unit* a, const Unit* b) { return a->shown < b->shown; });
  if (feed.units.empty()) return {};
  // Before the first picture, age counts from the first capture.
  Timestamp newest = feed.units.front().captured;
  const Timestamp end = Timestamp::from_seconds(duration_s);
  Timestamp seen = newest;
  TimeDelta sum = TimeDelta::zero();
  Frozen frozen;
  bool is_frozen = false;
  const auto until = [&](Timestamp t) {
    const Timestamp stale = std::max(newest + kFrozen, seen);
    if (t > stale) {
      sum += t - stale;
      if (!std::exchange(is_frozen, true)) ++frozen.times;
    }
    seen = std::max(seen, t);
  };
  for (const Unit* unit : shown) {
    if (unit->shown > end) break;
    until(unit->shown);
    newest = std::max(newest, unit->captured);
    if (newest + kFrozen > unit->shown) is_frozen = false;
  }
  until(end);
  frozen.seconds = sum.seconds();
  return frozen;
}

FeedFigures measure_feed(const FeedLog& feed, const std::vector<Outage>& outages, double active_s,
                         double duration_s) {
  FeedFigures figures;
  figures.name = feed.name;
  figures.kind = feed.kind;
  figures.bitrate_bps = active_s > 0 ? static_cast<double>(feed.delivered_bytes) * 8 / active_s : 0;
  figures.captured = std::ssize(feed.units);
  figures.dropped_units = feed.dropped_units;
  figures.key_frames_requested = feed.key_frames_requested;
  figures.key_frames_sent = feed.key_frames_sent;
  std::vector<double> latency;
  double counted = 0;
  double over_170 = 0;
  double over_300 = 0;
  for (const Unit& unit : feed.units) {
    if (unit.complete.is_finite()) latency.push_back((unit.complete - unit.captured).ms());
    if (is_in_outage(outages, unit.captured)) continue;
    ++counted;
    const TimeDelta age = unit.shown - unit.captured;
    if (age > TimeDelta::from_millis(170)) ++over_170;
    if (age > TimeDelta::from_millis(300)) ++over_300;
  }
  std::sort(latency.begin(), latency.end());
  figures.delivered = std::ssize(latency);
  figures.p50_ms = percentile(latency, 0.5);
  figures.p95_ms = percentile(latency, 0.95);
  figures.p99_ms = percentile(latency, 0.99);
  figures.max_ms = percentile(latency, 1);
  if (counted > 0) {
    figures.over_170 = over_170 / counted;
    figures.over_300 = over_300 / counted;
  }
  const Frozen still = frozen(feed, duration_s);
  figures.frozen_s = still.seconds;
  figures.freezes = still.times;
  return figures;
}

// Payload rate of each feed of a vehicle in each phase.
std::vector<std::vector<double>> rates_by_phase(const VehicleLog& vehicle,
                                                const std::vector<Span>& spans) {
  std::vector<std::vector<double>> rates(vehicle.feeds.size(),
                                         std::vector<double>(spans.size(), 0));
  for (const PacketArrival& packet : vehicle.arrivals) {
    const double t = packet.at.seconds();
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (t < spans[i].from || t >= spans[i].to) continue;
      rates[packet.feed][i] +=
          static_cast<double>(packet.bytes) * 8 / std::max(1e-9, spans[i].to - spans[i].from);
    }
  }
  return rates;
}

std::optional<double> rate_after_silence(const MediaConfig& config, const Delivered& delivered,
                                         const LinkCapacity& capacity) {
  // A trace has no rate of the moment to come back to.
  if (config.silences.empty() || !config.trace.empty()) return std::nullopt;
  const double back = config.silences.front().at_s + config.silences.front().seconds;
  const double mbps = capacity.bytes_per_second(Timestamp::from_seconds(back + 1e-6)) * 8 / 1e6;
  const double wanted = kReturned * reachable(config, mbps) * kWindowSeconds;
  for (double t = back + kWindowSeconds; t < config.duration_s; t += 0.001) {
    if (delivered.bytes(t - kWindowSeconds, t) >= wanted) return t - back;
  }
  return std::nullopt;
}

std::optional<double> first_frame(const MediaConfig& config,
                                  const std::vector<VehicleLog>& vehicles) {
  if (config.silences.empty() || vehicles.empty()) return std::nullopt;
  const Silence& silence = config.silences.front();
  const Timestamp back = Timestamp::from_seconds(silence.at_s + silence.seconds);
  Timestamp first = Timestamp::infinite_future();
  for (const FeedLog& feed : vehicles.front().feeds) {
    if (feed.kind != FeedKind::kCamera) continue;
    for (const Unit& unit : feed.units) {
      // New: it shows the road as it was at most a frame before the link was back.
      if (unit.captured >= back - TimeDelta::from_millis(300) && unit.shown >= back) {
        first = std::min(first, unit.shown);
      }
    }
  }
  if (!first.is_finite()) return std::nullopt;
  return (first - back).seconds();
}

}  // namespace

void judge(FeedLog& feed) {
  Timestamp before = Timestamp::infinite_future();  // when the frame before could be shown
  for (Unit& unit : feed.units) {
    unit.shown = unit.complete;
    if (feed.kind == FeedKind::kCamera && !unit.is_key) unit.shown = std::max(unit.shown, before);
    before = unit.shown;
  }
}

double jain(const std::vector<double>& shares) {
  double sum = 0;
  double squares = 0;
  for (const double share : shares) {
    sum += share;
    squares += share * share;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(shares.size()) * squares) : 1;
}

RunFigures measure(const MediaConfig& config, const LinkCapacity& capacity,
                   std::vector<VehicleLog>& vehicles) {
  RunFigures figures;
  const std::vector<Outage> outages = find_outages(capacity, config.duration_s);
  for (const Outage& outage : outages) figures.link_outage_s += (outage.to - outage.from).seconds();
  const std::vector<Span> spans = spans_of(config, capacity);
  for (std::size_t v = 0; v < vehicles.size(); ++v) {
    double active = config.duration_s - config.start_of(v);
    for (const Pause& pause : config.pauses) {
      if (pause.vehicle != v) continue;
      active -= std::max(0.0, std::min(pause.to_s, config.duration_s) - pause.from_s);
    }
    const auto rates = rates_by_phase(vehicles[v], spans);
    std::vector<double> sums(spans.size(), 0);
    double bytes = 0;
    for (std::size_t f = 0; f < vehicles[v].feeds.size(); ++f) {
      FeedLog& feed = vehicles[v].feeds[f];
      judge(feed);
      figures.feeds.push_back(measure_feed(feed, outages, active, config.duration_s));
      figures.feeds.back().bitrate_bps_by_phase = rates[f];
      for (std::size_t i = 0; i < spans.size(); ++i) sums[i] += rates[f][i] / 1e6;
      bytes += static_cast<double>(feed.delivered_bytes);
    }
    figures.vehicle_mbps.push_back(active > 0 ? bytes * 8 / 1e6 / active : 0);
    figures.vehicle_mbps_by_phase.push_back(sums);
    figures.delivered_bytes += std::llround(bytes);
    figures.delivered_packets += std::ssize(vehicles[v].arrivals);
  }
  const std::vector<PacketArrival> arrivals = merged(vehicles);
  const Delivered delivered(arrivals);
  for (const Span& span : spans) {
    figures.phases.push_back(measure_phase(config, capacity, span, arrivals, delivered));
  }
  figures.first_frame_after_silence_s = first_frame(config, vehicles);
  figures.rate_80_after_silence_s = rate_after_silence(config, delivered, capacity);
  return figures;
}

}  // namespace farwheel::lab::media
