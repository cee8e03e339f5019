#include "rtpbbrcc/pad_walk.h"

#include <cstring>

namespace farwheel {
namespace {

// Bins in bins in bins: more is a loop.
constexpr int kMostBoundaries = 32;

}  // namespace

GstPadPtr linked_element_pad(GstPad* pad, const OnBinPad& on_bin_pad) {
  GstPadPtr from = ref_gst(pad);
  for (int boundary = 0; boundary < kMostBoundaries; ++boundary) {
    GstPadPtr peer(gst_pad_get_peer(from.get()));
    if (!peer) return nullptr;
    if (GST_IS_GHOST_PAD(peer.get())) {
      // Into a bin.
      if (on_bin_pad) on_bin_pad(peer.get());
      GstPadPtr target(gst_ghost_pad_get_target(GST_GHOST_PAD(peer.get())));
      while (target && GST_IS_GHOST_PAD(target.get())) {
        if (on_bin_pad) on_bin_pad(target.get());
        target.reset(gst_ghost_pad_get_target(GST_GHOST_PAD(target.get())));
      }
      return target;
    }
    if (!GST_IS_PROXY_PAD(peer.get())) return peer;
    // Out of a bin: the inner side of one of its ghost pads.
    GstProxyPad* outer = gst_proxy_pad_get_internal(GST_PROXY_PAD(peer.get()));
    if (outer == nullptr) return nullptr;
    from.reset(GST_PAD(outer));
    if (on_bin_pad) on_bin_pad(from.get());
  }
  return nullptr;
}

std::vector<GstPadPtr> internally_linked_pads(GstPad* pad) {
  std::vector<GstPadPtr> pads;
  GstIterator* iterator = gst_pad_iterate_internal_links(pad);
  if (iterator == nullptr) return pads;
  GValue item = G_VALUE_INIT;
  int resyncs = 0;
  bool done = false;
  while (!done) {
    switch (gst_iterator_next(iterator, &item)) {
      case GST_ITERATOR_OK:
        pads.push_back(ref_gst(GST_PAD(g_value_get_object(&item))));
        g_value_reset(&item);
        break;
      case GST_ITERATOR_RESYNC:
        pads.clear();
        gst_iterator_resync(iterator);
        done = ++resyncs > 8;
        break;
      case GST_ITERATOR_ERROR:
      case GST_ITERATOR_DONE:
        done = true;
        break;
    }
  }
  g_value_unset(&item);
  gst_iterator_free(iterator);
  return pads;
}

GstElementPtr parent_element(GstPad* pad) {
  GstObject* parent = gst_object_get_parent(GST_OBJECT(pad));
  if (parent != nullptr && !GST_IS_ELEMENT(parent)) {
    gst_object_unref(parent);
    return nullptr;
  }
  return GstElementPtr(GST_ELEMENT(parent));
}

bool has_class(GstElement* element, const char* word) {
  const gchar* classes =
      gst_element_class_get_metadata(GST_ELEMENT_GET_CLASS(element), GST_ELEMENT_METADATA_KLASS);
  return classes != nullptr && std::strstr(classes, word) != nullptr;
}

}  // namespace farwheel
