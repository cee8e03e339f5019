// Sweeps, bytes and capture times as GstBuffers.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <optional>
#include <span>

#include "support/gst_ptr.h"

namespace farwheel {

// Readable bytes of a buffer for as long as this lives. Empty where mapping fails.
class MappedBytes {
 public:
  explicit MappedBytes(GstBuffer* buffer) : buffer_(buffer) {
    mapped_ = gst_buffer_map(buffer, &map_, GST_MAP_READ) != FALSE;
  }
  ~MappedBytes() {
    if (mapped_) gst_buffer_unmap(buffer_, &map_);
  }
  MappedBytes(const MappedBytes&) = delete;
  MappedBytes& operator=(const MappedBytes&) = delete;

  std::span<const std::uint8_t> bytes() const {
    if (!mapped_) return {};
    return {map_.data, map_.size};
  }

 private:
  GstBuffer* buffer_;
  GstMapInfo map_;
  bool mapped_ = false;
};

inline GstBufferPtr make_buffer(std::span<const std::uint8_t> bytes) {
  return GstBufferPtr(gst_buffer_new_memdup(bytes.data(), bytes.size()));
}

// Capture time by the vehicle's wall clock, ns since 1970: GstReferenceTimestampMeta with caps
// timestamp/x-unix (docs/stats.md).
std::optional<std::uint64_t> capture_time(GstBuffer* buffer);
void set_capture_time(GstBuffer* buffer, std::uint64_t unix_ns);

std::uint64_t wall_clock_ns();

}  // namespace farwheel
