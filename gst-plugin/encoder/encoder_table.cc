#include "encoder/encoder_table.h"

namespace farwheel {
namespace {

using Place = EncoderEntry::Place;
using BufferUnit = EncoderEntry::BufferUnit;

constexpr std::int64_t kBits = 1;
constexpr std::int64_t kKilobits = 1000;

// More special names before more general ones: the first that fits is taken.
constexpr EncoderEntry kEncoders[] = {
    {"x264enc", "bitrate", kKilobits, Place::kProperty, "vbv-buf-capacity",
     BufferUnit::kMilliseconds},
    {"x265enc", "bitrate", kKilobits},
    {"openh264enc", "bitrate", kBits},
    {"svtav1enc", "target-bitrate", kKilobits},
    {"av1enc", "target-bitrate", kKilobits},
    {"rav1enc", "bitrate", kBits},
    {"vp8enc", "target-bitrate", kBits},
    {"vp9enc", "target-bitrate", kBits},
    // NVIDIA: desktop (nvcodec), then Jetson.
    {"nvh264*", "bitrate", kKilobits, Place::kProperty, "vbv-buffer-size", BufferUnit::kKilobits},
    {"nvh265*", "bitrate", kKilobits, Place::kProperty, "vbv-buffer-size", BufferUnit::kKilobits},
    {"nvcudah26*", "bitrate", kKilobits, Place::kProperty, "vbv-buffer-size",
     BufferUnit::kKilobits},
    {"nvautogpuh26*", "bitrate", kKilobits, Place::kProperty, "vbv-buffer-size",
     BufferUnit::kKilobits},
    {"nvd3d11h26*", "bitrate", kKilobits, Place::kProperty, "vbv-buffer-size",
     BufferUnit::kKilobits},
    {"nvv4l2h26*", "bitrate", kBits},
    {"nvv4l2vp*", "bitrate", kBits},
    // VA-API: the va plugin, then gstreamer-vaapi.
    {"vah26*", "bitrate", kKilobits, Place::kProperty, "cpb-size", BufferUnit::kKilobits},
    {"vaapih26*", "bitrate", kKilobits, Place::kProperty, "cpb-length", BufferUnit::kMilliseconds},
    {"vaapivp*", "bitrate", kKilobits},
    {"varenderD*", "bitrate", kKilobits, Place::kProperty, "cpb-size", BufferUnit::kKilobits},
    // V4L2 memory-to-memory encoders (Raspberry Pi, i.MX8, Qualcomm).
    {"v4l2h26*", "video_bitrate", kBits, Place::kExtraControls},
    {"v4l2vp*", "video_bitrate", kBits, Place::kExtraControls},
    {"v4l2mpeg4*", "video_bitrate", kBits, Place::kExtraControls},
    // Intel, AMD, Windows, Apple, boards.
    {"qsv*", "bitrate", kKilobits},
    {"msdk*", "bitrate", kKilobits},
    {"amfh26*", "bitrate", kKilobits},
    {"mfh26*", "bitrate", kKilobits},
    {"vtenc_*", "bitrate", kKilobits},
    {"omxh26*", "target-bitrate", kBits},
    {"mpph26*", "bps", kBits},
    {"vpuenc_*", "bitrate", kKilobits},
    {"imxvpuenc_*", "bitrate", kKilobits},
    {"avenc_*", "bitrate", kBits},
    {"uvch264src", "average-bitrate", kBits},
};

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.back() != '*') return pattern == name;
  pattern.remove_suffix(1);
  return name.substr(0, pattern.size()) == pattern;
}

}  // namespace

const EncoderEntry* find_encoder_entry(std::string_view factory) {
  for (const EncoderEntry& entry : kEncoders) {
    if (fits(entry.factory, factory)) return &entry;
  }
  return nullptr;
}

}  // namespace farwheel
