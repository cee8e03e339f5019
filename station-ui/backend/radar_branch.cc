#include "backend/radar_branch.h"

#include <span>
#include <utility>

#include "backend/camera_branch.h"

namespace farwheel::station {

std::unique_ptr<RadarBranch> RadarBranch::make(GstBin* pipeline, Receiver receiver,
                                               std::string* fault) {
  std::unique_ptr<RadarBranch> branch(new RadarBranch(pipeline, std::move(receiver)));
  GstElement* sink = gst_element_factory_make("appsink", nullptr);
  if (!sink) {
    *fault = "the GStreamer element appsink is missing; install gstreamer1.0-plugins-base";
    return nullptr;
  }
  const GstCapsPtr caps(gst_caps_from_string(kRadarSweepCaps));
  g_object_set(sink, "caps", caps.get(), "sync", FALSE, "async", FALSE, "max-buffers", 4, "drop",
               TRUE, "qos", FALSE, "enable-last-sample", FALSE, nullptr);
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = on_sweep;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, branch.get(), nullptr);
  if (!gst_bin_add(pipeline, sink)) {
    *fault = "the radar's sink does not fit into the pipeline";
    return nullptr;
  }
  branch->sink_ = sink;
  return branch;
}

RadarBranch::RadarBranch(GstBin* pipeline, Receiver receiver)
    : pipeline_(pipeline), receiver_(std::move(receiver)) {}

RadarBranch::~RadarBranch() {
  if (!sink_) return;
  gst_element_set_locked_state(sink_, TRUE);
  gst_element_set_state(sink_, GST_STATE_NULL);
  gst_bin_remove(pipeline_, sink_);
}

bool RadarBranch::link(GstPad* from) {
  const GstPadPtr in(gst_element_get_static_pad(sink_, "sink"));
  return gst_element_sync_state_with_parent(sink_) &&
         gst_pad_link(from, in.get()) == GST_PAD_LINK_OK;
}

GstFlowReturn RadarBranch::on_sweep(GstAppSink* sink, gpointer self) {
  const GstSamplePtr sample(gst_app_sink_pull_sample(sink));
  if (sample) static_cast<RadarBranch*>(self)->hand_over(sample.get());
  return GST_FLOW_OK;
}

void RadarBranch::hand_over(GstSample* sample) {
  GstBuffer* buffer = gst_sample_get_buffer(sample);
  GstMapInfo map;
  if (!buffer || !gst_buffer_map(buffer, &map, GST_MAP_READ)) return;
  std::optional<RadarSweep> sweep = read_radar_sweep(std::span(map.data, map.size));
  gst_buffer_unmap(buffer, &map);
  if (!sweep) {
    if (bad_sweeps_++ == 0) {
      GST_WARNING("a radar buffer of %" G_GSIZE_FORMAT " bytes is no sweep; left out", map.size);
    }
    return;
  }
  receiver_(std::make_shared<ReceivedSweep>(ReceivedSweep{.sweep = std::move(*sweep),
                                                          .received_at = monotonic_now(),
                                                          .capture = capture_time_of(buffer)}));
}

}  // namespace farwheel::station
