#include "media/oracle.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "media/media_link.h"
#include "media/percentile.h"
#include "media/vehicle_model.h"

namespace farwheel::lab::media {
namespace {

constexpr TimeDelta kLate = TimeDelta::from_millis(300);
constexpr TimeDelta kStale = TimeDelta::from_millis(275);
constexpr TimeDelta kStep = TimeDelta::from_millis(1);

TimeDelta half_rtt(const MediaConfig& config) {
  return TimeDelta::from_seconds(config.rtt_of(0) / 2e3);
}

struct Piece {
  Timestamp at;
  std::int64_t wire_bytes;
  bool is_radar;
};

// Bytes on the wire of a unit in packets.
std::int64_t wire_size(std::int64_t bytes, std::int64_t headers) {
  const std::int64_t most = VehicleModel::kPacket - headers;
  const std::int64_t packets = std::max<std::int64_t>(1, (bytes + most - 1) / most);
  return bytes + packets * (headers + MediaLink::kOverhead);
}

std::vector<Piece> pieces_of(const MediaConfig& config, bool with_cameras) {
  std::vector<Piece> pieces;
  const auto add = [&](double hz, double offset_s, std::int64_t wire, bool is_radar) {
    for (double t = offset_s; t < config.duration_s; t += 1 / hz) {
      pieces.push_back({Timestamp::from_seconds(t), wire, is_radar});
    }
  };
  for (std::size_t v = 0; v < config.vehicles; ++v) {
    const double start = config.start_of(v);
    if (config.radar) {
      add(config.radar->hz, start + 0.011, wire_size(config.radar->bytes, 0), true);
    }
    if (!with_cameras) continue;
    for (std::size_t i = 0; i < config.cameras.size(); ++i) {
      const CameraConfig& camera = config.cameras[i];
      const auto bytes = std::llround(camera.min_mbps * 1e6 / 8 / camera.fps);
      add(camera.fps, start + 0.0071 * static_cast<double>(i),
          wire_size(bytes, VehicleModel::kHeaders), false);
    }
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.at < b.at; });
  return pieces;
}

}  // namespace

std::vector<Outage> find_outages(const LinkCapacity& capacity, double duration_s) {
  std::vector<Outage> outages;
  const Timestamp end = Timestamp::from_seconds(duration_s);
  for (Timestamp t = Timestamp::from_nanos(0); t < end;) {
    const Timestamp next = capacity.next_delivery(t);
    if (next - t > kStale) {
      const Timestamp until = std::min(end, next - kStale);
      outages.push_back({t, until});
      t = next;
      continue;
    }
    t = std::max(t + kStep, next);
  }
  return outages;
}

bool is_in_outage(const std::vector<Outage>& outages, Timestamp at) {
  const auto after = std::upper_bound(outages.begin(), outages.end(), at,
                                      [](Timestamp t, const Outage& o) { return t < o.from; });
  return after != outages.begin() && at < std::prev(after)->to;
}

Oracle ask_oracle(const MediaConfig& config, const LinkCapacity& capacity) {
  Oracle oracle;
  const TimeDelta way = half_rtt(config);
  const std::vector<Outage> outages = find_outages(capacity, config.duration_s);

  Service service;
  std::int64_t frames = 0;
  std::int64_t late = 0;
  for (const Piece& piece : pieces_of(config, true)) {
    Service tried = service;
    const Departure departure = capacity.serve(tried, piece.at, piece.wire_bytes);
    const bool in_time = departure.at + departure.repeat + way - piece.at <= kLate;
    if (piece.is_radar || in_time) service = tried;
    if (piece.is_radar || is_in_outage(outages, piece.at)) continue;
    ++frames;
    if (!in_time) ++late;
  }
  if (frames > 0) oracle.over_300 = static_cast<double>(late) / static_cast<double>(frames);

  std::vector<double> radar_ms;
  Service radar;
  for (const Piece& piece : pieces_of(config, false)) {
    const Departure departure = capacity.serve(radar, piece.at, piece.wire_bytes);
    if (departure.at.is_finite()) {
      radar_ms.push_back((departure.at + departure.repeat + way - piece.at).ms());
    }
  }
  std::sort(radar_ms.begin(), radar_ms.end());
  oracle.radar_p99_ms = percentile(radar_ms, 0.99);

  double source = 0;  // payload bytes a second
  for (const CameraConfig& camera : config.cameras) source += camera.max_mbps * 1e6 / 8;
  if (config.radar) source += config.radar->hz * static_cast<double>(config.radar->bytes);
  source *= static_cast<double>(config.vehicles);
  constexpr double kShare = static_cast<double>(VehicleModel::kPacket) /
                            static_cast<double>(VehicleModel::kPacket + MediaLink::kOverhead);
  double waiting = 0;
  double delivered = 0;
  const Timestamp end = Timestamp::from_seconds(config.duration_s);
  for (Timestamp t = Timestamp::from_nanos(0); t < end; t += kStep) {
    waiting = std::min(waiting + source * kStep.seconds(), source * kStale.seconds());
    const double passed = std::min(waiting, capacity.bytes_between(t, t + kStep) * kShare);
    waiting -= passed;
    delivered += passed;
  }
  oracle.delivered_bytes = std::llround(delivered);
  return oracle;
}

}  // namespace farwheel::lab::media
