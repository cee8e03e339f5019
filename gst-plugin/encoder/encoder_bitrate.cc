#include "encoder/encoder_bitrate.h"

#include <algorithm>

namespace farwheel {
namespace {

// Any integer property, whatever its width: encoders use all of them.
class Property {
 public:
  Property(GstElement* element, const char* name)
      : element_(element), spec_(g_object_class_find_property(G_OBJECT_GET_CLASS(element), name)) {}

  bool usable() const {
    if (spec_ == nullptr || (spec_->flags & G_PARAM_WRITABLE) == 0) return false;
    return range().has_value();
  }

  struct Range {
    std::int64_t least;
    std::int64_t most;
    std::int64_t standard;
  };
  std::optional<Range> range() const {
    if (G_IS_PARAM_SPEC_UINT(spec_)) {
      const auto* spec = G_PARAM_SPEC_UINT(spec_);
      return Range{spec->minimum, spec->maximum, spec->default_value};
    }
    if (G_IS_PARAM_SPEC_INT(spec_)) {
      const auto* spec = G_PARAM_SPEC_INT(spec_);
      return Range{spec->minimum, spec->maximum, spec->default_value};
    }
    if (G_IS_PARAM_SPEC_ULONG(spec_)) {
      const auto* spec = G_PARAM_SPEC_ULONG(spec_);
      return Range{clamp(spec->minimum), clamp(spec->maximum), clamp(spec->default_value)};
    }
    if (G_IS_PARAM_SPEC_UINT64(spec_)) {
      const auto* spec = G_PARAM_SPEC_UINT64(spec_);
      return Range{clamp(spec->minimum), clamp(spec->maximum), clamp(spec->default_value)};
    }
    if (G_IS_PARAM_SPEC_INT64(spec_)) {
      const auto* spec = G_PARAM_SPEC_INT64(spec_);
      return Range{spec->minimum, spec->maximum, spec->default_value};
    }
    return std::nullopt;
  }

  std::int64_t get() const {
    GValue value = G_VALUE_INIT;
    GValue wide = G_VALUE_INIT;
    g_value_init(&value, spec_->value_type);
    g_value_init(&wide, G_TYPE_INT64);
    g_object_get_property(G_OBJECT(element_), spec_->name, &value);
    g_value_transform(&value, &wide);
    const std::int64_t result = g_value_get_int64(&wide);
    g_value_unset(&value);
    g_value_unset(&wide);
    return result;
  }

  void set(std::int64_t number) const {
    const auto bounds = range();
    GValue value = G_VALUE_INIT;
    GValue wide = G_VALUE_INIT;
    g_value_init(&value, spec_->value_type);
    g_value_init(&wide, G_TYPE_INT64);
    g_value_set_int64(&wide, std::clamp(number, bounds->least, bounds->most));
    g_value_transform(&wide, &value);
    g_object_set_property(G_OBJECT(element_), spec_->name, &value);
    g_value_unset(&value);
    g_value_unset(&wide);
  }

 private:
  static std::int64_t clamp(std::uint64_t number) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(number, G_MAXINT64));
  }
  GstElement* element_;
  GParamSpec* spec_;
};

// Adds the control to those the user set; the driver takes them while streaming.
bool set_extra_control(GstElement* encoder, const char* control, std::int64_t number) {
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(encoder), "extra-controls") == nullptr) {
    return false;
  }
  GstStructure* current = nullptr;
  g_object_get(encoder, "extra-controls", &current, nullptr);
  GstStructurePtr controls(current ? current : gst_structure_new_empty("controls"));
  gst_structure_set(controls.get(), control, G_TYPE_INT,
                    static_cast<gint>(std::min<std::int64_t>(number, G_MAXINT)), nullptr);
  g_object_set(encoder, "extra-controls", controls.get(), nullptr);
  return true;
}

}  // namespace

std::string factory_name(GstElement* element) {
  GstElementFactory* factory = element ? gst_element_get_factory(element) : nullptr;
  const gchar* name = factory ? GST_OBJECT_NAME(factory) : nullptr;
  return name ? name : "";
}

EncoderBitrate::EncoderBitrate(GstElement* encoder)
    : encoder_(encoder), factory_(factory_name(encoder)), entry_(find_encoder_entry(factory_)) {}

bool EncoderBitrate::within_dead_band(Timestamp now, DataRate target) const {
  if (!last_set_) return false;
  const double ratio = target / *last_set_;
  if (ratio < 1 - kLowerAtOnce || ratio > 1 + kRaiseAtOnce) return false;
  if (ratio > 1 - kWorthSetting && ratio < 1 + kWorthSetting) return true;
  return now - last_set_at_ < kSmallChangeInterval;
}

void EncoderBitrate::set_rate_buffer(GstElement* encoder, DataRate target) {
  if (entry_->buffer_property == nullptr) return;
  const Property buffer(encoder, entry_->buffer_property);
  if (!buffer.usable()) return;
  if (!buffer_looked_at_) {
    buffer_looked_at_ = true;
    // A user who set it meant it.
    buffer_is_ours_ = buffer.get() == buffer.range()->standard;
    if (buffer_is_ours_ && entry_->buffer_unit == EncoderEntry::BufferUnit::kMilliseconds) {
      buffer.set(kRateBuffer.ns() / 1000000);
    }
  }
  if (buffer_is_ours_ && entry_->buffer_unit == EncoderEntry::BufferUnit::kKilobits) {
    buffer.set(std::max<std::int64_t>(1, (target * kRateBuffer).bytes() * 8 / 1000));
  }
}

EncoderBitrate::Outcome EncoderBitrate::set(Timestamp now, DataRate target) {
  if (entry_ == nullptr) return Outcome::kUnknownEncoder;
  if (within_dead_band(now, target)) return Outcome::kWithinDeadBand;
  const GstElementPtr encoder = encoder_.lock();
  if (!encoder) return Outcome::kGone;
  const std::int64_t units = std::max<std::int64_t>(1, target.bps() / entry_->bits_per_unit);
  if (entry_->place == EncoderEntry::Place::kExtraControls) {
    if (!set_extra_control(encoder.get(), entry_->property, units)) return Outcome::kUnknownEncoder;
  } else {
    const Property bitrate(encoder.get(), entry_->property);
    if (!bitrate.usable()) return Outcome::kUnknownEncoder;
    set_rate_buffer(encoder.get(), target);
    bitrate.set(units);
  }
  last_set_ = target;
  last_set_at_ = now;
  return Outcome::kSet;
}

}  // namespace farwheel
