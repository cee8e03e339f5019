// Reads the three logs of a run (docs/link-run.md): the vehicle's and the station's unit logs and
// the emulator's packet log. A line that makes no sense is counted and left out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace farwheel::link {

struct CapturedUnit {
  std::uint64_t capture_unix_ns = 0;
};

struct LoggedUnit {
  std::uint64_t capture_unix_ns = 0;
  std::uint16_t first_sequence = 0;
  std::uint32_t packets = 0;
  bool is_key = false;
};

struct LoggedFeed {
  std::uint32_t ssrc = 0;
  std::vector<CapturedUnit> captured;
  std::vector<LoggedUnit> sent;
  std::vector<std::int64_t> keys_asked_ns;
};

struct UnitOut {
  std::string feed;
  std::int64_t at_ns = 0;
  std::uint64_t capture_unix_ns = 0;
};

struct PacketIn {
  std::int64_t at_ns = 0;
  std::uint32_t ssrc = 0;
  std::uint16_t sequence = 0;
  std::uint64_t capture_unix_ns = 0;
  std::int64_t bytes = 0;  // of RTP
};

struct PacketOnLink {
  std::int64_t entered_ns = 0;
  std::int64_t left_ns = -1;  // below 0: lost
  std::int64_t bytes = 0;     // of UDP payload
  std::uint32_t ssrc = 0;
  std::uint16_t sequence = 0;
};

struct RunLogs {
  // By name: video_0, radar_0.
  std::map<std::string, LoggedFeed> feeds;
  std::vector<PacketIn> packets;
  std::vector<UnitOut> received;
  std::vector<PacketOnLink> link;
  // Wall clock minus monotonic clock.
  std::int64_t unix_offset_ns = 0;
  std::int64_t began_ns = 0;
  // How much later than due packets left the emulator.
  std::int64_t late_p50_ns = 0;
  std::int64_t late_p99_ns = 0;
  std::int64_t late_max_ns = 0;
  std::int64_t bad_lines = 0;
  std::int64_t left_out = 0;  // by the loggers themselves
};

// The text of a log; each goes into its part of `logs`.
void read_vehicle_log(std::string_view text, RunLogs& logs);
void read_station_log(std::string_view text, RunLogs& logs);
void read_link_log(std::string_view text, RunLogs& logs);

}  // namespace farwheel::link
