// Cuts a stream of bytes into PCD files, without GStreamer. Where a file ends:
//  - binary: after POINTS points of the size that the header gives;
//  - ascii: after POINTS point lines, the last one ended by a newline;
//  - anywhere: before bytes pushed that start a new file ("# .PCD" at their start; "VERSION", too,
//    once the earlier header is whole), and at finish(). A last line without newline counts then.
// Blanks and NULs between files are skipped. Other bytes after a file's declared end make that file
// bad if they came with it, since then its header lies. What is bad is skipped up to the next line
// that starts with "# .PCD" (or "VERSION ", where the bad file had no such first line). Held at
// most: kPcdMaxFileSize + kPcdMaxHeaderSize + one push. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "radar/pcd_reader.h"

namespace farwheel {

class PcdCollector {
 public:
  explicit PcdCollector(PcdInvalidPoints invalid_points = PcdInvalidPoints::kDrop)
      : invalid_points_(invalid_points) {}

  void set_invalid_points(PcdInvalidPoints invalid_points) { invalid_points_ = invalid_points; }

  // The files that `bytes` completes, in order. A fault's line and byte count from its file's
  // start.
  std::vector<PcdOutcome> push(std::span<const std::uint8_t> bytes);
  // What is held is all there will be of its file.
  std::vector<PcdOutcome> finish();
  void reset();
  // A file has begun and is not whole yet.
  bool holding() const { return !held_.empty(); }

 private:
  void collect(std::vector<PcdOutcome>& outcomes);
  bool skip_to_header();
  bool read_header(std::vector<PcdOutcome>& outcomes);
  std::optional<std::size_t> file_end();
  void take_file(std::size_t end, std::vector<PcdOutcome>& outcomes);
  void drop_front(std::size_t bytes);
  void reject(PcdFault fault, std::size_t bytes, std::vector<PcdOutcome>& outcomes);

  PcdInvalidPoints invalid_points_;
  std::vector<std::uint8_t> held_;
  std::optional<PcdHeader> header_;
  // Within ascii data: up to where whole lines were counted, and how many were points.
  std::size_t scanned_ = 0;
  std::size_t points_ = 0;
  enum class Skipping { kNo, kToMagic, kToMagicOrVersion };
  Skipping skipping_ = Skipping::kNo;
};

}  // namespace farwheel
