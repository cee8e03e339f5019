// The elements that this folder gives to the plugin.
#pragma once

#include <gst/gst.h>

namespace farwheel {
gboolean register_radar(GstPlugin* plugin);
}
