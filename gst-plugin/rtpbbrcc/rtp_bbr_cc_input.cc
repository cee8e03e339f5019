// What streaming threads bring: packets, serialized events, queries, flushes. Nothing here waits
// for the pacer but a DRAIN query.
#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "rtpbbrcc/rtp_bbr_cc.h"

#define GST_CAT_DEFAULT gst_rtp_bbr_cc_debug

namespace farwheel {
namespace {

// Packets queued when EOS comes leave first, but not for longer than this.
constexpr TimeDelta kEosPatience = TimeDelta::from_millis(500);
// How long a DRAIN query may hold its streaming thread.
constexpr auto kDrainPatience = std::chrono::milliseconds(100);

// GST_EVENT_IS_SERIALIZED and its kin mix enumerations, which C++20 deprecates.
bool is_serialized(GstEvent* event) {
  return (gst_event_type_get_flags(GST_EVENT_TYPE(event)) & GST_EVENT_TYPE_SERIALIZED) != 0;
}
bool is_sticky(GstEvent* event) {
  return (gst_event_type_get_flags(GST_EVENT_TYPE(event)) & GST_EVENT_TYPE_STICKY) != 0;
}
bool is_serialized(GstQuery* query) {
  return (gst_query_type_get_flags(GST_QUERY_TYPE(query)) & GST_QUERY_TYPE_SERIALIZED) != 0;
}

FrameKind frame_kind(Feed& feed, const RtpPacketView& packet, const StreamRoute& route) {
  if (route.is_retransmission) return FrameKind::kRetransmission;
  if (feed.kind == FeedKind::kRadar) return FrameKind::kSweep;
  if (feed.is_h264 && is_h264_key_payload(packet.payload)) feed.unit_is_key = true;
  const FrameKind kind = feed.unit_is_key ? FrameKind::kKey : FrameKind::kDelta;
  if (packet.marker) feed.unit_is_key = false;
  return kind;
}

}  // namespace

GstFlowReturn RtpBbrCc::enqueue(GstBufferPtr buffer) {
  std::array<std::uint8_t, kRtpPeekSize> peek;
  const gsize peeked = gst_buffer_extract(buffer.get(), 0, peek.data(), peek.size());
  const auto packet =
      view_rtp_packet(std::span(peek).first(peeked), gst_buffer_get_size(buffer.get()));
  std::vector<GstBufferPtr> dropped;
  std::unique_lock lock(mutex_);
  if (flow_ != GST_FLOW_OK) return flow_;
  if (eos_received_) return GST_FLOW_EOS;
  if (!packet) {
    ++bad_packets_;
    const bool first = !std::exchange(warned_bad_packet_, true);
    lock.unlock();
    if (first) {
      GST_WARNING_OBJECT(
          sink_,
          "a buffer of %" G_GSIZE_FORMAT
          " bytes is not an RTP packet and is dropped; put a payloader before rtpbbrcc",
          gst_buffer_get_size(buffer.get()));
    }
    return GST_FLOW_OK;
  }
  StreamRoute route;
  if (const StreamRoute* known = feeds_.find(packet->ssrc)) {
    route = *known;
  } else {
    lock.unlock();
    const StreamOrigin origin = discover_stream(sink_, packet->ssrc, packet->payload_type);
    lock.lock();
    if (flow_ != GST_FLOW_OK) return flow_;
    const auto osn = original_sequence_number(*packet);
    route = feeds_.add(packet->ssrc, packet->payload_type, origin, osn);
    if (!route.is_retransmission) packet_size_bound_.reset();  // its payloader was not told yet
    const Feed& feed = feeds_.at(route.feed);
    GST_INFO_OBJECT(element_, "stream %08x (payload type %u) is %s%s, encoder %s", packet->ssrc,
                    packet->payload_type, route.is_retransmission ? "retransmission of " : "",
                    feed.name.c_str(),
                    feed.encoder_name.empty() ? "not found" : feed.encoder_name.c_str());
  }
  enqueue_locked(clock_now(), std::move(buffer), *packet, route, dropped);
  lock.unlock();
  return GST_FLOW_OK;
}

void RtpBbrCc::enqueue_locked(Timestamp now, GstBufferPtr buffer, const RtpPacketView& packet,
                              const StreamRoute& route, std::vector<GstBufferPtr>& dropped) {
  Feed& feed = feeds_.at(route.feed);
  const std::size_t rtp_size = gst_buffer_get_size(buffer.get());
  QueuedPacket queued;
  queued.token = next_token_++;
  queued.feed = feed.id;
  queued.size = DataSize::from_bytes(static_cast<std::int64_t>(rtp_size) + kPacketOverhead);
  queued.kind = frame_kind(feed, packet, route);
  queued.ends_unit = packet.marker;
  queued.queued_at = now;

  feed.last_packet_at = now;
  if (!route.is_retransmission) {
    feed.last_sequence_number = packet.sequence_number;
    feed.produced.add(now, queued.size.bytes());
    const double share = static_cast<double>(rtp_size - packet.payload_offset) /
                         static_cast<double>(queued.size.bytes());
    // By bytes, over about 100 kB: small packets must not count as much as full ones.
    feed.payload_share += (share - feed.payload_share) *
                          std::min(1.0, static_cast<double>(queued.size.bytes()) / 1e5);
  }
  if (!feed.in_controller) {
    feed.in_controller = true;
    controller_->add_feed(now, feed.id, feed_config_locked(feed));
    wake_control_locked();
  }
  Waiting waiting;
  waiting.buffer = std::move(buffer);
  waiting.context = context_;
  waiting.size = queued.size;
  waiting.feed = feed.id;
  waiting.has_twcc =
      context_ && context_->twcc_id != 0 && has_one_byte_extension(packet, context_->twcc_id);
  waiting.ends_unit = packet.marker && !route.is_retransmission;
  waiting_.emplace(queued.token, std::move(waiting));
  controller_->on_packet_queued(now, queued);
  collect_drops_locked(dropped);
  wake_pacer_locked();
}

bool RtpBbrCc::sink_event(GstEventPtr event) {
  const GstEventType type = GST_EVENT_TYPE(event.get());
  if (type == GST_EVENT_FLUSH_START) return flush_start(std::move(event));
  if (type == GST_EVENT_FLUSH_STOP) return flush_stop(std::move(event));
  if (!is_serialized(event.get())) {
    return gst_pad_push_event(src_, event.release()) != FALSE;
  }
  std::unique_lock lock(mutex_);
  if (flushing_) return false;
  if (type == GST_EVENT_STREAM_START && eos_received_) {
    // A new stream after the end of the last.
    eos_received_ = false;
    eos_deadline_ = Timestamp::infinite_future();
    if (flow_ == GST_FLOW_EOS) flow_ = GST_FLOW_OK;
    gst_pad_start_task(src_, &RtpBbrCc::task_function, this, nullptr);
  }
  if (flow_ != GST_FLOW_OK && type == GST_EVENT_EOS) {
    const GstFlowReturn flow = flow_;
    lock.unlock();
    // Nobody pushes a buffer any more whose return would tell.
    if (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS) GST_ELEMENT_FLOW_ERROR(element_, flow);
    return false;
  }
  PendingEvent pending;
  pending.after_tokens_below = next_token_;
  if (is_context_event(event.get())) {
    context_ = with_event(context_, event.get());
    pending.context = context_;
  }
  if (type == GST_EVENT_EOS) {
    eos_received_ = true;
    eos_deadline_ = clock_now() + kEosPatience;
  }
  pending.event = std::move(event);
  events_.push_back(std::move(pending));
  wake_pacer_locked();
  return true;
}

bool RtpBbrCc::sink_query(GstQuery* query) {
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_ALLOCATION:
      // Its answer would be about a pool that our packets outlive.
      return false;
    case GST_QUERY_DRAIN:
      return drain();
    default:
      if (is_serialized(query)) return false;
      return gst_pad_query_default(sink_, GST_OBJECT(element_), query) != FALSE;
  }
}

