#include "webrtc/sdp_edits.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>
#include <string_view>

#include "farwheel_config.h"
#include "webrtc/whip_rules.h"

namespace farwheel {
namespace {

constexpr unsigned kMaxSections = 10;

SdpPtr parse(const std::string& text) {
  if (text.size() > kMaxWhipBody || !text.starts_with("v=0") ||
      !g_utf8_validate(text.data(), static_cast<gssize>(text.size()), nullptr)) {
    return nullptr;
  }
  GstSDPMessage* raw = nullptr;
  if (gst_sdp_message_new(&raw) != GST_SDP_OK) return nullptr;
  SdpPtr sdp(raw);
  const auto* data = reinterpret_cast<const guint8*>(text.data());
  if (gst_sdp_message_parse_buffer(data, static_cast<guint>(text.size()), raw) != GST_SDP_OK) {
    return nullptr;
  }
  return sdp;
}

bool has_transport(const GstSDPMessage* sdp, const GstSDPMedia* media) {
  return sdp_attribute(sdp, media, "ice-ufrag") && sdp_attribute(sdp, media, "ice-pwd") &&
         sdp_attribute(sdp, media, "fingerprint") && gst_sdp_media_get_attribute_val(media, "mid");
}

// The first payload type of the section with one of our two encodings.
std::optional<std::pair<unsigned, FeedKind>> find_codec(const GstSDPMedia* media) {
  for (guint i = 0;; ++i) {
    const char* value = gst_sdp_media_get_attribute_val_n(media, "rtpmap", i);
    if (!value) return std::nullopt;
    const std::string_view map(value);
    unsigned payload = 0;
    const auto [end, status] = std::from_chars(map.data(), map.data() + map.size(), payload);
    if (status != std::errc() || payload > 127) continue;
    std::string_view codec(end, static_cast<std::size_t>(map.data() + map.size() - end));
    while (codec.starts_with(' ')) codec.remove_prefix(1);
    const std::string upper = GCharPtr(g_ascii_strup(codec.data(), -1)).get();
    if (upper.starts_with("H264/90000")) return std::pair(payload, FeedKind::kCamera);
    if (upper.starts_with("SMPTE336M/90000")) return std::pair(payload, FeedKind::kRadar);
  }
}

bool lists_payload(const GstSDPMedia* media, unsigned payload) {
  const std::string text = std::to_string(payload);
  for (guint i = 0; i < gst_sdp_media_formats_len(media); ++i) {
    if (text == gst_sdp_media_get_format(media, i)) return true;
  }
  return false;
}

// Adds extmap-N for the two extensions we know; returns the id of ntp-64.
unsigned copy_extensions(const GstSDPMedia* media, GstStructure* caps) {
  unsigned ntp64 = 0;
  for (guint i = 0;; ++i) {
    const char* value = gst_sdp_media_get_attribute_val_n(media, "extmap", i);
    if (!value) return ntp64;
    const std::string_view map(value);
    unsigned id = 0;
    const auto [end, status] = std::from_chars(map.data(), map.data() + map.size(), id);
    if (status != std::errc() || id < 1 || id > 14) continue;
    const std::string field = "extmap-" + std::to_string(id);
    if (std::strstr(end, kTwccUri)) {
      gst_structure_set(caps, field.c_str(), G_TYPE_STRING, kTwccUri, nullptr);
    } else if (std::strstr(end, kNtp64Uri)) {
      gst_structure_set(caps, field.c_str(), G_TYPE_STRING, kNtp64Uri, nullptr);
      ntp64 = id;
    }
  }
}

// "video_0" from "a=msid:video_0 …", if it is a pad name of this kind.
std::optional<std::string> named_by_sender(const GstSDPMedia* media, FeedKind kind) {
  const char* value = gst_sdp_media_get_attribute_val(media, "msid");
  if (!value) return std::nullopt;
  std::string_view id(value);
  id = id.substr(0, id.find(' '));
  const std::string_view prefix = pad_prefix(kind);
  if (!id.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = id.substr(prefix.size());
  if (digits.empty() || digits.size() > 2 || (digits.size() > 1 && digits.front() == '0') ||
      !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  return std::string(id);
}

std::string section_error(guint index, const GstSDPMedia* media, const char* what) {
  return "media section " + std::to_string(index) + " (m=" + gst_sdp_media_get_media(media) +
         "): " + what;
}

// Every section must be in the one bundle.
bool is_bundled(const GstSDPMessage* sdp) {
  const char* group = nullptr;
  for (guint i = 0; (group = gst_sdp_message_get_attribute_val_n(sdp, "group", i)); ++i) {
    if (!g_str_has_prefix(group, "BUNDLE ")) continue;
    std::set<std::string> mids;
    std::unique_ptr<gchar*, Deleter<g_strfreev>> words(g_strsplit(group + 7, " ", 64));
    for (gchar** word = words.get(); *word; ++word) mids.insert(*word);
    for (guint j = 0; j < gst_sdp_message_medias_len(sdp); ++j) {
      const char* mid = gst_sdp_media_get_attribute_val(gst_sdp_message_get_media(sdp, j), "mid");
      if (!mid || !mids.contains(mid)) return false;
    }
    return true;
  }
  return false;
}

}  // namespace

const char* sdp_attribute(const GstSDPMessage* sdp, const GstSDPMedia* media, const char* name) {
  const char* value = gst_sdp_media_get_attribute_val(media, name);
  return value ? value : gst_sdp_message_get_attribute_val(sdp, name);
}

const char* to_string(FeedKind kind) {
  return kind == FeedKind::kCamera ? "camera" : "radar";
}
const char* pad_prefix(FeedKind kind) {
  return kind == FeedKind::kCamera ? "video_" : "radar_";
}

OfferResult read_offer(const std::string& text) {
  OfferResult result;
  result.sdp = parse(text);
  if (!result.sdp) {
    result.error = "the body is no session description";
    return result;
  }
  const GstSDPMessage* sdp = result.sdp.get();
  const guint count = gst_sdp_message_medias_len(sdp);
  if (count == 0 || count > kMaxSections) {
    result.error = "an offer needs 1 to " + std::to_string(kMaxSections) + " media sections";
    return result;
  }
  if (!is_bundled(sdp)) {
    result.error = "all media sections must be in one a=group:BUNDLE";
    return result;
  }
  unsigned cameras = 0;
  unsigned radars = 0;
  std::set<std::string> names;
  for (guint i = 0; i < count; ++i) {
    const GstSDPMedia* media = gst_sdp_message_get_media(sdp, i);
    const std::string_view type = gst_sdp_media_get_media(media);
    const char* raw_proto = gst_sdp_media_get_proto(media);
    const std::string_view proto = raw_proto ? raw_proto : "";
    if (!has_transport(sdp, media)) {
      result.error = section_error(i, media, "lacks mid, ice-ufrag, ice-pwd or fingerprint");
      return result;
    }
    if (type == "application") {
      if (proto != "UDP/DTLS/SCTP" || gst_sdp_media_formats_len(media) != 1 ||
          std::strcmp(gst_sdp_media_get_format(media, 0), "webrtc-datachannel") != 0 ||
          result.has_data_channel) {
        result.error = section_error(i, media, "only one UDP/DTLS/SCTP webrtc-datachannel");
        return result;
      }
      result.has_data_channel = true;
      continue;
    }
    if (type != "video" || proto != "UDP/TLS/RTP/SAVPF") {
      result.error = section_error(i, media, "only video over UDP/TLS/RTP/SAVPF is taken");
      return result;
    }
    if (gst_sdp_media_get_attribute_val(media, "recvonly") ||
        gst_sdp_media_get_attribute_val(media, "inactive")) {
      result.error = section_error(i, media, "must be sendonly or sendrecv");
      return result;
    }
    const auto codec = find_codec(media);
    if (!codec || !lists_payload(media, codec->first)) {
      result.error = section_error(i, media, "neither H264 nor SMPTE336M at 90000 is offered");
      return result;
    }
    OfferedFeed feed;
    feed.kind = codec->second;
    feed.mline = i;
    feed.codec_caps.reset(
        gst_sdp_media_get_caps_from_media(media, static_cast<gint>(codec->first)));
    if (!feed.codec_caps) {
      result.error = section_error(i, media, "has an rtpmap or fmtp that cannot be read");
      return result;
    }
    feed.codec_caps.reset(gst_caps_make_writable(feed.codec_caps.release()));
    GstStructure* structure = gst_caps_get_structure(feed.codec_caps.get(), 0);
    gst_structure_set_name(structure, "application/x-rtp");
    gst_structure_remove_field(structure, "sprop-parameter-sets");
    feed.ntp64_id = copy_extensions(media, structure);
    unsigned& order = feed.kind == FeedKind::kCamera ? cameras : radars;
    feed.name =
        named_by_sender(media, feed.kind).value_or(pad_prefix(feed.kind) + std::to_string(order));
    ++order;
    if (!names.insert(feed.name).second) {
      result.error = section_error(i, media, "has the same msid as another");
      return result;
    }
    result.feeds.push_back(std::move(feed));
  }
  if (result.feeds.empty()) result.error = "the offer has neither video nor radar";
  return result;
}

SdpPtr read_answer(const std::string& text, unsigned sections, std::string* error) {
  SdpPtr sdp = parse(text);
  if (!sdp) {
    *error = "the answer is no session description";
    return nullptr;
  }
  const guint count = gst_sdp_message_medias_len(sdp.get());
  if (count != sections) {
    *error = "the answer has " + std::to_string(count) + " media sections for " +
             std::to_string(sections) + " offered";
    return nullptr;
  }
  for (guint i = 0; i < count; ++i) {
    const GstSDPMedia* media = gst_sdp_message_get_media(sdp.get(), i);
    // webrtcbin 1.22 stays in "connecting" for the whole bundle when one section is refused.
    if (gst_sdp_media_get_port(media) == 0) {
      *error = section_error(i, media, "was refused by the station");
      return nullptr;
    }
    if (!has_transport(sdp.get(), media)) {
      *error = section_error(i, media, "lacks mid, ice-ufrag, ice-pwd or fingerprint");
      return nullptr;
    }
  }
  return sdp;
}

void set_tool(GstSDPMessage* sdp) {
  for (guint i = gst_sdp_message_attributes_len(sdp); i > 0; --i) {
    if (std::strcmp(gst_sdp_message_get_attribute(sdp, i - 1)->key, "tool") == 0) {
      gst_sdp_message_remove_attribute(sdp, i - 1);
    }
  }
  gst_sdp_message_add_attribute(sdp, "tool", "farwheel " FARWHEEL_VERSION);
}

void set_profile(GstSDPMessage* sdp, unsigned payload, const std::string& profile) {
  const std::string prefix = std::to_string(payload) + " ";
  const std::string level = "profile-level-id=" + (profile.empty() ? "42e01f" : profile);
  for (guint i = 0; i < gst_sdp_message_medias_len(sdp); ++i) {
    auto* media = const_cast<GstSDPMedia*>(gst_sdp_message_get_media(sdp, i));
    for (guint j = 0; j < gst_sdp_media_attributes_len(media); ++j) {
      const GstSDPAttribute* old = gst_sdp_media_get_attribute(media, j);
      if (std::strcmp(old->key, "fmtp") != 0 || !g_str_has_prefix(old->value, prefix.c_str()) ||
          std::strstr(old->value, "profile-level-id")) {
        continue;
      }
      const std::string value =
          std::string(old->value) + ";" + level + ";level-asymmetry-allowed=1";
      GstSDPAttribute changed{};
      gst_sdp_attribute_set(&changed, "fmtp", value.c_str());
      gst_sdp_media_replace_attribute(media, j, &changed);
    }
  }
}

std::string sdp_text(const GstSDPMessage* sdp) {
  return GCharPtr(gst_sdp_message_as_text(sdp)).get();
}

}  // namespace farwheel
