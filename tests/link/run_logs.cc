#include "run_logs.h"

#include <array>
#include <charconv>

namespace farwheel::link {
namespace {

// The words of one line.
struct Line {
  static constexpr std::size_t kMostWords = 12;
  std::array<std::string_view, kMostWords> words;
  std::size_t count = 0;
  bool is_sound = true;

  std::string_view kind() const { return count > 0 ? words[0] : std::string_view(); }
  template <typename Number>
  void get(std::size_t index, Number& value) {
    if (index >= count) {
      is_sound = false;
      return;
    }
    const std::string_view word = words[index];
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) is_sound = false;
  }
  void get(std::size_t index, std::string& value) {
    if (index < count) value = words[index];
    if (value.empty()) is_sound = false;
  }
};

Line words_of(std::string_view text) {
  Line line;
  while (!text.empty() && line.count < Line::kMostWords) {
    const std::size_t end = text.find(' ');
    line.words[line.count++] = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return line;
}

template <typename Take>
void for_each_line(std::string_view text, RunLogs& logs, const Take& take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    Line line = words_of(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.count == 0) continue;
    take(line);
    if (!line.is_sound) ++logs.bad_lines;
  }
}

void read_left_out(Line& line, RunLogs& logs) {
  std::int64_t left_out = 0;
  line.get(1, left_out);
  if (line.is_sound) logs.left_out += left_out;
}

}  // namespace

void read_vehicle_log(std::string_view text, RunLogs& logs) {
  for_each_line(text, logs, [&logs](Line& line) {
    std::string name;
    if (line.kind() == "clock") {
      std::int64_t monotonic = 0;
      std::int64_t unix_ns = 0;
      line.get(1, monotonic);
      line.get(2, unix_ns);
      if (line.is_sound) logs.unix_offset_ns = unix_ns - monotonic;
    } else if (line.kind() == "captured") {
      CapturedUnit unit;
      line.get(2, name);
      line.get(3, unit.capture_unix_ns);
      if (line.is_sound) logs.feeds[name].captured.push_back(unit);
    } else if (line.kind() == "sent") {
      LoggedUnit unit;
      std::uint32_t ssrc = 0;
      line.get(2, name);
      line.get(3, unit.capture_unix_ns);
      line.get(4, ssrc);
      line.get(5, unit.first_sequence);
      line.get(6, unit.packets);
      unit.is_key = line.count > 8 && line.words[8] == "key";
      if (!line.is_sound) return;
      logs.feeds[name].ssrc = ssrc;
      logs.feeds[name].sent.push_back(unit);
    } else if (line.kind() == "key-asked") {
      std::int64_t at = 0;
      line.get(1, at);
      line.get(2, name);
      if (line.is_sound) logs.feeds[name].keys_asked_ns.push_back(at);
    } else if (line.kind() == "left-out") {
      read_left_out(line, logs);
    } else {
      line.is_sound = line.kind() == "opened";  // of no use here
    }
  });
}

void read_station_log(std::string_view text, RunLogs& logs) {
  for_each_line(text, logs, [&logs](Line& line) {
    if (line.kind() == "packet") {
      PacketIn packet;
      line.get(1, packet.at_ns);
      line.get(2, packet.ssrc);
      line.get(3, packet.sequence);
      line.get(5, packet.capture_unix_ns);
      line.get(6, packet.bytes);
      if (line.is_sound) logs.packets.push_back(packet);
    } else if (line.kind() == "received") {
      UnitOut unit;
      line.get(1, unit.at_ns);
      line.get(2, unit.feed);
      line.get(3, unit.capture_unix_ns);
      if (line.is_sound) logs.received.push_back(unit);
    } else if (line.kind() == "left-out") {
      read_left_out(line, logs);
    } else if (line.kind() != "clock") {
      line.is_sound = false;
    }
  });
}

void read_link_log(std::string_view text, RunLogs& logs) {
  for_each_line(text, logs, [&logs](Line& line) {
    if (line.kind() == "there") {
      PacketOnLink packet;
      line.get(1, packet.entered_ns);
      line.get(2, packet.left_ns);
      line.get(3, packet.bytes);
      line.get(5, packet.ssrc);
      line.get(6, packet.sequence);
      if (line.is_sound) logs.link.push_back(packet);
    } else if (line.kind() == "begin") {
      line.get(1, logs.began_ns);
    } else if (line.kind() == "late") {
      line.get(1, logs.late_p50_ns);
      line.get(2, logs.late_p99_ns);
      line.get(3, logs.late_max_ns);
    } else {
      line.is_sound = false;
    }
  });
}

}  // namespace farwheel::link
