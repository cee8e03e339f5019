#include "rtpbbrcc/register.h"

#include "rtpbbrcc/gst_rtp_bbr_cc.h"

namespace farwheel {

gboolean register_rtpbbrcc(GstPlugin* plugin) {
  return gst_element_register(plugin, "rtpbbrcc", GST_RANK_NONE, GST_TYPE_RTP_BBR_CC);
}

}  // namespace farwheel
