#include "rtpbbrcc/stream_context.h"

#include <cstdlib>
#include <cstring>

namespace farwheel {
namespace {

GstEventPtr ref_event(const GstEventPtr& event) {
  return GstEventPtr(event ? gst_event_ref(event.get()) : nullptr);
}

// RFC 8285 allows ids 1 to 14 in the one-byte form, the only one that rtpsession writes.
std::uint8_t extension_id(const gchar* field) {
  if (!g_str_has_prefix(field, "extmap-")) return 0;
  const long id = std::strtol(field + std::strlen("extmap-"), nullptr, 10);
  return id >= 1 && id <= 14 ? static_cast<std::uint8_t>(id) : 0;
}

// The value is the URI, or an array of direction, URI, attributes.
bool names_twcc(const GValue* value) {
  if (G_VALUE_HOLDS_STRING(value)) {
    return g_strcmp0(g_value_get_string(value), kTwccExtensionUri) == 0;
  }
  if (!GST_VALUE_HOLDS_ARRAY(value) || gst_value_array_get_size(value) < 2) return false;
  const GValue* uri = gst_value_array_get_value(value, 1);
  return G_VALUE_HOLDS_STRING(uri) && g_strcmp0(g_value_get_string(uri), kTwccExtensionUri) == 0;
}

std::uint8_t find_twcc_id(GstEvent* caps_event) {
  GstCaps* caps = nullptr;
  gst_event_parse_caps(caps_event, &caps);
  if (caps == nullptr || gst_caps_get_size(caps) == 0) return 0;
  std::uint8_t found = 0;
  gst_structure_foreach(
      gst_caps_get_structure(caps, 0),
      [](GQuark field, const GValue* value, gpointer data) -> gboolean {
        const std::uint8_t id = extension_id(g_quark_to_string(field));
        if (id == 0 || !names_twcc(value)) return TRUE;
        *static_cast<std::uint8_t*>(data) = id;
        return FALSE;
      },
      &found);
  return found;
}

std::shared_ptr<StreamContext> copy_of(const StreamContextPtr& before) {
  auto copy = std::make_shared<StreamContext>();
  if (!before) return copy;
  copy->serial = before->serial + 1;
  copy->stream_start = ref_event(before->stream_start);
  copy->caps = ref_event(before->caps);
  copy->segment = ref_event(before->segment);
  copy->twcc_id = before->twcc_id;
  return copy;
}

bool same_caps(const GstEventPtr& a, const GstEventPtr& b) {
  if (a == b || !a || !b) return a == b;
  GstCaps* caps_a = nullptr;
  GstCaps* caps_b = nullptr;
  gst_event_parse_caps(a.get(), &caps_a);
  gst_event_parse_caps(b.get(), &caps_b);
  return gst_caps_is_equal(caps_a, caps_b) != FALSE;
}

bool same_segment(const GstEventPtr& a, const GstEventPtr& b) {
  if (a == b || !a || !b) return a == b;
  const GstSegment* segment_a = nullptr;
  const GstSegment* segment_b = nullptr;
  gst_event_parse_segment(a.get(), &segment_a);
  gst_event_parse_segment(b.get(), &segment_b);
  return gst_segment_is_equal(segment_a, segment_b) != FALSE;
}

void push_event(GstPad* src, const GstEventPtr& event) {
  gst_pad_push_event(src, gst_event_ref(event.get()));
}

}  // namespace

bool is_context_event(GstEvent* event) {
  const GstEventType type = GST_EVENT_TYPE(event);
  return type == GST_EVENT_STREAM_START || type == GST_EVENT_CAPS || type == GST_EVENT_SEGMENT;
}

StreamContextPtr with_event(const StreamContextPtr& before, GstEvent* event) {
  auto context = copy_of(before);
  GstEventPtr ref(gst_event_ref(event));
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_STREAM_START:
      context->stream_start = std::move(ref);
      break;
    case GST_EVENT_CAPS:
      context->caps = std::move(ref);
      context->twcc_id = find_twcc_id(event);
      break;
    case GST_EVENT_SEGMENT:
      context->segment = std::move(ref);
      break;
    default:
      break;
  }
  return context;
}

StreamContextPtr without_segment(const StreamContextPtr& before) {
  auto context = copy_of(before);
  context->segment.reset();
  return context;
}

void PushedContext::push(GstPad* src, const StreamContextPtr& wanted) {
  if (!wanted || wanted == current_) return;
  const StreamContextPtr last = current_ ? current_ : std::make_shared<StreamContext>();
  if (wanted->stream_start && wanted->stream_start != last->stream_start) {
    push_event(src, wanted->stream_start);
  }
  if (wanted->caps && !same_caps(wanted->caps, last->caps)) push_event(src, wanted->caps);
  if (wanted->segment && !same_segment(wanted->segment, last->segment)) {
    push_event(src, wanted->segment);
  }
  current_ = wanted;
  if (wanted->serial > newest_serial_) newest_serial_ = wanted->serial;
}

}  // namespace farwheel
