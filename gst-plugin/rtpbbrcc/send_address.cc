#include "rtpbbrcc/send_address.h"

#include <nice/agent.h>

#include "rtpbbrcc/pad_walk.h"

namespace farwheel {
namespace {

constexpr int kMostElements = 32;

std::string numeric(const NiceAddress& address) {
  char text[NICE_ADDRESS_STRING_LEN] = {};
  if (nice_address_is_valid(&address) != TRUE) return {};
  nice_address_to_string(&address, text);
  return text;
}

SendAddress selected_pair(GstElement* nice_sink) {
  GObject* raw = nullptr;
  guint stream = 0;
  guint component = 0;
  g_object_get(nice_sink, "agent", &raw, "stream", &stream, "component", &component, nullptr);
  const GObjectPtr<GObject> agent(raw);
  NiceCandidate* local = nullptr;
  NiceCandidate* remote = nullptr;
  if (!agent || !NICE_IS_AGENT(agent.get()) ||
      nice_agent_get_selected_pair(NICE_AGENT(agent.get()), stream, component, &local, &remote) !=
          TRUE) {
    return {};
  }
  // Through a relay the packets go elsewhere, but from the same address of ours.
  return {numeric(local->base_addr), numeric(remote->addr)};
}

SendAddress find_below(GstPad* src, int depth) {
  if (depth > kMostElements) return {};
  const GstPadPtr sink = linked_element_pad(src);
  const GstElementPtr element = sink ? parent_element(sink.get()) : nullptr;
  if (!element) return {};
  const auto next = internally_linked_pads(sink.get());
  if (next.empty()) {
    GObjectClass* klass = G_OBJECT_GET_CLASS(element.get());
    GParamSpec* host = g_object_class_find_property(klass, "host");
    if (host != nullptr && host->value_type == G_TYPE_STRING) {
      gchar* address = nullptr;
      g_object_get(element.get(), "host", &address, nullptr);
      const GCharPtr owned(address);
      return {{}, address != nullptr ? address : ""};
    }
    GstElementFactory* factory = gst_element_get_factory(element.get());
    if (factory != nullptr && g_str_equal(GST_OBJECT_NAME(factory), "nicesink")) {
      return selected_pair(element.get());
    }
  }
  for (const GstPadPtr& pad : next) {
    if (!GST_PAD_IS_SRC(pad.get())) continue;
    SendAddress found = find_below(pad.get(), depth + 1);
    if (!found.peer.empty()) return found;
  }
  return {};
}

}  // namespace

SendAddress find_send_address(GstPad* src) {
  return find_below(src, 0);
}

}  // namespace farwheel
