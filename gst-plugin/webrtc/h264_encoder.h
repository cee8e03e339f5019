// The encoder that raw video gets: a hardware one from the registry if it starts on this machine,
// else x264enc set for low latency.
#pragma once

#include <gst/gst.h>

#include <cstdint>

namespace farwheel {

// Floating, or null if there is none. `bitrate` in bit/s is only where it begins.
GstElement* make_h264_encoder(std::uint64_t bitrate);

}  // namespace farwheel
