#include "radar/radar_filter.h"

#include "radar/radar_buffer.h"

GST_DEBUG_CATEGORY_STATIC(radar_filter_debug);
#define GST_CAT_DEFAULT radar_filter_debug

namespace farwheel {

enum { kPropStats = 1 };

G_DEFINE_ABSTRACT_TYPE(GstRadarFilter, gst_radar_filter, GST_TYPE_ELEMENT)

static GstRadarFilter* as_filter(gpointer object) {
  return static_cast<GstRadarFilter*>(object);
}

static void report(GstRadarFilter* self, const RadarConversion::Fault& fault) {
  const std::uint32_t bit = 1u << (fault.kind & 31);
  ++self->state->faults;
  if ((self->state->warned_kinds & bit) != 0) {
    GST_INFO_OBJECT(self, "%s", fault.text.c_str());
    return;
  }
  self->state->warned_kinds |= bit;
  GST_ELEMENT_WARNING(self, STREAM, DECODE, ("%s", fault.text.c_str()),
                      ("further faults of this kind are counted in \"stats\" and logged only"));
}

static GstFlowReturn gst_radar_filter_chain(GstPad*, GstObject* parent, GstBuffer* input) {
  GstRadarFilter* self = as_filter(parent);
  const auto* klass = reinterpret_cast<GstRadarFilterClass*>(G_OBJECT_GET_CLASS(self));
  const GstBufferPtr owned(input);
  RadarConversion conversion;
  {
    const MappedBytes mapped(input);
    conversion = klass->convert(mapped.bytes());
  }
  self->state->detections += conversion.detections;
  self->state->left_out += conversion.left_out;
  for (const auto& fault : conversion.faults) report(self, fault);
  for (const auto& bytes : conversion.outputs) {
    GstBufferPtr output = make_buffer(bytes);
    constexpr int kWhat = GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META;
    gst_buffer_copy_into(output.get(), input, static_cast<GstBufferCopyFlags>(kWhat), 0,
                         static_cast<gsize>(-1));
    ++self->state->sweeps;
    const GstFlowReturn flow = gst_pad_push(self->src, output.release());
    if (flow != GST_FLOW_OK) return flow;
  }
  return GST_FLOW_OK;
}

static gboolean gst_radar_filter_sink_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return gst_pad_event_default(pad, parent, event);
  const GstEventPtr owned(event);
  GstRadarFilter* self = as_filter(parent);
  const GstCapsPtr caps(gst_pad_get_pad_template_caps(self->src));
  return gst_pad_push_event(self->src, gst_event_new_caps(caps.get()));
}

static GstStateChangeReturn gst_radar_filter_change_state(GstElement* element,
                                                          GstStateChange transition) {
  RadarFilterState* state = as_filter(element)->state;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    state->sweeps = 0;
    state->faults = 0;
    state->detections = 0;
    state->left_out = 0;
    state->warned_kinds = 0;
  }
  return GST_ELEMENT_CLASS(gst_radar_filter_parent_class)->change_state(element, transition);
}

static void gst_radar_filter_get_property(GObject* object, guint id, GValue* value,
                                          GParamSpec* spec) {
  if (id != kPropStats) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    return;
  }
  const RadarFilterState* state = as_filter(object)->state;
  const auto count = [](const std::atomic<std::uint64_t>& counter) {
    return static_cast<guint64>(counter.load());
  };
  g_value_take_boxed(value,
                     gst_structure_new("application/x-radar-klv-stats",                        //
                                       "sweeps", G_TYPE_UINT64, count(state->sweeps),          //
                                       "faults", G_TYPE_UINT64, count(state->faults),          //
                                       "detections", G_TYPE_UINT64, count(state->detections),  //
                                       "left-out", G_TYPE_UINT64, count(state->left_out), nullptr));
}

// Here and not in init, where the object doesn't have its subclass's templates yet.
static void gst_radar_filter_constructed(GObject* object) {
  G_OBJECT_CLASS(gst_radar_filter_parent_class)->constructed(object);
  GstRadarFilter* self = as_filter(object);
  GstElementClass* klass = GST_ELEMENT_GET_CLASS(self);
  self->sink = gst_pad_new_from_template(gst_element_class_get_pad_template(klass, "sink"), "sink");
  gst_pad_set_chain_function(self->sink, gst_radar_filter_chain);
  gst_pad_set_event_function(self->sink, gst_radar_filter_sink_event);
  gst_element_add_pad(&self->parent, self->sink);
  self->src = gst_pad_new_from_template(gst_element_class_get_pad_template(klass, "src"), "src");
  gst_pad_use_fixed_caps(self->src);
  gst_element_add_pad(&self->parent, self->src);
}

static void gst_radar_filter_finalize(GObject* object) {
  delete as_filter(object)->state;
  G_OBJECT_CLASS(gst_radar_filter_parent_class)->finalize(object);
}

static void gst_radar_filter_class_init(GstRadarFilterClass* klass) {
  GST_DEBUG_CATEGORY_INIT(radar_filter_debug, "radarklv", 0, "radar sweeps to and from KLV");
  auto* object_class = reinterpret_cast<GObjectClass*>(klass);
  object_class->get_property = gst_radar_filter_get_property;
  object_class->constructed = gst_radar_filter_constructed;
  object_class->finalize = gst_radar_filter_finalize;
  klass->parent_class.change_state = gst_radar_filter_change_state;
  g_object_class_install_property(
      object_class, kPropStats,
      g_param_spec_boxed(
          "stats", "Statistics",
          "Since READY: sweeps out, faults, detections in those sweeps, detections left out",
          GST_TYPE_STRUCTURE, static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
  gst_type_mark_as_plugin_api(gst_radar_filter_get_type(), static_cast<GstPluginAPIFlags>(0));
}

static void gst_radar_filter_init(GstRadarFilter* self) {
  self->state = new RadarFilterState;
}

}  // namespace farwheel
