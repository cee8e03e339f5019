// radartestsrc: a live radar that isn't there: radar_scene.h seen at a steady rate.
//
// Streaming thread: create(); properties are atomic.
#include <gst/base/gstpushsrc.h>
#include <gst/gst.h>

#include <atomic>

#include "radar/radar_buffer.h"
#include "radar/radar_scene.h"
#include "radar/register.h"

GST_DEBUG_CATEGORY_STATIC(radartestsrc_debug);
#define GST_CAT_DEFAULT radartestsrc_debug

namespace farwheel {
namespace {

enum { kPropSeed = 1, kPropRate, kPropSensorId, kPropEgoSpeed, kPropIsLive };
constexpr double kDefaultRate = 13;
constexpr double kDefaultEgoSpeed = 25;
constexpr guint kDefaultSeed = 1;

struct TestRadar {
  std::atomic<guint> seed{kDefaultSeed};
  std::atomic<double> rate{kDefaultRate};
  std::atomic<guint> sensor{0};
  std::atomic<double> ego_speed{kDefaultEgoSpeed};

  RadarScene scene{kDefaultSeed};
  std::uint32_t number = 0;
  double period_ns = 0;
  // Sweep n since then is at origin + n * period_ns.
  GstClockTime origin = GST_CLOCK_TIME_NONE;
  std::uint32_t origin_number = 0;
};

}  // namespace

struct GstRadarTestSrc {
  GstPushSrc parent;
  TestRadar* radar;
};
struct GstRadarTestSrcClass {
  GstPushSrcClass parent_class;
};

G_DEFINE_TYPE(GstRadarTestSrc, gst_radar_test_src, GST_TYPE_PUSH_SRC)

static GstStaticPadTemplate test_src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(kRadarSweepCaps));

static GstRadarTestSrc* as_test_src(gpointer object) {
  return static_cast<GstRadarTestSrc*>(object);
}

static gboolean gst_radar_test_src_start(GstBaseSrc* src) {
  TestRadar& radar = *as_test_src(src)->radar;
  radar.scene = RadarScene(radar.seed);
  radar.number = 0;
  radar.period_ns = 1e9 / radar.rate;
  radar.origin = GST_CLOCK_TIME_NONE;
  return TRUE;
}

// The sweep's running time; with a clock also the capture time that belongs to it.
struct SweepTimes {
  GstClockTime pts = 0;
  std::uint64_t captured_unix_ns = 0;
};

static SweepTimes next_times(GstRadarTestSrc* self) {
  TestRadar& radar = *self->radar;
  auto* src = &self->parent.parent;
  const auto at = [&] {
    const double since = static_cast<double>(radar.number - radar.origin_number);
    return radar.origin + static_cast<GstClockTime>(since * radar.period_ns + 0.5);
  };
  const GstObjectPtr<GstClock> clock(
      gst_base_src_is_live(src) ? gst_element_get_clock(&src->element) : nullptr);
  if (!clock) {
    if (radar.origin == GST_CLOCK_TIME_NONE) {
      radar.origin = 0;
      radar.origin_number = 0;
    }
    return {at(), gst_base_src_is_live(src) ? wall_clock_ns() : 0};
  }
  const GstClockTime base = gst_element_get_base_time(&src->element);
  const GstClockTime now_abs = gst_clock_get_time(clock.get());
  const GstClockTime now = now_abs > base ? now_abs - base : 0;
  // Held up by more than a sweep, we go on from now: what is late would only come in a burst.
  if (radar.origin == GST_CLOCK_TIME_NONE ||
      now > at() + static_cast<GstClockTime>(radar.period_ns)) {
    radar.origin = now;
    radar.origin_number = radar.number;
  }
  // The base class waits for the timestamp after us, so the capture lies ahead of now.
  return {at(), wall_clock_ns() + at() - now};
}

static GstFlowReturn gst_radar_test_src_create(GstPushSrc* src, GstBuffer** out) {
  GstRadarTestSrc* self = as_test_src(src);
  TestRadar& radar = *self->radar;
  const double ego_speed = radar.ego_speed;
  const SweepTimes times = next_times(self);
  RadarSweep sweep;
  sweep.sensor = radar.sensor;
  sweep.number = radar.number++;
  sweep.captured_unix_ns = times.captured_unix_ns;
  sweep.detections = radar.scene.look(ego_speed);
  radar.scene.advance(radar.period_ns / 1e9, ego_speed);
  GstBufferPtr buffer = make_buffer(write_radar_sweep(sweep));
  GST_BUFFER_PTS(buffer.get()) = times.pts;
  GST_BUFFER_DURATION(buffer.get()) = static_cast<GstClockTime>(radar.period_ns);
  GST_BUFFER_OFFSET(buffer.get()) = sweep.number;
  GST_BUFFER_OFFSET_END(buffer.get()) = sweep.number + 1;
  if (times.captured_unix_ns != 0) set_capture_time(buffer.get(), times.captured_unix_ns);
  GST_LOG_OBJECT(self, "sweep %u: %" G_GSIZE_FORMAT " detections", sweep.number,
                 sweep.detections.size());
  *out = buffer.release();
  return GST_FLOW_OK;
}

