/**
 * SECTION:element-farwheelsrc
 * @title: farwheelsrc
 *
 * Receives cameras and radar from a vehicle's farwheelsink over WebRTC and is the WHIP server
 * (RFC 9725) that it calls. A live source before, during and between sessions: its pads appear with
 * the first vehicle and stay; a later session feeds the same pads, beginning with a key frame that
 * is marked DISCONT. Buffers bear their capture time as GstReferenceTimestampMeta
 * (timestamp/x-farwheel-capture) once the clocks are known.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 farwheelsrc listen=127.0.0.1:8080 ! h264parse ! avdec_h264 ! videoconvert !
 * autovideosink sync=false
 * ]|
 * Since: 0.1
 */
#include "webrtc/farwheel_src.h"

#include "webrtc/inner_messages.h"
#include "webrtc/station_bin.h"

GST_DEBUG_CATEGORY(farwheel_src_debug);
#define GST_CAT_DEFAULT farwheel_src_debug

struct GstFarwheelSrc {
  GstBin bin;
  farwheel::StationBin* impl;
};
struct GstFarwheelSrcClass {
  GstBinClass parent_class;
};

G_DEFINE_TYPE(GstFarwheelSrc, gst_farwheel_src, GST_TYPE_BIN)

namespace {

GstStaticPadTemplate video_template = GST_STATIC_PAD_TEMPLATE(
    "video_%u", GST_PAD_SRC, GST_PAD_SOMETIMES,
    GST_STATIC_CAPS("video/x-h264, stream-format=(string)byte-stream, alignment=(string)au"));
GstStaticPadTemplate radar_template =
    GST_STATIC_PAD_TEMPLATE("radar_%u", GST_PAD_SRC, GST_PAD_SOMETIMES,
                            GST_STATIC_CAPS("application/x-farwheel-radar, version=(int)1"));

farwheel::StationBin& impl_of(gpointer object) {
  return *static_cast<GstFarwheelSrc*>(object)->impl;
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec*) {
  impl_of(object).set_property(id, value);
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec*) {
  impl_of(object).get_property(id, value);
}

void finalize(GObject* object) {
  delete reinterpret_cast<GstFarwheelSrc*>(object)->impl;
  G_OBJECT_CLASS(gst_farwheel_src_parent_class)->finalize(object);
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
  farwheel::StationBin& impl = impl_of(element);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !impl.prepare()) {
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) impl.set_playing(false);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) impl.unprepare();
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_farwheel_src_parent_class)->change_state(element, transition);
  if (result == GST_STATE_CHANGE_FAILURE) {
    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) impl.unprepare();
    return result;
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) impl.set_playing(true);
  const bool to_paused = transition == GST_STATE_CHANGE_READY_TO_PAUSED ||
                         transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED;
  return to_paused ? GST_STATE_CHANGE_NO_PREROLL : result;
}

void handle_message(GstBin* bin, GstMessage* message) {
  const bool swallowed = farwheel::swallow_session_message(
      bin, message, [bin](GstObject* source, const std::string& text) {
        impl_of(bin).on_session_error(source, text);
      });
  if (swallowed) {
    gst_message_unref(message);
    return;
  }
  GST_BIN_CLASS(gst_farwheel_src_parent_class)->handle_message(bin, message);
}

}  // namespace

static void gst_farwheel_src_init(GstFarwheelSrc* self) {
  self->impl = new farwheel::StationBin(GST_ELEMENT(self));
  // Sessions come and go inside, with sources and sinks of their own; we are a source throughout.
  gst_bin_set_suppressed_flags(
      GST_BIN(self), static_cast<GstElementFlags>(GST_ELEMENT_FLAG_SOURCE | GST_ELEMENT_FLAG_SINK));
  GST_OBJECT_FLAG_SET(self, GST_ELEMENT_FLAG_SOURCE);
}

static void gst_farwheel_src_class_init(GstFarwheelSrcClass* klass) {
  GST_DEBUG_CATEGORY_INIT(farwheel_src_debug, "farwheelsrc", 0, "station's WebRTC receiver");
  auto* object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  farwheel::install_station_properties(object);
  auto* element = GST_ELEMENT_CLASS(klass);
  element->change_state = change_state;
  GST_BIN_CLASS(klass)->handle_message = handle_message;
  gst_element_class_add_static_pad_template(element, &video_template);
  gst_element_class_add_static_pad_template(element, &radar_template);
  gst_element_class_set_static_metadata(
      element, "Farwheel Station WebRTC Source", "Source/Network/WebRTC",
      "Receives a vehicle's cameras and radar over WebRTC, as the WHIP server that it calls",
      "Farwheel <farwheel@farwheel.example>");
}

namespace farwheel {

gboolean register_farwheel_src(GstPlugin* plugin) {
  return gst_element_register(plugin, "farwheelsrc", GST_RANK_NONE, gst_farwheel_src_get_type());
}

}  // namespace farwheel
