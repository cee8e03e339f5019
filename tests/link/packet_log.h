// The emulator's own record of RTP packets on the way there: when each entered and left the link.
// One line a packet, into memory; the file is written when a buffer is full and at the end.
// docs/link-run.md names the lines.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "emulated_link.h"

namespace farwheel::link {

class PacketLog {
 public:
  // Throws std::runtime_error that names the file.
  explicit PacketLog(const std::string& file);
  ~PacketLog();
  PacketLog(const PacketLog&) = delete;
  PacketLog& operator=(const PacketLog&) = delete;

  // What is no RTP packet on the way there is left out.
  void add(const Passed& passed, std::int64_t left_ns);
  void begin(std::int64_t at_ns);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<char> buffer_;
  std::vector<std::int64_t> late_ns_;
};

}  // namespace farwheel::link
