#include "rtpbbrcc/packet_size.h"

#include <algorithm>

namespace farwheel {
namespace {

// GstRTPBasePayload's own least.
constexpr std::int64_t kLeastMtu = 28;

}  // namespace

bool has_packet_size(GstElement* element) {
  const GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), "mtu");
  return spec && spec->value_type == G_TYPE_UINT && (spec->flags & G_PARAM_WRITABLE) != 0 &&
         (spec->flags & G_PARAM_READABLE) != 0;
}

unsigned packet_size(GstElement* payloader) {
  guint mtu = 0;
  g_object_get(payloader, "mtu", &mtu, nullptr);
  return mtu;
}

void set_packet_size(GstElement* payloader, DataSize bound) {
  const std::int64_t mtu = std::max(bound.bytes() - kBeyondPayloader, kLeastMtu);
  // An application's smaller choice stands.
  if (packet_size(payloader) <= mtu) return;
  g_object_set(payloader, "mtu", static_cast<guint>(mtu), nullptr);
}

}  // namespace farwheel