bool RtpBbrCc::drain() {
  std::unique_lock lock(mutex_);
  drained_.wait_for(lock, kDrainPatience, [this] {
    return flow_ != GST_FLOW_OK || (waiting_.empty() && events_.empty());
  });
  return waiting_.empty();
}

bool RtpBbrCc::flush_start(GstEventPtr event) {
  std::vector<GstBufferPtr> dropped;
  std::deque<PendingEvent> lost;
  {
    const std::lock_guard lock(mutex_);
    flushing_ = true;
    flow_ = GST_FLOW_FLUSHING;
    clear_queue_locked(clock_now(), dropped);
    lost.swap(events_);
    wake_pacer_locked();
    drained_.notify_all();
  }
  const bool pushed = gst_pad_push_event(src_, event.release()) != FALSE;
  gst_pad_pause_task(src_);
  // Sticky events outlive a flush; those that make a context are in it.
  for (const PendingEvent& pending : lost) {
    GstEvent* sticky = pending.event.get();
    if (is_sticky(sticky) && GST_EVENT_TYPE(sticky) != GST_EVENT_EOS && !is_context_event(sticky)) {
      gst_pad_store_sticky_event(src_, sticky);
    }
  }
  return pushed;
}

bool RtpBbrCc::flush_stop(GstEventPtr event) {
  const bool pushed = gst_pad_push_event(src_, event.release()) != FALSE;
  const std::lock_guard lock(mutex_);
  eos_received_ = false;
  eos_deadline_ = Timestamp::infinite_future();
  if (context_) context_ = without_segment(context_);
  if (!gst_pad_is_active(src_)) return pushed;
  // The task is paused, so its own things may be touched.
  pushed_.forget_segment();
  flushing_ = false;
  flow_ = GST_FLOW_OK;
  gst_pad_start_task(src_, &RtpBbrCc::task_function, this, nullptr);
  return pushed;
}

}  // namespace farwheel
