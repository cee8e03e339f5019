// Capture times beside a stream: remembered under a buffer's timestamp where they are known, looked
// up by it further down, where elements in between have thrown metas away. Holds the newest 64.
// Also the NTP format of the ntp-64 extension (RFC 6051: 32.32 seconds since 1900). Not
// thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace farwheel {

class CaptureTimes {
 public:
  void remember(std::uint64_t timestamp, std::uint64_t capture) {
    entries_[next_++ % entries_.size()] = {timestamp, capture, true};
  }
  // The capture time of the entry nearest to `timestamp`, at most `tolerance` away.
  std::optional<std::uint64_t> find(std::uint64_t timestamp, std::uint64_t tolerance) const;

 private:
  struct Entry {
    std::uint64_t timestamp = 0;
    std::uint64_t capture = 0;
    bool used = false;
  };
  std::array<Entry, 64> entries_{};
  std::size_t next_ = 0;
};

// Unix time in ns to and from NTP 32.32. Rounds to the nearest; exact to 0.25 ns.
std::uint64_t ntp_from_unix_ns(std::uint64_t unix_ns);
// Empty for times before 1970.
std::optional<std::uint64_t> unix_ns_from_ntp(std::uint64_t ntp);

}  // namespace farwheel
