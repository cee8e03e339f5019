// Which property of which encoder holds its bitrate, in which unit, and where its rate buffer (VBV,
// CPB) is set. From each element's own documentation; x264enc, x265enc, openh264enc, vp8enc,
// vp9enc, av1enc and avenc_* were looked at on GStreamer 1.22.
#pragma once

#include <cstdint>
#include <string_view>

namespace farwheel {

struct EncoderEntry {
  // Factory name; a trailing '*' stands for any ending.
  std::string_view factory;
  // The property, or within `extra-controls` the V4L2 control.
  const char* property;
  // 1: bit/s, 1000: kbit/s.
  std::int64_t bits_per_unit;
  enum class Place { kProperty, kExtraControls } place = Place::kProperty;
  // The rate buffer, null where there is none to set.
  const char* buffer_property = nullptr;
  enum class BufferUnit { kMilliseconds, kKilobits } buffer_unit = BufferUnit::kMilliseconds;
};

// Null for an encoder that is not known.
const EncoderEntry* find_encoder_entry(std::string_view factory);

}  // namespace farwheel
