#include "webrtc/inner_messages.h"

#include <cstring>

#include "support/gst_ptr.h"

namespace farwheel {
namespace {

bool is_webrtcbin(GstObject* object) {
  if (!GST_IS_ELEMENT(object)) return false;
  GstElementFactory* factory = gst_element_get_factory(GST_ELEMENT(object));
  return factory && std::strcmp(GST_OBJECT_NAME(factory), "webrtcbin") == 0;
}

bool is_inside_session(GstBin* bin, GstObject* object) {
  GstObjectPtr<GstObject> at = ref_gst(object);
  while (at && at.get() != GST_OBJECT(bin)) {
    if (is_webrtcbin(at.get())) return true;
    at.reset(gst_object_get_parent(at.get()));
  }
  return false;
}

}  // namespace

bool swallow_session_message(GstBin* bin, GstMessage* message, const SessionError& on_error) {
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ERROR:
    case GST_MESSAGE_WARNING:
    case GST_MESSAGE_EOS:
    case GST_MESSAGE_LATENCY:
    case GST_MESSAGE_ASYNC_START:
    case GST_MESSAGE_ASYNC_DONE:
    case GST_MESSAGE_STREAM_START:
    case GST_MESSAGE_STATE_DIRTY:
      break;
    default:
      return false;
  }
  if (!GST_MESSAGE_SRC(message) || !is_inside_session(bin, GST_MESSAGE_SRC(message))) return false;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    GError* raw = nullptr;
    gchar* debug = nullptr;
    gst_message_parse_error(message, &raw, &debug);
    GErrorPtr error(raw);
    GCharPtr details(debug);
    const GCharPtr path(gst_object_get_path_string(GST_MESSAGE_SRC(message)));
    if (on_error) {
      on_error(GST_MESSAGE_SRC(message), std::string(path.get()) + ": " + error->message);
    }
  }
  return true;
}

}  // namespace farwheel
