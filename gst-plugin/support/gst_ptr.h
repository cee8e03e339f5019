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

// Not Deleter<gst_buffer_unref> and the like: those are static inline in GStreamer's headers, so a
// type that names one is another type in each file that includes it.
struct MiniObjectDeleter {
  template <typename T>
  void operator()(T* object) const {
    gst_mini_object_unref(GST_MINI_OBJECT_CAST(object));
  }
};
template <typename T>
using GstMiniPtr = std::unique_ptr<T, MiniObjectDeleter>;

template <typename T>
using GObjectPtr = std::unique_ptr<T, Deleter<g_object_unref>>;
template <typename T>
using GstObjectPtr = std::unique_ptr<T, Deleter<gst_object_unref>>;
using GstElementPtr = GstObjectPtr<GstElement>;
using GstPadPtr = GstObjectPtr<GstPad>;
using GstBufferPtr = GstMiniPtr<GstBuffer>;
using GstBufferListPtr = GstMiniPtr<GstBufferList>;
using GstCapsPtr = GstMiniPtr<GstCaps>;
using GstEventPtr = GstMiniPtr<GstEvent>;
using GstSamplePtr = GstMiniPtr<GstSample>;
using GstMessagePtr = GstMiniPtr<GstMessage>;
using GstMiniObjectPtr = GstMiniPtr<GstMiniObject>;
using GstStructurePtr = std::unique_ptr<GstStructure, Deleter<gst_structure_free>>;
using GstPromisePtr = GstMiniPtr<GstPromise>;
using GErrorPtr = std::unique_ptr<GError, Deleter<g_error_free>>;
using GCharPtr = std::unique_ptr<gchar, Deleter<g_free>>;

// Keeps another reference to a GObject that somebody else owns.
template <typename T>
GstObjectPtr<T> ref_gst(T* object) {
  return GstObjectPtr<T>(object ? static_cast<T*>(gst_object_ref(object)) : nullptr);
}

}  // namespace farwheel
