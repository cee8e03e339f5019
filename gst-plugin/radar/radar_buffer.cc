#include "radar/radar_buffer.h"

namespace farwheel {
namespace {
GstStaticCaps unix_caps = GST_STATIC_CAPS("timestamp/x-unix");
}

std::optional<std::uint64_t> capture_time(GstBuffer* buffer) {
  const GstCapsPtr caps(gst_static_caps_get(&unix_caps));
  const auto* meta = gst_buffer_get_reference_timestamp_meta(buffer, caps.get());
  if (meta == nullptr || !GST_CLOCK_TIME_IS_VALID(meta->timestamp)) return std::nullopt;
  return meta->timestamp;
}

void set_capture_time(GstBuffer* buffer, std::uint64_t unix_ns) {
  const GstCapsPtr caps(gst_static_caps_get(&unix_caps));
  gst_buffer_add_reference_timestamp_meta(buffer, caps.get(), unix_ns, GST_CLOCK_TIME_NONE);
}

std::uint64_t wall_clock_ns() {
  return static_cast<std::uint64_t>(g_get_real_time()) * GST_USECOND;
}

}  // namespace farwheel
