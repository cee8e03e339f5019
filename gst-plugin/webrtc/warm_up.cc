#include "webrtc/warm_up.h"

#include <gst/gst.h>

#include <mutex>

#include "support/gst_ptr.h"

namespace farwheel {

void warm_up_sessions() {
  static std::once_flag once;
  std::call_once(once, [] {
    // dtlsdec makes the key when the first one is created, and keeps it for the process.
    for (const char* factory : {"dtlsdec",      "webrtcbin",    "dtlssrtpenc", "dtlssrtpdec",
                                "srtpenc",      "srtpdec",      "nicesrc",     "nicesink",
                                "sctpenc",      "sctpdec",      "rtpsession",  "rtpjitterbuffer",
                                "rtpssrcdemux", "rtpptdemux",   "rtprtxsend",  "rtprtxreceive",
                                "rtpfunnel",    "rtpulpfecdec", "rtpreddec",   "clocksync",
                                "funnel",       "queue"}) {
      GstElementPtr element(gst_element_factory_make(factory, nullptr));
      if (!element) continue;
      gst_object_ref_sink(element.get());
      gst_element_set_state(element.get(), GST_STATE_NULL);
    }
  });
}

}  // namespace farwheel
