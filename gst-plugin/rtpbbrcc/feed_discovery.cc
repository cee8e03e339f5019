#include "rtpbbrcc/feed_discovery.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

#include "encoder/encoder_bitrate.h"
#include "rtpbbrcc/packet_size.h"
#include "rtpbbrcc/pad_walk.h"

namespace farwheel {
namespace {

constexpr int kMostElements = 64;

// One way up from our sink pad to a source.
struct Branch {
  GstPadPtr entry;
  GstCapsPtr caps;  // of its RTP packets, with encoding-name
  GstElementPtr payloader;
  GstElementPtr encoder;
  std::string pad_name;
  bool seen_payloader = false;
};

struct Upstream {
  std::vector<Branch> branches;
  // Retransmission payload type → original payload type.
  std::map<std::uint8_t, std::uint8_t> retransmissions;
};

void note_caps(GstPad* pad, Branch& branch) {
  if (branch.caps) return;
  GstCapsPtr caps(gst_pad_get_current_caps(pad));
  if (!caps || gst_caps_get_size(caps.get()) == 0) return;
  const GstStructure* structure = gst_caps_get_structure(caps.get(), 0);
  if (gst_structure_has_name(structure, "application/x-rtp") &&
      gst_structure_has_field(structure, "encoding-name")) {
    branch.caps = std::move(caps);
  }
}

void note_bin_pad(GstPad* pad, Branch& branch) {
  const GstElementPtr bin = parent_element(pad);
  if (bin && factory_name(bin.get()) == "farwheelsink" && branch.pad_name.empty()) {
    branch.pad_name = GST_OBJECT_NAME(pad);
  }
}

gboolean note_retransmission(GQuark field, const GValue* value, gpointer data) {
  auto& map = *static_cast<std::map<std::uint8_t, std::uint8_t>*>(data);
  const long original = std::strtol(g_quark_to_string(field), nullptr, 10);
  if (G_VALUE_HOLDS_UINT(value) && original >= 0 && original < 128 &&
      g_value_get_uint(value) < 128) {
    map[static_cast<std::uint8_t>(g_value_get_uint(value))] = static_cast<std::uint8_t>(original);
  }
  return TRUE;
}

void note_element(GstElement* element, Branch& branch, Upstream& upstream) {
  if (has_class(element, "Payloader")) {
    branch.seen_payloader = true;
    if (!branch.payloader && has_packet_size(element)) branch.payloader = ref_gst(element);
  }
  if (factory_name(element) == "rtprtxsend") {
    GstStructure* map = nullptr;
    g_object_get(element, "payload-type-map", &map, nullptr);
    const GstStructurePtr owned(map);
    if (owned) gst_structure_foreach(map, note_retransmission, &upstream.retransmissions);
  }
  if (!branch.encoder &&
      (has_class(element, "Encoder/Video") || find_encoder_entry(factory_name(element)))) {
    branch.encoder = ref_gst(element);
  }
}

void follow(GstPad* sink, Branch branch, int depth, Upstream& upstream) {
  note_caps(sink, branch);
  const GstPadPtr source =
      linked_element_pad(sink, [&branch](GstPad* pad) { note_bin_pad(pad, branch); });
  const GstElementPtr element = source ? parent_element(source.get()) : nullptr;
  if (!element || depth == kMostElements) {
    // Whatever stands there knows its caps even when it is no element (an application's pad).
    if (source) note_caps(source.get(), branch);
    upstream.branches.push_back(std::move(branch));
    return;
  }
  note_element(element.get(), branch, upstream);
  const auto sinks = internally_linked_pads(source.get());
  if (sinks.empty()) {
    note_caps(source.get(), branch);
    upstream.branches.push_back(std::move(branch));
    return;
  }
  // Before the payloader, what joins is pictures, not streams: the first is as good as another.
  if (sinks.size() == 1 || branch.seen_payloader) {
    follow(sinks.front().get(), std::move(branch), depth + 1, upstream);
    return;
  }
  for (const GstPadPtr& next : sinks) {
    Branch own;
    own.entry = ref_gst(next.get());
    follow(next.get(), std::move(own), depth + 1, upstream);
  }
}

std::optional<guint> caps_ssrc(const Branch& branch) {
  guint ssrc = 0;
  if (!branch.caps ||
      !gst_structure_get_uint(gst_caps_get_structure(branch.caps.get(), 0), "ssrc", &ssrc)) {
    return std::nullopt;
  }
  return ssrc;
}

std::optional<int> caps_payload_type(const Branch& branch) {
  gint payload_type = 0;
  if (!branch.caps || !gst_structure_get_int(gst_caps_get_structure(branch.caps.get(), 0),
                                             "payload", &payload_type)) {
    return std::nullopt;
  }
  return payload_type;
}

Branch* find_branch(std::vector<Branch>& branches, std::uint32_t ssrc, std::uint8_t payload_type) {
  Branch* by_payload_type = nullptr;
  int same_payload_type = 0;
  for (Branch& branch : branches) {
    if (caps_ssrc(branch) == ssrc) return &branch;
    if (caps_payload_type(branch) == payload_type) {
      by_payload_type = &branch;
      ++same_payload_type;
    }
  }
  if (same_payload_type == 1) return by_payload_type;
  // A lone branch whose caps tell nothing else can only be it.
  if (branches.size() == 1 && !caps_payload_type(branches.front())) return &branches.front();
  return nullptr;
}

}  // namespace

StreamOrigin discover_stream(GstPad* sink_pad, std::uint32_t ssrc, std::uint8_t payload_type) {
  Upstream upstream;
  Branch own;
  own.entry = ref_gst(sink_pad);
  follow(sink_pad, std::move(own), 0, upstream);

  StreamOrigin origin;
  const auto retransmission = upstream.retransmissions.find(payload_type);
  if (retransmission != upstream.retransmissions.end()) {
    origin.retransmits_payload_type = retransmission->second;
    return origin;
  }
  Branch* branch = find_branch(upstream.branches, ssrc, payload_type);
  if (branch == nullptr) return origin;
  origin.ssrc_is_certain = caps_ssrc(*branch) == ssrc;
  if (branch->caps) {
    const gchar* encoding =
        gst_structure_get_string(gst_caps_get_structure(branch->caps.get(), 0), "encoding-name");
    const std::string_view name = encoding ? encoding : "";
    origin.is_h264 = name == "H264";
    if (name == "SMPTE336M" || name == "X-GST") origin.kind = FeedKind::kRadar;
  }
  origin.pad_name = std::move(branch->pad_name);
  origin.branch = std::move(branch->entry);
  origin.payloader = std::move(branch->payloader);
  if (origin.kind == FeedKind::kCamera) origin.encoder = std::move(branch->encoder);
  return origin;
}

}  // namespace farwheel
