// Registration only.
#include <gst/gst.h>

#include "farwheel_config.h"
#include "radar/register.h"
#include "rtpbbrcc/register.h"
#include "webrtc/register.h"

static gboolean plugin_init(GstPlugin* plugin) {
  return farwheel::register_rtpbbrcc(plugin) && farwheel::register_radar(plugin) &&
         farwheel::register_webrtc(plugin);
}

#define PACKAGE "farwheel"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, farwheel,
                  "Low-latency video and radar transport for remote driving", plugin_init,
                  FARWHEEL_VERSION, "MPL", "Farwheel", "https://farwheel.example")
