// Reports from the RTCP thread, and the control thread that acts on what follows from them.
#include <gst/video/video.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "rtpbbrcc/packet_size.h"
#include "rtpbbrcc/rtp_bbr_cc.h"
#include "rtpbbrcc/send_address.h"
#include "rtpbbrcc/twcc_event.h"

#define GST_CAT_DEFAULT gst_rtp_bbr_cc_debug

namespace farwheel {
namespace {

constexpr auto kPeriod = std::chrono::milliseconds(10);
// While start-up looks for the rate, before reports say what became of its trains, the interface's
// queue alone can tell that it became slower.
constexpr auto kStartupPeriod = std::chrono::milliseconds(5);
// With nothing sent and nothing in flight.
constexpr auto kIdlePeriod = std::chrono::milliseconds(100);
// A feed without packets for so long gives its share to the others.
constexpr TimeDelta kFeedForgotten = TimeDelta::from_seconds(5);
constexpr TimeDelta kSeekPeer = TimeDelta::from_seconds(2);
// How long a fault of the set-up may last before it is told.
constexpr TimeDelta kSetupPatience = TimeDelta::from_seconds(5);
// An encoder that makes more than this share of its target for so long ignores it.
constexpr double kExcess = 1.5;
constexpr TimeDelta kExcessTime = TimeDelta::from_seconds(2);

// A change of the estimate is told when it is worth it or has waited.
constexpr double kNotifyWorth = 0.01;
constexpr TimeDelta kNotifyInterval = TimeDelta::from_millis(100);

}  // namespace

void RtpBbrCc::on_twcc_event(GstEvent* event) {
  TwccEvent report = read_twcc_event(event);
  std::unique_lock lock(mutex_);
  bool first_odd = false;
  if (report.odd_entries > 0) {
    odd_reports_ += report.odd_entries;
    first_odd = !std::exchange(warned_odd_, true);
  }
  if (!flushing_ && !report.packets.empty()) {
    ++reports_;
    report.packets.resize(mirror_.translate(report.packets));
    const Timestamp now = clock_now();
    controller_->on_feedback(now, report.packets);
    for (const ReportedPacket& packet : report.packets) {
      if (packet.remote_ns && packet.local_ns) {
        owd_.add(now, *packet.remote_ns, *packet.local_ns);
      }
    }
    wake_pacer_locked();
    wake_control_locked();
  }
  lock.unlock();
  if (first_odd) {
    GST_WARNING_OBJECT(element_,
                       "a transport-wide report has entries that are not as rtpsession 1.22 makes "
                       "them; they are left out: %" GST_PTR_FORMAT,
                       event);
  }
}

void RtpBbrCc::on_path_changed() {
  const std::lock_guard lock(mutex_);
  if (!controller_ || flushing_) return;
  controller_->on_path_changed(clock_now());
  wake_pacer_locked();
  wake_control_locked();
}

void RtpBbrCc::on_reconfigure() {
  const std::lock_guard lock(mutex_);
  if (flow_ != GST_FLOW_NOT_LINKED || flushing_) return;
  flow_ = GST_FLOW_OK;
  gst_pad_start_task(src_, &RtpBbrCc::task_function, this, nullptr);
}

void RtpBbrCc::control_loop() {
  pthread_setname_np(pthread_self(), "rtpbbrcc");
  driver_queue_.emplace();
  std::unique_lock lock(mutex_);
  while (!control_stops_) {
    const ControllerSnapshot seen = controller_->snapshot(clock_now());
    const bool idle = waiting_.empty() && seen.inflight.is_zero();
    const bool may_overrun = driver_backlog_.has_value() && seen.state == BbrState::kStartup;
    control_wake_.wait_for(lock,
                           idle          ? kIdlePeriod
                           : may_overrun ? kStartupPeriod
                                         : kPeriod,
                           [this] { return control_woken_; });
    control_woken_ = false;
    if (control_stops_) break;
    const bool seeks_peer =
        settings_.tx_interface.empty() && clock_now() - peer_sought_at_ > kSeekPeer;
    if (std::exchange(interface_changed_, false)) {
      driver_queue_->set_interface(settings_.tx_interface);
    }
    lock.unlock();
    const Timestamp read_at = clock_now();
    if (seeks_peer) {
      peer_sought_at_ = read_at;
      driver_queue_->set_path(find_send_address(src_));
    }
    const auto backlog = driver_queue_->read(read_at);
    lock.lock();
    const Timestamp now = clock_now();
    driver_backlog_ = backlog;
    driver_interface_ = driver_queue_->interface();
    if (backlog) controller_->on_driver_queue(now, DriverQueueReport{*backlog});
    controller_->on_tick(now);
    Errands errands = plan_locked(now);
    if (!waiting_.empty()) wake_pacer_locked();
    lock.unlock();
    run(now, errands);
    errands = Errands();  // frees what was dropped without the mutex
    lock.lock();
  }
}

RtpBbrCc::Errands RtpBbrCc::plan_locked(Timestamp now) {
  Errands errands;
  collect_drops_locked(errands.dropped);
  for (const ControllerEvent& event : controller_->take_events()) {
    GST_INFO_OBJECT(element_, "%s", to_string(event).c_str());
  }
  for (const FeedId id : controller_->take_key_frame_requests()) {
    Feed& feed = feeds_.at(id);
    ++feed.key_frames_requested;
    errands.key_frames.push_back({feed.branch, feed.ssrc});
  }
  for (const auto& feed : feeds_.all()) {
    if (!feed->in_controller || now - feed->last_packet_at < kFeedForgotten) continue;
    const bool queued = std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& entry) {
      return entry.second.feed == feed->id;
    });
    if (queued) continue;
    controller_->remove_feed(now, feed->id);
    feed->in_controller = false;
    feed->target = DataRate::zero();
  }
  const ControllerSnapshot seen = controller_->snapshot(now);
  if (seen.packet_size_bound != packet_size_bound_) {
    packet_size_bound_ = errands.packet_size_bound = seen.packet_size_bound;
    for (const auto& feed : feeds_.all()) errands.payloaders.push_back(feed->payloader);
  }
  plan_encoders_locked(now, errands);
  const DataRate estimate = estimate_locked();
  const double change = std::abs(estimate / notified_estimate_ - 1);
  if (change > kNotifyWorth || (change > 0 && now - notified_at_ >= kNotifyInterval)) {
    errands.estimate_changed = true;
    notified_estimate_ = estimate;
    notified_at_ = now;
  }
  if (first_sent_at_.is_finite() && now - first_sent_at_ > kSetupPatience) {
    const bool any_counted = seen.packets_sent > 0;
    if (!any_counted) errands.no_extension = !std::exchange(warned_extension_, true);
    if (any_counted && reports_ == 0) errands.no_reports = !std::exchange(warned_reports_, true);
  }
  return errands;
}

