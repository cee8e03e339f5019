#include "webrtc/register.h"

#include "webrtc/farwheel_sink.h"
#include "webrtc/farwheel_src.h"

namespace farwheel {

gboolean register_webrtc(GstPlugin* plugin) {
  return register_farwheel_sink(plugin) && register_farwheel_src(plugin);
}

}  // namespace farwheel
