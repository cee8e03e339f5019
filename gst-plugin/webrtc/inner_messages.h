// Bus messages from inside a session's webrtcbin, which must not end or disturb the application's
// pipeline: a session is rebuilt, the pipeline goes on.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <string>

namespace farwheel {

// True if the message was one of a session's and is dealt with (the caller unrefs it). Errors are
// given to `on_error`.
using SessionError = std::function<void(GstObject* source, const std::string& text)>;
bool swallow_session_message(GstBin* bin, GstMessage* message, const SessionError& on_error);

}  // namespace farwheel
