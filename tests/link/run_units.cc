#include "run_units.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace farwheel::link {
namespace {

using lab::media::FeedLog;
using lab::media::PacketArrival;
using lab::media::Unit;

// SRTP's tag (AES_CM_128_HMAC_SHA1_80), which the unit log does not see.
constexpr std::int64_t kSrtpTag = 10;
// A unit's capture time is read from two clocks, once where it enters and once where it is sent.
constexpr std::uint64_t kSameCapture = 10'000'000;
std::uint64_t apart(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : b - a;
}

struct OpenUnit {
  std::uint64_t stamp = 0;  // capture
  LoggedUnit sent;
  std::int64_t first_number = 0;  // of its packets, without end
  std::vector<bool> arrived;
  Unit unit;
};

// The units of a feed in order of capture, and by their packets' numbers.
class FeedUnits {
 public:
  FeedUnits(const LoggedFeed& feed, const RunLogs& logs, Timestamp end) : end_(end) {
    if (feed.sent.empty()) return;
    const auto since = [&logs](std::uint64_t unix_ns) {
      return Timestamp::from_nanos(static_cast<std::int64_t>(unix_ns) - logs.unix_offset_ns -
                                   logs.began_ns);
    };
    std::uint64_t first = feed.sent.front().capture_unix_ns;
    for (const LoggedUnit& sent : feed.sent) first = std::min(first, sent.capture_unix_ns);
    for (const CapturedUnit& captured : feed.captured) {
      if (captured.capture_unix_ns + kSameCapture < first) continue;
      units_.push_back({.stamp = captured.capture_unix_ns, .sent = {}, .arrived = {}, .unit = {}});
      units_.back().unit.captured = since(captured.capture_unix_ns);
    }
    std::sort(units_.begin(), units_.end(), earlier);
    newest_ = kFirstNumber + feed.sent.front().first_sequence;
    for (const LoggedUnit& sent : feed.sent) {
      // In the order of sending, so each number follows the one before.
      const std::int64_t first_number = follow(sent.first_sequence);
      const auto index = near(sent.capture_unix_ns);
      if (index && units_[*index].sent.packets > 0) ++split_;
      if (!index || units_[*index].sent.packets > 0) continue;
      OpenUnit& open = units_[*index];
      open.sent = sent;
      open.first_number = first_number;
      open.arrived.assign(sent.packets, false);
      open.unit.packets = static_cast<std::int32_t>(sent.packets);
      open.unit.missing = open.unit.packets;
      open.unit.is_key = sent.is_key;
      by_number_[first_number] = *index;
    }
    newest_ = by_number_.empty() ? 0 : by_number_.begin()->first;
  }

  // True: for the first time.
  bool arrive(const PacketIn& packet, Timestamp at) {
    const std::int64_t number = follow(packet.sequence);
    const auto after = by_number_.upper_bound(number);
    if (after == by_number_.begin()) return false;
    OpenUnit& open = units_[std::prev(after)->second];
    const auto index = static_cast<std::size_t>(number - open.first_number);
    if (index >= open.arrived.size() || open.arrived[index]) return false;
    if (open.unit.captured >= end_) return false;
    open.arrived[index] = true;
    if (--open.unit.missing == 0) open.unit.complete = at;
    return true;
  }

  std::int64_t split() const { return split_; }
  std::vector<Unit> finish() const {
    std::vector<Unit> units;
    std::int64_t packets = 0;
    for (const OpenUnit& open : units_) {
      if (open.unit.captured >= end_) break;
      units.push_back(open.unit);
      units.back().first_packet = packets;
      packets += open.unit.packets;
    }
    return units;
  }

 private:
  // A round of numbers before, so that none is below zero.
  static constexpr std::int64_t kFirstNumber = 1 << 16;

  static bool earlier(const OpenUnit& a, const OpenUnit& b) { return a.stamp < b.stamp; }

  // The number with these last 16 bits that is nearest to the newest one seen.
  std::int64_t follow(std::uint16_t sequence) {
    const std::int64_t number =
        newest_ + static_cast<std::int16_t>(sequence - static_cast<std::uint16_t>(newest_));
    newest_ = std::max(newest_, number);
    return number;
  }

  std::optional<std::size_t> near(std::uint64_t stamp) const {
    const OpenUnit probe{.stamp = stamp, .sent = {}, .arrived = {}, .unit = {}};
    const auto after = std::lower_bound(units_.begin(), units_.end(), probe, earlier);
    auto best = after;
    if (after != units_.begin() && (after == units_.end() || apart(std::prev(after)->stamp, stamp) <
                                                                 apart(after->stamp, stamp))) {
      best = std::prev(after);
    }
    if (best == units_.end() || apart(best->stamp, stamp) > kSameCapture) return std::nullopt;
    return static_cast<std::size_t>(best - units_.begin());
  }

  Timestamp end_;
  std::vector<OpenUnit> units_;
  std::map<std::int64_t, std::size_t> by_number_;  // of a unit's first packet
  std::int64_t newest_ = 0;
  std::int64_t split_ = 0;
};

// How long packets were on the link, by what they say; a retransmission's own number is encrypted,
// so it is the last one that had left the link when its packet came out at the station.
class LinkTimes {
 public:
  LinkTimes(const RunLogs& logs, const std::vector<std::uint32_t>& media) {
    for (const PacketOnLink& packet : logs.link) {
      if (packet.left_ns < 0) continue;
      const bool is_media = std::find(media.begin(), media.end(), packet.ssrc) != media.end();
      (is_media ? originals_[key(packet.ssrc, packet.sequence)] : repeats_).push_back(packet);
    }
    std::sort(repeats_.begin(), repeats_.end(), left_earlier);
  }

