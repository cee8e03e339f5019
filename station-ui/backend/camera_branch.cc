#include "backend/camera_branch.h"

#include <gst/video/video.h>

#include <array>
#include <utility>

namespace farwheel::station {
namespace {

constexpr guint kPicturesWaiting = 2;
constexpr guint64 kKeyFrameInterval = 250 * GST_MSECOND;

// Gives a mapped frame back when the last copy of its image is gone.
struct MappedFrame {
  GstSamplePtr sample;
  GstVideoFrame frame{};
  ~MappedFrame() { gst_video_frame_unmap(&frame); }
};

std::optional<VideoFrame> picture_of(GstSample* sample) {
  GstVideoInfo info;
  GstCaps* caps = gst_sample_get_caps(sample);
  if (!caps || !gst_video_info_from_caps(&info, caps)) return std::nullopt;
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ)) {
    return std::nullopt;
  }
  auto* mapped = new MappedFrame{.sample = GstSamplePtr(gst_sample_ref(sample)), .frame = frame};
  // BGRx in memory is Qt's RGB32 on a little-endian machine.
  const QImage image(
      static_cast<const uchar*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)),
      GST_VIDEO_FRAME_WIDTH(&frame), GST_VIDEO_FRAME_HEIGHT(&frame),
      GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0), QImage::Format_RGB32,
      [](void* kept) { delete static_cast<MappedFrame*>(kept); }, mapped);
  const double pixel_aspect =
      static_cast<double>(GST_VIDEO_INFO_PAR_N(&info)) / std::max(GST_VIDEO_INFO_PAR_D(&info), 1);
  return VideoFrame{.image = image,
                    .display_size = QSizeF(image.width() * pixel_aspect, image.height())};
}

GstElement* add(GstElement* bin, const char* factory, std::string* fault) {
  GstElement* element = gst_element_factory_make(factory, nullptr);
  if (!element) {
    *fault = std::string("the GStreamer element ") + factory +
             " is missing; install gstreamer1.0-libav and gstreamer1.0-plugins-base";
    return nullptr;
  }
  gst_bin_add(GST_BIN(bin), element);
  return element;
}

}  // namespace

std::optional<CaptureTime> capture_time_of(GstBuffer* buffer) {
  static GstStaticCaps capture_caps = GST_STATIC_CAPS("timestamp/x-farwheel-capture");
  const GstCapsPtr caps(gst_static_caps_get(&capture_caps));
  const auto* meta = gst_buffer_get_reference_timestamp_meta(buffer, caps.get());
  if (!meta || !GST_CLOCK_TIME_IS_VALID(meta->timestamp) ||
      !GST_CLOCK_TIME_IS_VALID(meta->duration)) {
    return std::nullopt;
  }
  return CaptureTime{.at = static_cast<Nanoseconds>(meta->timestamp),
                     .band = static_cast<Nanoseconds>(meta->duration)};
}

std::unique_ptr<CameraBranch> CameraBranch::make(GstBin* pipeline,
                                                 const std::shared_ptr<FrameMailbox>& frames,
                                                 std::string* fault) {
  std::unique_ptr<CameraBranch> branch(new CameraBranch(pipeline, frames));
  if (!branch->build(fault)) return nullptr;
  return branch;
}

CameraBranch::CameraBranch(GstBin* pipeline, const std::shared_ptr<FrameMailbox>& frames)
    : pipeline_(pipeline), frames_(frames) {}

CameraBranch::~CameraBranch() {
  if (!bin_) return;
  // Joins the streaming threads; after it no callback runs.
  gst_element_set_locked_state(bin_, TRUE);
  gst_element_set_state(bin_, GST_STATE_NULL);
  gst_bin_remove(pipeline_, bin_);
}

