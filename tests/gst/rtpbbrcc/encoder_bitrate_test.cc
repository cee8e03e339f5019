// Encoders' units and the dead band. Encoders that this machine lacks are stood in for by elements
// of the same name with the same property.
#include "encoder/encoder_bitrate.h"

#include <gtest/gtest.h>

#include <string>

namespace farwheel {
namespace {

struct FakeEncoder {
  GstElement parent;
  guint bitrate;
  guint buffer;
  GstStructure* controls;
};
struct FakeEncoderClass {
  GstElementClass parent;
};

enum { kBitrate = 1, kBuffer, kControls };

void fake_set(GObject* object, guint id, const GValue* value, GParamSpec*) {
  auto* self = reinterpret_cast<FakeEncoder*>(object);
  if (id == kBitrate) self->bitrate = g_value_get_uint(value);
  if (id == kBuffer) self->buffer = g_value_get_uint(value);
  if (id == kControls) {
    if (self->controls) gst_structure_free(self->controls);
    self->controls = static_cast<GstStructure*>(g_value_dup_boxed(value));
  }
}

void fake_get(GObject* object, guint id, GValue* value, GParamSpec*) {
  auto* self = reinterpret_cast<FakeEncoder*>(object);
  if (id == kBitrate) g_value_set_uint(value, self->bitrate);
  if (id == kBuffer) g_value_set_uint(value, self->buffer);
  if (id == kControls) g_value_set_boxed(value, self->controls);
}

void fake_finalize(GObject* object) {
  auto* self = reinterpret_cast<FakeEncoder*>(object);
  if (self->controls) gst_structure_free(self->controls);
  auto* parent = static_cast<GObjectClass*>(g_type_class_peek(GST_TYPE_ELEMENT));
  parent->finalize(object);
}

// What the class of a stand-in has: the name of its rate buffer property, or null.
void fake_class_init(gpointer klass, gpointer buffer_property) {
  auto* object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = fake_set;
  object_class->get_property = fake_get;
  object_class->finalize = fake_finalize;
  g_object_class_install_property(
      object_class, kBitrate,
      g_param_spec_uint("bitrate", "", "", 0, 2000000, 0, G_PARAM_READWRITE));
  if (buffer_property != nullptr) {
    g_object_class_install_property(object_class, kBuffer,
                                    g_param_spec_uint(static_cast<const char*>(buffer_property), "",
                                                      "", 0, 100000, 0, G_PARAM_READWRITE));
  }
  g_object_class_install_property(
      object_class, kControls,
      g_param_spec_boxed("extra-controls", "", "", GST_TYPE_STRUCTURE, G_PARAM_READWRITE));
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "fake", "Encoder/Video", "fake",
                                        "none");
}

GstElementPtr make_fake(const char* factory, const char* buffer_property = nullptr) {
  const std::string type_name = std::string("Fake_") + factory;
  GType type = g_type_from_name(type_name.c_str());
  if (type == 0) {
    const GTypeInfo info = {
        sizeof(FakeEncoderClass), nullptr, nullptr, fake_class_init, nullptr, buffer_property,
        sizeof(FakeEncoder),      0,       nullptr, nullptr};
    type = g_type_register_static(GST_TYPE_ELEMENT, type_name.c_str(), &info, GTypeFlags{});
    gst_element_register(nullptr, factory, GST_RANK_NONE, type);
  }
  GstElement* element = gst_element_factory_make(factory, nullptr);
  return GstElementPtr(GST_ELEMENT(gst_object_ref_sink(element)));
}

guint get_uint(const GstElementPtr& element, const char* name) {
  guint value = 0;
  g_object_get(element.get(), name, &value, nullptr);
  return value;
}

Timestamp at_ms(std::int64_t ms) {
  return Timestamp::from_millis(ms);
}

GstElementPtr make(const char* factory) {
  GstElement* element = gst_element_factory_make(factory, nullptr);
  return GstElementPtr(element ? GST_ELEMENT(gst_object_ref_sink(element)) : nullptr);
}

TEST(EncoderBitrate, UsesKilobitsAndTheVbvOfX264) {
  const GstElementPtr x264 = make("x264enc");
  ASSERT_TRUE(x264);
  EncoderBitrate bitrate(x264.get());
  EXPECT_EQ(bitrate.set(at_ms(0), DataRate::from_bps(1234567)), EncoderBitrate::Outcome::kSet);
  EXPECT_EQ(get_uint(x264, "bitrate"), 1234u);
  EXPECT_EQ(get_uint(x264, "vbv-buf-capacity"), 100u);
}

TEST(EncoderBitrate, LeavesAVbvThatTheUserSet) {
  const GstElementPtr x264 = make("x264enc");
  g_object_set(x264.get(), "vbv-buf-capacity", 250, nullptr);
  EncoderBitrate bitrate(x264.get());
  bitrate.set(at_ms(0), DataRate::from_mbps(1));
  EXPECT_EQ(get_uint(x264, "vbv-buf-capacity"), 250u);
}

TEST(EncoderBitrate, UsesBitsWhereTheEncoderDoes) {
  const GstElementPtr openh264 = make("openh264enc");
  if (openh264) {
    EncoderBitrate bitrate(openh264.get());
    bitrate.set(at_ms(0), DataRate::from_bps(1234567));
    EXPECT_EQ(get_uint(openh264, "bitrate"), 1234567u);
  }
  const GstElementPtr vp8 = make("vp8enc");
  if (vp8) {
    EncoderBitrate bitrate(vp8.get());
    bitrate.set(at_ms(0), DataRate::from_bps(987000));
    gint target = 0;
    g_object_get(vp8.get(), "target-bitrate", &target, nullptr);
    EXPECT_EQ(target, 987000);
  }
  if (!openh264 && !vp8) GTEST_SKIP() << "neither openh264enc nor vp8enc is installed";
}

TEST(EncoderBitrate, ScalesARateBufferInKilobitsWithTheRate) {
  const GstElementPtr va = make_fake("vah264enc", "cpb-size");
  EncoderBitrate bitrate(va.get());
  bitrate.set(at_ms(0), DataRate::from_mbps(4));
  EXPECT_EQ(get_uint(va, "bitrate"), 4000u);
  EXPECT_EQ(get_uint(va, "cpb-size"), 400u);
  bitrate.set(at_ms(10), DataRate::from_mbps(2));
  EXPECT_EQ(get_uint(va, "cpb-size"), 200u);
}

TEST(EncoderBitrate, KeepsTheOtherControlsOfV4l2) {
  const GstElementPtr v4l2 = make_fake("v4l2h264enc");
  const GstStructurePtr user(gst_structure_new("controls", "h264_profile", G_TYPE_INT, 4, nullptr));
  g_object_set(v4l2.get(), "extra-controls", user.get(), nullptr);
  EncoderBitrate bitrate(v4l2.get());
  ASSERT_EQ(bitrate.set(at_ms(0), DataRate::from_bps(1500000)), EncoderBitrate::Outcome::kSet);
  GstStructure* raw = nullptr;
  g_object_get(v4l2.get(), "extra-controls", &raw, nullptr);
  const GstStructurePtr controls(raw);
  gint value = 0;
  EXPECT_TRUE(gst_structure_get_int(raw, "video_bitrate", &value));
  EXPECT_EQ(value, 1500000);
  EXPECT_TRUE(gst_structure_get_int(raw, "h264_profile", &value));
  EXPECT_EQ(value, 4);
}

TEST(EncoderBitrate, ClampsToTheEncodersRange) {
  const GstElementPtr nv = make_fake("nvh264enc", "vbv-buffer-size");
  EncoderBitrate bitrate(nv.get());
  bitrate.set(at_ms(0), DataRate::from_bps(9000000000));
  EXPECT_EQ(get_uint(nv, "bitrate"), 2000000u);
}

TEST(EncoderBitrate, LowersAtOnceButNotForTrifles) {
  using Outcome = EncoderBitrate::Outcome;
  const GstElementPtr x264 = make("x264enc");
  EncoderBitrate bitrate(x264.get());
  ASSERT_EQ(bitrate.set(at_ms(0), DataRate::from_kbps(1000)), Outcome::kSet);
  EXPECT_EQ(bitrate.set(at_ms(1), DataRate::from_kbps(975)), Outcome::kWithinDeadBand);
  EXPECT_EQ(bitrate.set(at_ms(2), DataRate::from_kbps(1045)), Outcome::kWithinDeadBand);
  EXPECT_EQ(bitrate.set(at_ms(3), DataRate::from_kbps(965)), Outcome::kSet);
  EXPECT_EQ(get_uint(x264, "bitrate"), 965u);
  EXPECT_EQ(bitrate.set(at_ms(4), DataRate::from_kbps(1020)), Outcome::kSet);
  // A small change may wait, but not for ever; a trifle is never worth it.
  EXPECT_EQ(bitrate.set(at_ms(100), DataRate::from_kbps(1040)), Outcome::kWithinDeadBand);
  EXPECT_EQ(bitrate.set(at_ms(210), DataRate::from_kbps(1040)), Outcome::kSet);
  EXPECT_EQ(bitrate.set(at_ms(9000), DataRate::from_kbps(1045)), Outcome::kWithinDeadBand);
}

TEST(EncoderBitrate, OutlivesItsEncoderAndKnowsStrangers) {
  auto bitrate = [] {
    const GstElementPtr x264 = make("x264enc");
    return std::make_unique<EncoderBitrate>(x264.get());
  }();
  EXPECT_EQ(bitrate->set(at_ms(0), DataRate::from_mbps(1)), EncoderBitrate::Outcome::kGone);
  const GstElementPtr identity = make("identity");
  EncoderBitrate stranger(identity.get());
  EXPECT_EQ(stranger.factory(), "identity");
  EXPECT_EQ(stranger.set(at_ms(0), DataRate::from_mbps(1)),
            EncoderBitrate::Outcome::kUnknownEncoder);
}

TEST(EncoderTable, KnowsTheUnitOfEachFamily) {
  const auto unit = [](const char* name) {
    const EncoderEntry* entry = find_encoder_entry(name);
    return entry ? entry->bits_per_unit : 0;
  };
  EXPECT_EQ(unit("x265enc"), 1000);
  EXPECT_EQ(unit("nvv4l2h264enc"), 1);
  EXPECT_EQ(unit("nvcudah264enc"), 1000);
  EXPECT_EQ(unit("vah264lpenc"), 1000);
  EXPECT_EQ(unit("vaapih264enc"), 1000);
  EXPECT_EQ(unit("qsvh264enc"), 1000);
  EXPECT_EQ(unit("amfh264enc"), 1000);
  EXPECT_EQ(unit("mfh264enc"), 1000);
  EXPECT_EQ(unit("avenc_h264_omx"), 1);
  EXPECT_EQ(unit("omxh264enc"), 1);
  EXPECT_EQ(unit("theoraenc"), 0);
}

}  // namespace
}  // namespace farwheel