void RtpBbrCc::plan_encoders_locked(Timestamp now, Errands& errands) {
  for (const WireTarget& target : wire_targets_locked()) {
    Feed& feed = feeds_.at(target.feed);
    feed.target = target.wire;
    if (!settings_.adjust_encoders || !feed.encoder || !feed.in_controller) {
      feed.excess_since = Timestamp::infinite_future();
      continue;
    }
    const DataRate produced = feed.produced.rate(now);
    feed.encoder_yield.on_tick(now, target.wire, produced);
    errands.encoders.push_back({feed.encoder, target.media * feed.encoder_yield.gain(), feed.name});
    if (produced <= target.wire * kExcess) {
      feed.excess_since = Timestamp::infinite_future();
      continue;
    }
    if (!feed.excess_since.is_finite()) feed.excess_since = now;
    if (now - feed.excess_since < kExcessTime || feed.ignores_target) continue;
    feed.ignores_target = true;
    errands.excesses.push_back({feed.name, feed.encoder_name, target.wire, produced});
  }
}

void RtpBbrCc::run(Timestamp now, const Errands& errands) {
  set_encoders(now, errands);
  set_packet_sizes(errands);  // before the key frames that are to be cut so
  ask_for_key_frames(errands);
  for (const auto& excess : errands.excesses) {
    gst_element_post_message(
        element_,
        gst_message_new_element(
            GST_OBJECT(element_),
            gst_structure_new(
                "rtpbbrcc-encoder-ignores-target", "feed", G_TYPE_STRING, excess.feed.c_str(),
                "encoder", G_TYPE_STRING, excess.encoder.c_str(), "target-bps", G_TYPE_UINT64,
                static_cast<guint64>(excess.target.bps()), "produced-bps", G_TYPE_UINT64,
                static_cast<guint64>(excess.produced.bps()), nullptr)));
  }
  if (errands.estimate_changed) {
    g_object_notify_by_pspec(G_OBJECT(element_), estimated_bitrate_spec_);
  }
  warn_of_setup(errands);
}