static void gst_radar_test_src_get_times(GstBaseSrc* src, GstBuffer* buffer, GstClockTime* start,
                                         GstClockTime* end) {
  *start = *end = GST_CLOCK_TIME_NONE;
  if (!gst_base_src_is_live(src)) return;
  *start = GST_BUFFER_PTS(buffer);
  *end = *start + GST_BUFFER_DURATION(buffer);
}

static void gst_radar_test_src_set_property(GObject* object, guint id, const GValue* value,
                                            GParamSpec* spec) {
  TestRadar& radar = *as_test_src(object)->radar;
  switch (id) {
    case kPropSeed:
      radar.seed = g_value_get_uint(value);
      break;
    case kPropRate:
      radar.rate = g_value_get_double(value);
      break;
    case kPropSensorId:
      radar.sensor = g_value_get_uint(value);
      break;
    case kPropEgoSpeed:
      radar.ego_speed = g_value_get_double(value);
      break;
    case kPropIsLive:
      gst_base_src_set_live(GST_BASE_SRC(object), g_value_get_boolean(value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

static void gst_radar_test_src_get_property(GObject* object, guint id, GValue* value,
                                            GParamSpec* spec) {
  const TestRadar& radar = *as_test_src(object)->radar;
  switch (id) {
    case kPropSeed:
      g_value_set_uint(value, radar.seed);
      break;
    case kPropRate:
      g_value_set_double(value, radar.rate);
      break;
    case kPropSensorId:
      g_value_set_uint(value, radar.sensor);
      break;
    case kPropEgoSpeed:
      g_value_set_double(value, radar.ego_speed);
      break;
    case kPropIsLive:
      g_value_set_boolean(value, gst_base_src_is_live(GST_BASE_SRC(object)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

static void gst_radar_test_src_finalize(GObject* object) {
  delete as_test_src(object)->radar;
  G_OBJECT_CLASS(gst_radar_test_src_parent_class)->finalize(object);
}

static void install_properties(GObjectClass* klass) {
  constexpr auto kReady = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                   GST_PARAM_MUTABLE_READY);
  constexpr auto kPlaying = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                     GST_PARAM_MUTABLE_PLAYING);
  g_object_class_install_property(
      klass, kPropSeed,
      g_param_spec_uint("seed", "Seed", "The same seed gives the same scene, sweep by sweep", 0,
                        G_MAXUINT, kDefaultSeed, kReady));
  g_object_class_install_property(klass, kPropRate,
                                  g_param_spec_double("rate", "Rate", "Sweeps a second (1/s)", 0.1,
                                                      1000, kDefaultRate, kReady));
  g_object_class_install_property(
      klass, kPropSensorId,
      g_param_spec_uint("sensor-id", "Sensor id", "Number of the sensor, written into each sweep",
                        0, G_MAXUINT, 0, kPlaying));
  g_object_class_install_property(
      klass, kPropEgoSpeed,
      g_param_spec_double("ego-speed", "Ego speed", "Speed at which the vehicle drives (m/s)", 0,
                          70, kDefaultEgoSpeed, kPlaying));
  g_object_class_install_property(
      klass, kPropIsLive,
      g_param_spec_boolean("is-live", "Is live",
                           "Sweep by the pipeline's clock, with capture times by the wall clock; "
                           "else as fast as asked, without capture times",
                           TRUE, kReady));
}

static void gst_radar_test_src_class_init(GstRadarTestSrcClass* klass) {
  GST_DEBUG_CATEGORY_INIT(radartestsrc_debug, "radartestsrc", 0, "a radar that isn't there");
  auto* object_class = reinterpret_cast<GObjectClass*>(klass);
  auto* element_class = reinterpret_cast<GstElementClass*>(klass);
  auto* base_class = reinterpret_cast<GstBaseSrcClass*>(klass);
  object_class->set_property = gst_radar_test_src_set_property;
  object_class->get_property = gst_radar_test_src_get_property;
  object_class->finalize = gst_radar_test_src_finalize;
  base_class->start = gst_radar_test_src_start;
  base_class->get_times = gst_radar_test_src_get_times;
  klass->parent_class.create = gst_radar_test_src_create;
  install_properties(object_class);
  gst_element_class_add_static_pad_template(element_class, &test_src_template);
  gst_element_class_set_static_metadata(
      element_class, "Radar test source", "Source/Radar",
      "Makes the sweeps of a front radar on a road: rails, posts, vehicles, clutter", "Farwheel");
}

static void gst_radar_test_src_init(GstRadarTestSrc* self) {
  self->radar = new TestRadar;
  gst_base_src_set_live(&self->parent.parent, TRUE);
  gst_base_src_set_format(&self->parent.parent, GST_FORMAT_TIME);
}

}  // namespace farwheel
