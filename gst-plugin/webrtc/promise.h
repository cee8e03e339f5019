// GstPromise whose reply comes on an EventLoop, as a copy that stays valid.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>

#include "support/gst_ptr.h"
#include "webrtc/event_loop.h"

namespace farwheel {

// `done` gets null if the promise was interrupted, expired, or answered with an error (which is
// then in `error`). Ours to unref: webrtcbin's action signals take a reference of their own.
using PromiseDone = std::function<void(const GstStructure* reply, std::string error)>;
GstPromisePtr promise_on(const std::shared_ptr<EventLoop>& loop, PromiseDone done);

}  // namespace farwheel