  std::optional<TimeDelta> owd(const PacketIn& packet) const {
    const auto found = originals_.find(key(packet.ssrc, packet.sequence));
    const auto original =
        found == originals_.end() ? std::nullopt : last_before(found->second, packet.at_ns);
    // Sequence numbers come round after minutes.
    if (original && packet.at_ns - original->left_ns < kLongestInStation) return span(*original);
    const auto repeat = last_before(repeats_, packet.at_ns);
    if (repeat && packet.at_ns - repeat->left_ns < kLongestInStation) return span(*repeat);
    return std::nullopt;
  }

 private:
  static constexpr std::int64_t kLongestInStation = 2'000'000'000;

  static std::uint64_t key(std::uint32_t ssrc, std::uint16_t sequence) {
    return static_cast<std::uint64_t>(ssrc) << 16 | sequence;
  }
  static bool left_earlier(const PacketOnLink& a, const PacketOnLink& b) {
    return a.left_ns < b.left_ns;
  }
  static TimeDelta span(const PacketOnLink& packet) {
    return TimeDelta::from_nanos(packet.left_ns - packet.entered_ns);
  }
  static std::optional<PacketOnLink> last_before(const std::vector<PacketOnLink>& packets,
                                                 std::int64_t at_ns) {
    PacketOnLink probe;
    probe.left_ns = at_ns;
    const auto after = std::upper_bound(packets.begin(), packets.end(), probe, left_earlier);
    if (after == packets.begin()) return std::nullopt;
    return *std::prev(after);
  }

  std::map<std::uint64_t, std::vector<PacketOnLink>> originals_;
  std::vector<PacketOnLink> repeats_;
};

double link_loss(const RunLogs& logs) {
  const auto lost = std::count_if(logs.link.begin(), logs.link.end(),
                                  [](const PacketOnLink& packet) { return packet.left_ns < 0; });
  return logs.link.empty() ? 0 : static_cast<double>(lost) / static_cast<double>(logs.link.size());
}

bool is_radar(const std::string& name) {
  return name.starts_with("radar");
}

FeedLog feed_log(const std::string& name, const LoggedFeed& feed, const RunLogs& logs,
                 double duration_s) {
  FeedLog log{.name = name, .kind = is_radar(name) ? FeedKind::kRadar : FeedKind::kCamera};
  const auto in_run = [&](std::int64_t at_ns) {
    return at_ns >= logs.began_ns && static_cast<double>(at_ns - logs.began_ns) < duration_s * 1e9;
  };
  log.key_frames_requested =
      std::count_if(feed.keys_asked_ns.begin(), feed.keys_asked_ns.end(), in_run);
  return log;
}

}  // namespace

RunUnits join_logs(const RunLogs& logs, double duration_s) {
  std::vector<std::pair<std::string, const LoggedFeed*>> feeds;
  for (const auto& [name, feed] : logs.feeds) feeds.emplace_back(name, &feed);
  std::stable_partition(feeds.begin(), feeds.end(),
                        [](const auto& feed) { return !is_radar(feed.first); });
  RunUnits run;
  std::vector<FeedUnits> units;
  std::vector<std::uint32_t> ssrcs;
  for (const auto& [name, feed] : feeds) {
    units.emplace_back(*feed, logs, Timestamp::from_seconds(duration_s));
    ssrcs.push_back(feed->ssrc);
    run.vehicle.feeds.push_back(feed_log(name, *feed, logs, duration_s));
  }
  const LinkTimes times(logs, ssrcs);
  for (const PacketIn& packet : logs.packets) {
    const auto found = std::find(ssrcs.begin(), ssrcs.end(), packet.ssrc);
    if (found == ssrcs.end()) continue;
    const auto index = static_cast<std::size_t>(found - ssrcs.begin());
    const Timestamp at = Timestamp::from_nanos(packet.at_ns - logs.began_ns);
    if (!units[index].arrive(packet, at)) continue;
    const auto owd = times.owd(packet);
    ++(owd ? run.arrivals_matched : run.arrivals_unmatched);
    const std::int64_t bytes = packet.bytes + kSrtpTag;
    run.vehicle.feeds[index].delivered_bytes += bytes;
    run.vehicle.arrivals.push_back({.at = at,
                                    .owd = owd.value_or(TimeDelta::infinite()),
                                    .bytes = static_cast<std::int32_t>(bytes),
                                    .feed = static_cast<FeedId>(index)});
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    FeedLog& feed = run.vehicle.feeds[i];
    feed.units = units[i].finish();
    run.units_split += units[i].split();
    feed.key_frames_sent = std::count_if(feed.units.begin(), feed.units.end(),
                                         [](const Unit& unit) { return unit.is_key; });
  }
  run.loss = link_loss(logs);
  return run;
}

std::map<std::string, double> longest_gaps(const RunLogs& logs, double duration_s) {
  std::map<std::string, double> longest;
  std::map<std::string, double> last;
  const auto at_ms = [&logs](std::int64_t ns) {
    return static_cast<double>(ns - logs.began_ns) / 1e6;
  };
  for (const UnitOut& unit : logs.received) {
    const double at = std::min(at_ms(unit.at_ns), duration_s * 1e3);
    const auto [entry, is_first] = last.try_emplace(unit.feed, at);
    if (!is_first) longest[unit.feed] = std::max(longest[unit.feed], at - entry->second);
    entry->second = at;
  }
  for (const auto& [feed, logged] : logs.feeds) {
    const auto end = last.find(feed);
    const double silent = duration_s * 1e3 - (end == last.end() ? 0 : end->second);
    longest[feed] = std::max(longest[feed], silent);
  }
  return longest;
}

}  // namespace farwheel::link