void RtpBbrCc::set_packet_sizes(const Errands& errands) {
  if (!errands.packet_size_bound) return;
  GST_WARNING_OBJECT(element_,
                     "IP packets above %d bytes vanish on this path (an MTU whose ICMP messages do "
                     "not come back): payloaders cut smaller ones",
                     static_cast<int>(errands.packet_size_bound->bytes()));
  for (const auto& weak : errands.payloaders) {
    if (const auto payloader = weak->lock()) {
      set_packet_size(payloader.get(), *errands.packet_size_bound);
    }
  }
}

void RtpBbrCc::set_encoders(Timestamp now, const Errands& errands) {
  for (const auto& task : errands.encoders) {
    if (task.encoder->set(now, task.bitrate) != EncoderBitrate::Outcome::kUnknownEncoder) continue;
    if (std::find(unknown_encoders_.begin(), unknown_encoders_.end(), task.feed) !=
        unknown_encoders_.end()) {
      continue;
    }
    unknown_encoders_.push_back(task.feed);
    GST_ELEMENT_WARNING(element_, LIBRARY, SETTINGS,
                        ("The encoder %s of %s is not known here, so its bitrate stays as it is.",
                         task.encoder->factory().c_str(), task.feed.c_str()),
                        ("set its bitrate by notify::estimated-bitrate and adjust-encoders=false"));
  }
}

// Upstream from the branch's own sink pad, so that only this stream's encoder hears of it: from our
// sink pad, an event without SSRC would go through rtpfunnel to every encoder. Where no branch is
// known the event bears the SSRC, by which rtpfunnel and its like find the way.
void RtpBbrCc::ask_for_key_frames(const Errands& errands) {
  for (const auto& task : errands.key_frames) {
    const GstPadPtr branch = task.branch->lock();
    GstEventPtr event(gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 0));
    if (!branch) {
      gst_structure_set(gst_event_writable_structure(event.get()), "ssrc", G_TYPE_UINT,
                        static_cast<guint>(task.ssrc), nullptr);
    }
    gst_pad_push_event(branch ? branch.get() : sink_, event.release());
  }
}

void RtpBbrCc::warn_of_setup(const Errands& errands) {
  if (errands.no_extension) {
    GST_ELEMENT_WARNING(
        element_, STREAM, FORMAT,
        ("No packet bears the transport-wide sequence number, so the rate stays at start-bitrate."),
        ("add extmap-1=(string)%s to the caps behind the payloader", kTwccExtensionUri));
  }
  if (errands.no_reports) {
    GST_ELEMENT_WARNING(
        element_, STREAM, FORMAT, ("The receiver has sent no transport-wide feedback for 5 s."),
        ("its rtpsession needs caps with payload= and extmap-1=(string)%s, and its RTCP must reach "
         "recv_rtcp_sink",
         kTwccExtensionUri));
  }
}

}  // namespace farwheel
