// farwheelsink: the vehicle's bin. Cameras and radar in, one WebRTC session to a station out, kept
// up for ever.
#pragma once

#include <gst/gst.h>

namespace farwheel {
gboolean register_farwheel_sink(GstPlugin* plugin);
}
