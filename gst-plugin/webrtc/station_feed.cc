#include "webrtc/station_feed.h"

#include <gst/rtp/rtp.h>

#include <cstring>

namespace farwheel {
namespace {
constexpr GstClockTime kPacketsCome = 150 * GST_MSECOND;
constexpr GstClockTime kStuck = 300 * GST_MSECOND;
}  // namespace

std::string StationFeed::start() {
  const bool camera = config_.kind == FeedKind::kCamera;
  std::vector<const char*> factories{"rtph264depay"};
  if (!camera) factories = {"radarklvdepay", "radarklvdec"};
  for (const char* factory : factories) {
    GstElement* element = gst_element_factory_make(factory, nullptr);
    if (!element) return std::string("there is no element ") + factory;
    gst_element_set_locked_state(element, TRUE);
    gst_bin_add(config_.bin, element);
    elements_.push_back(element);
  }
  if (camera) {
    g_object_set(elements_[0], "request-keyframe", TRUE, "wait-for-keyframe", TRUE, nullptr);
  } else {
    gst_element_link(elements_[0], elements_[1]);
  }
  GstPadPtr sink(gst_element_get_static_pad(elements_.front(), "sink"));
  gst_pad_add_probe(
      sink.get(),
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST |
                                   GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
      on_rtp, new Hook(weak_from_this()), [](gpointer data) { delete static_cast<Hook*>(data); });
  Hook weak = weak_from_this();
  GstPad* input =
      new_outlet_input(config_.outlet, [weak](GstClockTime pts) -> std::optional<CaptureStamp> {
        const auto self = weak.lock();
        if (!self) return std::nullopt;
        std::optional<std::uint64_t> unix_ns;
        {
          std::lock_guard lock(self->mutex_);
          unix_ns = self->captures_.find(pts, 0);
        }
        if (unix_ns) self->config_.unit_log->received(self->config_.name, *unix_ns);
        return unix_ns ? self->config_.from_vehicle_wall(*unix_ns) : std::nullopt;
      });
  GstPadPtr src(gst_element_get_static_pad(elements_.back(), "src"));
  if (GST_PAD_LINK_FAILED(gst_pad_link(src.get(), input))) return "cannot link a depayloader";
  for (GstElement* element : elements_) gst_element_set_state(element, GST_STATE_PLAYING);
  return {};
}

bool StationFeed::link(GstPad* webrtcbin_src) {
  if (elements_.empty()) return false;
  GstPadPtr sink(gst_element_get_static_pad(elements_.front(), "sink"));
  if (gst_pad_is_linked(sink.get())) return false;
  return gst_pad_link(webrtcbin_src, sink.get()) == GST_PAD_LINK_OK;
}

void StationFeed::stop() {
  close_outlet_input(config_.outlet);
  for (GstElement* element : elements_) {
    gst_element_set_state(element, GST_STATE_NULL);
    gst_bin_remove(config_.bin, element);
  }
  elements_.clear();
}

void StationFeed::ask_if_stuck(GstClockTime now) {
  if (config_.kind != FeedKind::kCamera || last_rtp_ == 0) return;
  const GstClockTime picture = outlet_counts(config_.outlet).last_unit;
  const bool packets_come = now < last_rtp_ + kPacketsCome;
  if (!packets_come || now < picture + kStuck || now < last_request_ + kStuck) return;
  last_request_ = now;
  request_outlet_key(config_.outlet);
}

GstPadProbeReturn StationFeed::on_rtp(GstPad*, GstPadProbeInfo* info, gpointer data) {
  const auto self = static_cast<Hook*>(data)->lock();
  if (!self) return GST_PAD_PROBE_OK;
  self->last_rtp_ = gst_util_get_timestamp();
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    GstBufferList* list = GST_PAD_PROBE_INFO_BUFFER_LIST(info);
    for (guint i = 0; i < gst_buffer_list_length(list); ++i) {
      self->read_capture_time(gst_buffer_list_get(list, i));
    }
  } else {
    self->read_capture_time(GST_PAD_PROBE_INFO_BUFFER(info));
  }
  return GST_PAD_PROBE_OK;
}

std::optional<std::uint64_t> capture_time_in(GstBuffer* packet, unsigned ntp64_id) {
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  if (ntp64_id == 0 || !gst_rtp_buffer_map(packet, GST_MAP_READ, &rtp)) return std::nullopt;
  gpointer data = nullptr;
  guint size = 0;
  std::optional<std::uint64_t> unix_ns;
  if (gst_rtp_buffer_get_extension_onebyte_header(&rtp, static_cast<guint8>(ntp64_id), 0, &data,
                                                  &size) &&
      size == 8) {
    std::uint64_t ntp = 0;  // copied: an extension starts at any address
    std::memcpy(&ntp, data, sizeof(ntp));
    unix_ns = unix_ns_from_ntp(GUINT64_FROM_BE(ntp));
  }
  gst_rtp_buffer_unmap(&rtp);
  return unix_ns;
}

void StationFeed::read_capture_time(GstBuffer* buffer) {
  if (!GST_BUFFER_PTS_IS_VALID(buffer)) return;
  const auto unix_ns = capture_time_in(buffer, config_.ntp64_id);
  if (!unix_ns) return;
  std::lock_guard lock(mutex_);
  captures_.remember(GST_BUFFER_PTS(buffer), *unix_ns);
}

}  // namespace farwheel
