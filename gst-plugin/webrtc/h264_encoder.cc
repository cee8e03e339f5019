#include "webrtc/h264_encoder.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>

#include "support/gst_ptr.h"

namespace farwheel {
namespace {

using FactoryList = std::unique_ptr<GList, Deleter<gst_plugin_feature_list_free>>;

bool starts(GstElement* element) {
  const bool ready = gst_element_set_state(element, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE;
  gst_element_set_state(element, GST_STATE_NULL);
  return ready;
}

GstElementPtr make_hardware_encoder() {
  // Asking for hardware in the type as well would add to the list, not narrow it.
  FactoryList all(gst_element_factory_list_get_elements(GST_ELEMENT_FACTORY_TYPE_VIDEO_ENCODER,
                                                        GST_RANK_MARGINAL));
  GstCapsPtr h264(gst_caps_new_empty_simple("video/x-h264"));
  FactoryList fitting(gst_element_factory_list_filter(all.get(), h264.get(), GST_PAD_SRC, FALSE));
  FactoryList sorted(g_list_sort(fitting.release(), gst_plugin_feature_rank_compare_func));
  for (GList* item = sorted.get(); item; item = item->next) {
    auto* factory = GST_ELEMENT_FACTORY(item->data);
    const char* klass = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS);
    if (!klass || !std::strstr(klass, "Hardware")) continue;
    GstElementPtr element(gst_element_factory_create(factory, nullptr));
    if (!element) continue;
    gst_object_ref_sink(element.get());
    if (starts(element.get())) return element;
  }
  return nullptr;
}

bool has_property(GstElement* element, const char* name) {
  return g_object_class_find_property(G_OBJECT_GET_CLASS(element), name) != nullptr;
}

GstElement* make_x264(std::uint64_t bitrate) {
  GstElement* encoder = gst_element_factory_make("x264enc", nullptr);
  if (!encoder) return nullptr;
  // Slices are encoded side by side: threads beyond 4 cost bits and gain little.
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
  gst_util_set_object_arg(G_OBJECT(encoder), "tune", "zerolatency");
  gst_util_set_object_arg(G_OBJECT(encoder), "speed-preset",
                          threads >= 4 ? "superfast" : "ultrafast");
  // Key frames come when asked for; a lower rate is obeyed within a frame or two at this VBV.
  g_object_set(encoder, "bitrate", static_cast<guint>(std::max<std::uint64_t>(bitrate / 1000, 1)),
               "bframes", 0u, "vbv-buf-capacity", 100u, "key-int-max", 900u, "threads", threads,
               nullptr);
  return encoder;
}

}  // namespace

GstElement* make_h264_encoder(std::uint64_t bitrate) {
  if (GstElementPtr hardware = make_hardware_encoder()) {
    if (has_property(hardware.get(), "b-frames")) {
      gst_util_set_object_arg(G_OBJECT(hardware.get()), "b-frames", "0");
    }
    if (has_property(hardware.get(), "zerolatency")) {
      g_object_set(hardware.get(), "zerolatency", TRUE, nullptr);
    }
    GstElement* element = hardware.release();
    g_object_force_floating(G_OBJECT(element));
    return element;
  }
  return make_x264(bitrate);
}

}  // namespace farwheel
