/**
 * SECTION:element-farwheelsink
 * @title: farwheelsink
 *
 * Sends H.264 cameras and radar from a vehicle to a station over WebRTC, signalled by WHIP
 * (RFC 9725), and reconnects for ever. Raw video gets an encoder. With the element `rtpbbrcc` in
 * the registry, it controls the rate.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 v4l2src ! video/x-raw,framerate=30/1 ! farwheelsink \
 *     whip-endpoint=http://127.0.0.1:8080 vehicle-id=car-7
 * ]|
 * Since: 0.1
 */
#include "webrtc/farwheel_sink.h"

#include "webrtc/inner_messages.h"
#include "webrtc/vehicle_bin.h"

GST_DEBUG_CATEGORY(farwheel_sink_debug);
#define GST_CAT_DEFAULT farwheel_sink_debug

struct GstFarwheelSink {
  GstBin bin;
  farwheel::VehicleBin* impl;
};
struct GstFarwheelSinkClass {
  GstBinClass parent_class;
};

G_DEFINE_TYPE(GstFarwheelSink, gst_farwheel_sink, GST_TYPE_BIN)

namespace {

farwheel::VehicleBin& impl_of(gpointer object) {
  return *static_cast<GstFarwheelSink*>(object)->impl;
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec*) {
  impl_of(object).set_property(id, value);
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec*) {
  impl_of(object).get_property(id, value);
}

void dispose(GObject* object) {
  impl_of(object).remove_feeds();
  G_OBJECT_CLASS(gst_farwheel_sink_parent_class)->dispose(object);
}

void finalize(GObject* object) {
  delete reinterpret_cast<GstFarwheelSink*>(object)->impl;
  G_OBJECT_CLASS(gst_farwheel_sink_parent_class)->finalize(object);
}

GstPad* request_new_pad(GstElement* element, GstPadTemplate* pad_template, const gchar* name,
                        const GstCaps*) {
  return impl_of(element).request_pad(pad_template, name);
}

void release_pad(GstElement* element, GstPad* pad) {
  impl_of(element).release_pad(pad);
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
  farwheel::VehicleBin& impl = impl_of(element);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !impl.prepare()) {
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) impl.pause();
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_farwheel_sink_parent_class)->change_state(element, transition);
  if (result == GST_STATE_CHANGE_FAILURE) return result;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) impl.play();
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    impl.unprepare();
    impl.reset_feeds();
  }
  return result;
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
  GST_BIN_CLASS(gst_farwheel_sink_parent_class)->handle_message(bin, message);
}

}  // namespace

static void gst_farwheel_sink_init(GstFarwheelSink* self) {
  self->impl = new farwheel::VehicleBin(GST_ELEMENT(self));
  // Sessions come and go inside, with sources and sinks of their own; we are a sink throughout.
  gst_bin_set_suppressed_flags(
      GST_BIN(self), static_cast<GstElementFlags>(GST_ELEMENT_FLAG_SOURCE | GST_ELEMENT_FLAG_SINK));
  GST_OBJECT_FLAG_SET(self, GST_ELEMENT_FLAG_SINK);
}

static void gst_farwheel_sink_class_init(GstFarwheelSinkClass* klass) {
  GST_DEBUG_CATEGORY_INIT(farwheel_sink_debug, "farwheelsink", 0, "vehicle's WebRTC sender");
  auto* object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->dispose = dispose;
  object->finalize = finalize;
  farwheel::install_vehicle_properties(object);
  auto* element = GST_ELEMENT_CLASS(klass);
  element->request_new_pad = request_new_pad;
  element->release_pad = release_pad;
  element->change_state = change_state;
  GST_BIN_CLASS(klass)->handle_message = handle_message;
  for (const auto kind : {farwheel::FeedKind::kCamera, farwheel::FeedKind::kRadar}) {
    const std::string name = std::string(farwheel::pad_prefix(kind)) + "%u";
    farwheel::GstCapsPtr caps(gst_caps_from_string(farwheel::feed_caps_text(kind)));
    gst_element_class_add_pad_template(
        element, gst_pad_template_new(name.c_str(), GST_PAD_SINK, GST_PAD_REQUEST, caps.get()));
  }
  gst_element_class_set_static_metadata(
      element, "Farwheel Vehicle WebRTC Sink", "Sink/Network/WebRTC",
      "Sends cameras and radar to a remote driving station over WebRTC, signalled by WHIP",
      "Farwheel <farwheel@farwheel.example>");
}

namespace farwheel {

gboolean register_farwheel_sink(GstPlugin* plugin) {
  return gst_element_register(plugin, "farwheelsink", GST_RANK_NONE, gst_farwheel_sink_get_type());
}

}  // namespace farwheel
