#include "rtpbbrcc/register.h"

namespace farwheel {
gboolean register_rtpbbrcc(GstPlugin*) { return TRUE; }
}  // namespace farwheel
