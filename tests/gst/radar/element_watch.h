// A pipeline's or an element's warning messages, and GLib set up so that criticals fail the test.
#pragma once

#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "radar/radar_sweep.h"
#include "support/gst_ptr.h"

namespace farwheel::testing {

struct HarnessDeleter {
  void operator()(GstHarness* harness) const { gst_harness_teardown(harness); }
};
using HarnessPtr = std::unique_ptr<GstHarness, HarnessDeleter>;

inline std::vector<std::string> take_warnings(GstBus* bus) {
  std::vector<std::string> texts;
  while (GstMessagePtr message{gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING)}) {
    GError* error = nullptr;
    gst_message_parse_warning(message.get(), &error, nullptr);
    texts.emplace_back(error->message);
    g_error_free(error);
  }
  return texts;
}

// An element under a harness, with a bus for what it posts.
class Harnessed {
 public:
  explicit Harnessed(const char* launch)
      : harness(gst_harness_new_parse(launch)), bus(gst_bus_new()) {
    gst_element_set_bus(harness->element, bus.get());
  }
  ~Harnessed() { gst_element_set_bus(harness->element, nullptr); }

  GstFlowReturn push(std::span<const std::uint8_t> bytes, GstClockTime pts = GST_CLOCK_TIME_NONE) {
    GstBuffer* buffer =
        bytes.empty() ? gst_buffer_new() : gst_buffer_new_memdup(bytes.data(), bytes.size());
    GST_BUFFER_PTS(buffer) = pts;
    return gst_harness_push(harness.get(), buffer);
  }
  std::vector<GstBufferPtr> pull_all() {
    std::vector<GstBufferPtr> buffers;
    while (GstBufferPtr buffer{gst_harness_try_pull(harness.get())}) {
      buffers.push_back(std::move(buffer));
    }
    return buffers;
  }
  // Lives as long as the harness.
  GstElement* find(const char* factory) {
    return GstElementPtr(gst_harness_find_element(harness.get(), factory)).get();
  }
  std::vector<std::string> warnings() { return take_warnings(bus.get()); }

  HarnessPtr harness;
  GstObjectPtr<GstBus> bus;
};

inline std::vector<std::uint8_t> content(GstBuffer* buffer) {
  std::vector<std::uint8_t> bytes(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
  return bytes;
}

inline RadarSweep sweep_of(GstBuffer* buffer) {
  auto sweep = read_radar_sweep(content(buffer));
  if (!sweep) ADD_FAILURE() << "no sweep";
  return sweep.value_or(RadarSweep{});
}

inline std::optional<std::uint64_t> unix_capture_time(GstBuffer* buffer) {
  const GstCapsPtr caps(gst_caps_from_string("timestamp/x-unix"));
  const auto* meta = gst_buffer_get_reference_timestamp_meta(buffer, caps.get());
  if (meta == nullptr) return std::nullopt;
  return meta->timestamp;
}

// For main(): a critical or a GLib warning ends the program.
inline void start_gst(int* argc, char*** argv) {
  gst_init(argc, argv);
  g_log_set_always_fatal(
      static_cast<GLogLevelFlags>(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK));
}

}  // namespace farwheel::testing
