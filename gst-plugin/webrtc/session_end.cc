#include "webrtc/session_end.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace farwheel {
namespace {

GstPadProbeReturn drop(GstPad*, GstPadProbeInfo*, gpointer) {
  return GST_PAD_PROBE_DROP;
}

// webrtcbin's task that closes a channel looks for sctpenc at the channel's peer, and does nothing
// where there is none. What is still sent is dropped: unlinked, it would be an error of the stream.
void unlink_sinks(const GValue* item, gpointer) {
  auto* element = static_cast<GstElement*>(g_value_get_object(item));
  const GstElementFactory* factory = gst_element_get_factory(element);
  if (!factory || g_strcmp0(GST_OBJECT_NAME(factory), "sctpenc") != 0) return;
  gst_element_foreach_sink_pad(
      element,
      [](GstElement*, GstPad* sink, gpointer) -> gboolean {
        const GstPadPtr source(gst_pad_get_peer(sink));
        if (!source) return TRUE;
        gst_pad_add_probe(source.get(), GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM, drop, nullptr, nullptr);
        gst_pad_unlink(source.get(), sink);
        return TRUE;
      },
      nullptr);
}

struct Answered {
  std::mutex mutex;
  std::condition_variable condition;
  bool yes = false;
};

// The pc thread does one thing after the other: an answer to ours is an end to those before it.
void wait_for_pc_thread(GstElement* webrtcbin) {
  auto answered = std::make_shared<Answered>();
  const GstPromisePtr promise(gst_promise_new_with_change_func(
      [](GstPromise*, gpointer data) {
        const auto& state = *static_cast<std::shared_ptr<Answered>*>(data);
        std::lock_guard lock(state->mutex);
        state->yes = true;
        state->condition.notify_all();
      },
      new std::shared_ptr<Answered>(answered),
      [](gpointer data) { delete static_cast<std::shared_ptr<Answered>*>(data); }));
  g_signal_emit_by_name(webrtcbin, "get-stats", nullptr, promise.get());
  std::unique_lock lock(answered->mutex);
  if (!answered->condition.wait_for(lock, std::chrono::seconds(1), [&] { return answered->yes; })) {
    GST_WARNING_OBJECT(webrtcbin, "its thread is busy; the session is ended all the same");
  }
}

}  // namespace

void end_session(GstBin* bin, GstElementPtr webrtcbin, GObjectPtr<GstWebRTCDataChannel> channel) {
  GstIterator* elements = gst_bin_iterate_recurse(GST_BIN(webrtcbin.get()));
  while (gst_iterator_foreach(elements, unlink_sinks, nullptr) == GST_ITERATOR_RESYNC) {
    gst_iterator_resync(elements);
  }
  gst_iterator_free(elements);
  wait_for_pc_thread(webrtcbin.get());
  gst_element_set_state(webrtcbin.get(), GST_STATE_NULL);
  gst_bin_remove(bin, webrtcbin.get());
  webrtcbin.reset();
  channel.reset();
}

}  // namespace farwheel
