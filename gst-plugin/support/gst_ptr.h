// Owning pointers for GObject and GStreamer things. Wrap a transfer-full return at once; call
// .release() where a callee takes the reference.
#pragma once

#include <gst/gst.h>

#include <memory>

namespace farwheel {

template <auto function>
struct Deleter {
  template <typename T>
  void operator()(T* pointer) const {
    function(pointer);
  }
};

template <typename T>
using GObjectPtr = std::unique_ptr<T, Deleter<g_object_unref>>;
template <typename T>
using GstObjectPtr = std::unique_ptr<T, Deleter<gst_object_unref>>;
using GstElementPtr = GstObjectPtr<GstElement>;
using GstPadPtr = GstObjectPtr<GstPad>;
using GstBufferPtr = std::unique_ptr<GstBuffer, Deleter<gst_buffer_unref>>;
using GstBufferListPtr = std::unique_ptr<GstBufferList, Deleter<gst_buffer_list_unref>>;
using GstCapsPtr = std::unique_ptr<GstCaps, Deleter<gst_caps_unref>>;
using GstEventPtr = std::unique_ptr<GstEvent, Deleter<gst_event_unref>>;
using GstSamplePtr = std::unique_ptr<GstSample, Deleter<gst_sample_unref>>;
using GstMessagePtr = std::unique_ptr<GstMessage, Deleter<gst_message_unref>>;
using GstMiniObjectPtr = std::unique_ptr<GstMiniObject, Deleter<gst_mini_object_unref>>;
using GstStructurePtr = std::unique_ptr<GstStructure, Deleter<gst_structure_free>>;
using GstPromisePtr = std::unique_ptr<GstPromise, Deleter<gst_promise_unref>>;
using GErrorPtr = std::unique_ptr<GError, Deleter<g_error_free>>;
using GCharPtr = std::unique_ptr<gchar, Deleter<g_free>>;

// Keeps another reference to a GObject that somebody else owns.
template <typename T>
GstObjectPtr<T> ref_gst(T* object) {
  return GstObjectPtr<T>(object ? static_cast<T*>(gst_object_ref(object)) : nullptr);
}

}  // namespace farwheel