bool CameraBranch::build(std::string* fault) {
  GstElement* bin = gst_bin_new(nullptr);
  gst_object_ref_sink(bin);
  const GstElementPtr owner(bin);
  GstElement* coded = add(bin, "queue", fault);
  GstElement* decoder = add(bin, "avdec_h264", fault);
  GstElement* pictures = add(bin, "queue", fault);
  GstElement* convert = add(bin, "videoconvert", fault);
  GstElement* sink = add(bin, "appsink", fault);
  if (!coded || !decoder || !pictures || !convert || !sink) return false;

  g_object_set(coded, "max-size-buffers", 0, "max-size-bytes", 64 * 1024 * 1024, "max-size-time",
               G_GUINT64_CONSTANT(0), nullptr);
  // Slices of one picture in parallel cost no delay; pictures in parallel would cost one each.
  g_object_set(decoder, "max-threads", 2, "output-corrupt", FALSE, "discard-corrupted-frames", TRUE,
               "qos", FALSE, "automatic-request-sync-points", TRUE, "min-force-key-unit-interval",
               kKeyFrameInterval, nullptr);
  gst_util_set_object_arg(G_OBJECT(decoder), "thread-type", "slice");
  g_object_set(pictures, "max-size-buffers", kPicturesWaiting, "max-size-bytes", 0, "max-size-time",
               G_GUINT64_CONSTANT(0), nullptr);
  gst_util_set_object_arg(G_OBJECT(pictures), "leaky", "downstream");
  const GstCapsPtr caps(
      gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "BGRx", nullptr));
  g_object_set(sink, "caps", caps.get(), "sync", FALSE, "async", FALSE, "max-buffers", 1, "drop",
               TRUE, "qos", FALSE, "enable-last-sample", FALSE, nullptr);
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = on_picture;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, this, nullptr);
  if (!gst_element_link_many(coded, decoder, pictures, convert, sink, nullptr)) {
    *fault = "the decoder's elements do not fit together";
    return false;
  }
  const GstPadPtr in(gst_element_get_static_pad(coded, "sink"));
  const GstPadPtr out(gst_element_get_static_pad(coded, "src"));
  gst_pad_add_probe(in.get(), GST_PAD_PROBE_TYPE_BUFFER, on_arrival, this, nullptr);
  gst_pad_add_probe(out.get(), GST_PAD_PROBE_TYPE_BUFFER, before_decoder, this, nullptr);
  gst_element_add_pad(bin, gst_ghost_pad_new("sink", in.get()));
  if (!gst_bin_add(pipeline_, bin)) {
    *fault = "the camera's decoder does not fit into the pipeline";
    return false;
  }
  bin_ = bin;
  return true;
}

bool CameraBranch::link(GstPad* from) {
  const GstPadPtr in(gst_element_get_static_pad(bin_, "sink"));
  return gst_element_sync_state_with_parent(bin_) &&
         gst_pad_link(from, in.get()) == GST_PAD_LINK_OK;
}

GstPadProbeReturn CameraBranch::on_arrival(GstPad*, GstPadProbeInfo* info, gpointer self) {
  GstBuffer* buffer = gst_pad_probe_info_get_buffer(info);
  static_cast<CameraBranch*>(self)->units_.enter({.pts = GST_BUFFER_PTS(buffer),
                                                  .arrived_at = monotonic_now(),
                                                  .capture = capture_time_of(buffer)});
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraBranch::before_decoder(GstPad* pad, GstPadProbeInfo* info, gpointer self) {
  auto* branch = static_cast<CameraBranch*>(self);
  GstBuffer* buffer = gst_pad_probe_info_get_buffer(info);
  const Nanoseconds now = monotonic_now();
  const auto unit = branch->units_.find(GST_BUFFER_PTS(buffer));
  const auto kind = GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT)
                        ? OverloadGate::Kind::kDelta
                        : OverloadGate::Kind::kKeyFrame;
  const auto verdict = branch->gate_.judge(kind, unit ? now - unit->arrived_at : 0, now);
  if (verdict == OverloadGate::Verdict::kDecode) return GST_PAD_PROBE_OK;
  ++branch->units_skipped_;
  if (verdict == OverloadGate::Verdict::kSkipAndAskForKeyFrame) {
    gst_pad_send_event(pad,
                       gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, FALSE, 0));
  }
  return GST_PAD_PROBE_DROP;
}

GstFlowReturn CameraBranch::on_picture(GstAppSink* sink, gpointer self) {
  const GstSamplePtr sample(gst_app_sink_pull_sample(sink));
  if (sample) static_cast<CameraBranch*>(self)->hand_over(sample.get());
  return GST_FLOW_OK;
}

void CameraBranch::hand_over(GstSample* sample) {
  std::optional<VideoFrame> picture = picture_of(sample);
  if (!picture) return;
  GstBuffer* buffer = gst_sample_get_buffer(sample);
  picture->decoded_at = monotonic_now();
  picture->capture = capture_time_of(buffer);
  const std::optional<UnitLedger::Entry> unit = units_.find(GST_BUFFER_PTS(buffer));
  picture->received_at = unit ? unit->arrived_at : picture->decoded_at;
  if (!picture->capture && unit) picture->capture = unit->capture;
  frames_->put(std::move(*picture));
}

}  // namespace farwheel::station
