#include "webrtc/promise.h"

#include <string>

namespace farwheel {
namespace {

struct Pending {
  std::shared_ptr<EventLoop> loop;
  PromiseDone done;
};

void on_change(GstPromise* promise, gpointer data) {
  auto* pending = static_cast<Pending*>(data);
  std::shared_ptr<GstStructure> reply;
  std::string error;
  if (gst_promise_wait(promise) == GST_PROMISE_RESULT_REPLIED) {
    if (const GstStructure* structure = gst_promise_get_reply(promise)) {
      reply.reset(gst_structure_copy(structure), gst_structure_free);
      GError* raw = nullptr;
      if (gst_structure_get(structure, "error", G_TYPE_ERROR, &raw, nullptr) && raw) {
        error = GErrorPtr(raw)->message;
      }
    }
  } else {
    error = "webrtcbin did not answer";
  }
  pending->loop->post([done = pending->done, reply, error] { done(reply.get(), error); });
}

}  // namespace

GstPromisePtr promise_on(const std::shared_ptr<EventLoop>& loop, PromiseDone done) {
  return GstPromisePtr(
      gst_promise_new_with_change_func(on_change, new Pending{loop, std::move(done)},
                                       [](gpointer data) { delete static_cast<Pending*>(data); }));
}

}  // namespace farwheel
