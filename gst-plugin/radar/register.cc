#include "radar/register.h"

namespace farwheel {
gboolean register_radar(GstPlugin*) { return TRUE; }
}  // namespace farwheel
