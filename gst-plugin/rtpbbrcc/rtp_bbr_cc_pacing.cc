// The src pad's task: one packet or event each round, when the controller says so.
#include <algorithm>
#include <chrono>

#include "rtpbbrcc/rtp_bbr_cc.h"

#define GST_CAT_DEFAULT gst_rtp_bbr_cc_debug

namespace farwheel {
namespace {

// A decision to wait is asked for again this often while something waits.
constexpr TimeDelta kLongestWait = TimeDelta::from_millis(25);
// A wake-up time in the past must not become a busy loop.
constexpr TimeDelta kShortestWait = TimeDelta::from_micros(50);

}  // namespace

void RtpBbrCc::task_function(gpointer self) {
  static_cast<RtpBbrCc*>(self)->step();
}

bool RtpBbrCc::event_is_due_locked(Timestamp now) const {
  if (events_.empty()) return false;
  const PendingEvent& pending = events_.front();
  if (waiting_.empty() || waiting_.begin()->first >= pending.after_tokens_below) return true;
  return now >= eos_deadline_;
}

void RtpBbrCc::step() {
  std::vector<GstBufferPtr> dropped;
  std::unique_lock lock(mutex_);
  if (flow_ != GST_FLOW_OK) {
    // Under the mutex, so that a start by flush-stop can't come before it.
    gst_pad_pause_task(src_);
    return;
  }
  const Timestamp now = clock_now();
  if (event_is_due_locked(now)) {
    deliver_event(lock);
    return;
  }
  const SendDecision decision = controller_->next(now);
  collect_drops_locked(dropped);
  if (decision.action == SendDecision::Action::kSend) {
    send_packet(lock, decision.token);
  } else if (dropped.empty()) {
    wait_locked(lock, now, decision);
  }
  if (lock.owns_lock()) lock.unlock();
}

void RtpBbrCc::wait_locked(std::unique_lock<std::mutex>& lock, Timestamp now,
                           const SendDecision& decision) {
  if (waiting_.empty() && events_.empty()) {
    drained_.notify_all();
    pacer_wake_.wait(lock, [this] { return pacer_woken_; });
    pacer_woken_ = false;
    return;
  }
  TimeDelta wait = kLongestWait;
  if (decision.action == SendDecision::Action::kWaitUntil && decision.wake_at.is_finite()) {
    wait = std::clamp(decision.wake_at - now, kShortestWait, kLongestWait);
  }
  pacer_wake_.wait_for(lock, std::chrono::nanoseconds(wait.ns()), [this] { return pacer_woken_; });
  pacer_woken_ = false;
}

// Comes back without the mutex, so that what was dropped is freed without it.
void RtpBbrCc::deliver_event(std::unique_lock<std::mutex>& lock) {
  std::vector<GstBufferPtr> dropped;
  PendingEvent pending = std::move(events_.front());
  events_.pop_front();
  const bool is_eos = GST_EVENT_TYPE(pending.event.get()) == GST_EVENT_EOS;
  if (is_eos) clear_queue_locked(clock_now(), dropped);
  lock.unlock();
  if (pending.context) {
    // A packet of a newer context may have gone ahead; then that is what holds.
    if (pending.context->serial >= pushed_.newest_serial()) pushed_.push(src_, pending.context);
  } else {
    gst_pad_push_event(src_, pending.event.release());
  }
  if (!is_eos) return;
  lock.lock();
  if (flow_ == GST_FLOW_OK && eos_received_) flow_ = GST_FLOW_EOS;
  drained_.notify_all();
  lock.unlock();
}

// As deliver_event, unless the token is unknown.
void RtpBbrCc::send_packet(std::unique_lock<std::mutex>& lock, std::uint64_t token) {
  auto node = waiting_.extract(token);
  if (node.empty()) {
    GST_ERROR_OBJECT(element_,
                     "the controller sends packet %" G_GUINT64_FORMAT ", which is not here", token);
    return;
  }
  Waiting packet = std::move(node.mapped());
  if (!pushed_.is_current(packet.context)) {
    lock.unlock();
    pushed_.push(src_, packet.context);
    lock.lock();
    if (flow_ != GST_FLOW_OK) {
      lock.unlock();
      return;
    }
  }
  const Timestamp begin = clock_now();
  if (!first_sent_at_.is_finite()) first_sent_at_ = begin;
  Feed& feed = feeds_.at(packet.feed);
  ++feed.packets_sent;
  if (packet.ends_unit) ++feed.units_sent;
  feed.sent.add(begin, packet.size.bytes());
  if (packet.has_twcc) {
    SentPacket sent{mirror_.begin_push(begin), packet.size, packet.feed, begin};
    controller_->on_packet_sent(sent);
  } else {
    ++packets_without_twcc_;
  }
  lock.unlock();
  const GstFlowReturn flow = gst_pad_push(src_, packet.buffer.release());
  std::vector<GstBufferPtr> dropped;
  lock.lock();
  const Timestamp end = clock_now();
  if (packet.has_twcc) mirror_.end_push(end);
  if (flow == GST_FLOW_OK || flow_ != GST_FLOW_OK) return;
  GST_DEBUG_OBJECT(element_, "downstream returned %s", gst_flow_get_name(flow));
  flow_ = flow;
  clear_queue_locked(end, dropped);
  drained_.notify_all();
  // EOS has nothing to wait for now, and upstream must hear of the fault.
  const bool eos_pending = eos_received_;
  events_.clear();
  lock.unlock();
  if (eos_pending && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS)) {
    GST_ELEMENT_FLOW_ERROR(element_, flow);
  }
}

}  // namespace farwheel
