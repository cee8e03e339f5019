#include "webrtc/register.h"

namespace farwheel {
gboolean register_webrtc(GstPlugin*) { return TRUE; }
}  // namespace farwheel
