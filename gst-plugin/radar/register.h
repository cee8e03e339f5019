// The elements that this folder gives to the plugin.
#pragma once

#include <gst/gst.h>

namespace farwheel {
GType gst_radar_klv_depay_get_type();
GType gst_radar_pcd_parse_get_type();
GType gst_radar_test_src_get_type();
gboolean register_radar(GstPlugin* plugin);
}  // namespace farwheel
