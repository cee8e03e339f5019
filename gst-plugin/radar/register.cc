#include "radar/register.h"

#include "radar/radar_filter.h"

namespace farwheel {
gboolean register_radar(GstPlugin* plugin) {
  const auto add = [plugin](const char* name, GType type) {
    return gst_element_register(plugin, name, GST_RANK_NONE, type) != FALSE;
  };
  return add("radarpcdparse", gst_radar_pcd_parse_get_type()) &&
         add("radarklvenc", gst_radar_klv_enc_get_type()) &&
         add("radarklvdec", gst_radar_klv_dec_get_type()) &&
         add("radarklvdepay", gst_radar_klv_depay_get_type()) &&
         add("radartestsrc", gst_radar_test_src_get_type());
}
}  // namespace farwheel
