// What radarklvenc and radarklvdec share: one sink and one src pad with fixed caps, each input
// buffer read whole and turned into any number of output buffers with its timestamps and metas. An
// input that cannot be read is dropped with one warning message for each kind of fault between
// READY and READY, and the stream goes on.
//
// Everything but `stats` runs on the streaming thread; the counters are atomic.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace farwheel {

struct RadarConversion {
  struct Fault {
    unsigned kind;  // below 32; one warning for each
    std::string text;
  };
  std::vector<std::vector<std::uint8_t>> outputs;
  std::vector<Fault> faults;
  std::uint64_t detections = 0;
  std::uint64_t left_out = 0;
};

struct RadarFilterState {
  std::atomic<std::uint64_t> sweeps{0};
  std::atomic<std::uint64_t> faults{0};
  std::atomic<std::uint64_t> detections{0};
  std::atomic<std::uint64_t> left_out{0};
  std::uint32_t warned_kinds = 0;
};

struct GstRadarFilter {
  GstElement parent;
  GstPad* sink;
  GstPad* src;
  RadarFilterState* state;
};

struct GstRadarFilterClass {
  GstElementClass parent_class;
  RadarConversion (*convert)(std::span<const std::uint8_t> bytes);
};

GType gst_radar_filter_get_type();
GType gst_radar_klv_enc_get_type();
GType gst_radar_klv_dec_get_type();

}  // namespace farwheel
