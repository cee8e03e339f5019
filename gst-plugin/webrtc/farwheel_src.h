// farwheelsrc: the station's bin. A WHIP server and one WebRTC session from a vehicle in, cameras
// and radar out.
#pragma once

#include <gst/gst.h>

namespace farwheel {
gboolean register_farwheel_src(GstPlugin* plugin);
}
