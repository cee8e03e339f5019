// The end of a webrtcbin. Its own thread ("pc") closes data channels when it gets to it, also while
// the element goes to NULL, and sctpenc then frees the association under it (1.22). end_session()
// orders the two: no channel can reach sctpenc any more, what had begun is over, then NULL.
#pragma once

#include <gst/gst.h>

#include "support/gst_ptr.h"

typedef struct _GstWebRTCDataChannel GstWebRTCDataChannel;

namespace farwheel {

// Takes `webrtcbin` to NULL and out of `bin`. Not on webrtcbin's own threads. Waits for the pc
// thread for at most a second. `channel`, the caller's last reference or null, is freed after that:
// webrtcbin's thread that sends on it does not keep it alive.
void end_session(GstBin* bin, GstElementPtr webrtcbin, GObjectPtr<GstWebRTCDataChannel> channel);

}  // namespace farwheel
