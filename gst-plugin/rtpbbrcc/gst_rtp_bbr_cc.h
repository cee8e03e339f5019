// The GObject shell of the element rtpbbrcc: type, pads, properties. What it does is in RtpBbrCc.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_BBR_CC (gst_rtp_bbr_cc_get_type())
G_DECLARE_FINAL_TYPE(GstRtpBbrCc, gst_rtp_bbr_cc, GST, RTP_BBR_CC, GstElement)

#define GST_TYPE_RTP_BBR_CC_ALGORITHM (gst_rtp_bbr_cc_algorithm_get_type())
GType gst_rtp_bbr_cc_algorithm_get_type(void);
#define GST_TYPE_RTP_BBR_CC_STARTUP (gst_rtp_bbr_cc_startup_get_type())
GType gst_rtp_bbr_cc_startup_get_type(void);

G_END_DECLS
