// What the element rtpbbrcc does, behind its GObject shell (gst_rtp_bbr_cc.h).
//
// Threads. Streaming threads only enqueue. The src pad's task asks the controller what leaves when
// and pushes it. The RTCP thread brings reports. A control thread of the element's own, 10 ms apart
// and at once after a report, reads the driver's queue, sets encoders, asks for key frames,
// notifies: all that may run other people's code. One mutex guards everything marked so; it is
// never held while pushing, posting or notifying.
//
// Time is the GStreamer system clock (monotonic), which rtpsession stamps its records with as well.
#pragma once

#include <gst/gst.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "rtpbbrcc/driver_queue.h"
#include "rtpbbrcc/feed.h"
#include "rtpbbrcc/owd_window.h"
#include "rtpbbrcc/rtp_packet_view.h"
#include "rtpbbrcc/sequence_mirror.h"
#include "rtpbbrcc/stream_context.h"
#include "send_controller.h"
#include "support/gst_ptr.h"

namespace farwheel {

// What each packet costs on the link beyond its RTP bytes: IPv4 and UDP headers and the SRTP tag of
// AES_CM_128_HMAC_SHA1_80, DTLS-SRTP's default. Plain RTP pays 10 less, AES-GCM 6 more, IPv6 20
// more, a TURN channel 4 more: at most 3 % of a full packet.
inline constexpr std::int64_t kPacketOverhead = 20 + 8 + 10;

struct RtpBbrCcSettings {
  ControllerConfig controller;
  std::string params;
  bool adjust_encoders = true;
  std::string tx_interface;
};

class RtpBbrCc {
 public:
  // The pads belong to the element, which outlives this object.
  RtpBbrCc(GstElement* element, GstPad* sink, GstPad* src, GParamSpec* estimated_bitrate);
  ~RtpBbrCc();
  RtpBbrCc(const RtpBbrCc&) = delete;
  RtpBbrCc& operator=(const RtpBbrCc&) = delete;

  // ---- settings; any thread, any state
  RtpBbrCcSettings settings() const;
  void set_algorithm(Algorithm);
  void set_startup(StartupKind);
  void set_min_bitrate(DataRate);
  void set_max_bitrate(DataRate);
  void set_start_bitrate(DataRate);
  // A text that the controller refuses is reported as a warning and changes nothing.
  void set_params(const std::string& text);
  void set_adjust_encoders(bool adjust);
  void set_tx_interface(const std::string& name);
  DataRate estimated_bitrate() const;
  DataRate pacing_bitrate() const;
  GstStructurePtr stats() const;

  // ---- life: start() before the pads become active, stop() after they ceased to be
  void start();
  void stop();
  bool activate_sink(bool active);
  bool activate_src(bool active);

  // ---- streaming threads
  GstFlowReturn enqueue(GstBufferPtr buffer);
  bool sink_event(GstEventPtr event);
  bool sink_query(GstQuery* query);

  // ---- RTCP thread
  void on_twcc_event(GstEvent* event);
  // The path under the session is another one; any thread.
  void on_path_changed();
  // Downstream was linked anew.
  void on_reconfigure();

 private:
  struct Waiting {
    GstBufferPtr buffer;
    StreamContextPtr context;
    DataSize size = DataSize::zero();
    FeedId feed = 0;
    bool has_twcc = false;
    bool ends_unit = false;
  };
  // A serialized event leaves after every packet that came before it. `context`: it made this one.
  struct PendingEvent {
    GstEventPtr event;
    StreamContextPtr context;
    std::uint64_t after_tokens_below = 0;
  };
  // What the control thread does once it let go of the mutex.
  struct Errands {
    struct EncoderTask {
      std::shared_ptr<EncoderBitrate> encoder;
      DataRate bitrate;
      std::string feed;
    };
    struct Excess {
      std::string feed;
      std::string encoder;
      DataRate target;
      DataRate produced;
    };
    std::vector<EncoderTask> encoders;
    struct KeyFrameTask {
      std::shared_ptr<GstWeak<GstPad>> branch;
      std::uint32_t ssrc;
    };
    std::vector<KeyFrameTask> key_frames;
    // Payloaders that are told to cut smaller packets.
    std::optional<DataSize> packet_size_bound;
    std::vector<std::shared_ptr<GstWeak<GstElement>>> payloaders;
    std::vector<Excess> excesses;
    std::vector<GstBufferPtr> dropped;
    bool estimate_changed = false;
    bool no_extension = false;
    bool no_reports = false;
  };

  static void task_function(gpointer self);
  Timestamp clock_now() const;

  // All of these want the mutex.
  void reset_locked();
  // What each feed may put on the wire, and of that its encoder's part: the controller's targets
  // are of media, the properties' bound holds for packets with their headers.
  struct WireTarget {
    FeedId feed;
    DataRate wire;
    DataRate media;
  };
  std::vector<WireTarget> wire_targets_locked() const;
  DataRate estimate_locked() const;
  FeedConfig feed_config_locked(const Feed& feed) const;
  void renew_feeds_locked(Timestamp now);
  void clear_queue_locked(Timestamp now, std::vector<GstBufferPtr>& dropped);
  void collect_drops_locked(std::vector<GstBufferPtr>& dropped);
  void wake_pacer_locked();
  void wake_control_locked();
  bool event_is_due_locked(Timestamp now) const;
  void wait_locked(std::unique_lock<std::mutex>& lock, Timestamp now, const SendDecision& decision);
  void enqueue_locked(Timestamp now, GstBufferPtr buffer, const RtpPacketView& packet,
                      const StreamRoute& route, std::vector<GstBufferPtr>& dropped);

  // rtp_bbr_cc_pacing.cc; on the src pad's task
  void step();
  void deliver_event(std::unique_lock<std::mutex>& lock);
  void send_packet(std::unique_lock<std::mutex>& lock, std::uint64_t token);

  // rtp_bbr_cc_input.cc; on streaming threads
  StreamRoute discover(std::uint32_t ssrc, const RtpPacketView& packet);
  bool flush_start(GstEventPtr event);
  bool flush_stop(GstEventPtr event);
  bool drain();

  // rtp_bbr_cc_control.cc; on the control thread
  void control_loop();
  Errands plan_locked(Timestamp now);
  void plan_encoders_locked(Timestamp now, Errands& errands);
  void run(Timestamp now, const Errands& errands);
  void set_packet_sizes(const Errands& errands);
  void set_encoders(Timestamp now, const Errands& errands);
  void ask_for_key_frames(const Errands& errands);
  void warn_of_setup(const Errands& errands);

  GstElement* const element_;
  GstPad* const sink_;
  GstPad* const src_;
  GParamSpec* const estimated_bitrate_spec_;
  GstObjectPtr<GstClock> clock_;

  mutable std::mutex mutex_;
  std::condition_variable pacer_wake_;
  std::condition_variable control_wake_;
  std::condition_variable drained_;
  // ---- guarded by mutex_
  RtpBbrCcSettings settings_;
  std::unique_ptr<SendController> controller_;
  FeedTable feeds_;
  SequenceMirror mirror_;
  OwdWindow owd_;
  std::map<std::uint64_t, Waiting> waiting_;
  std::uint64_t next_token_ = 0;
  std::deque<PendingEvent> events_;
  StreamContextPtr context_;
  bool flushing_ = true;
  // What streaming threads are told; not OK also when the task has come to its end.
  GstFlowReturn flow_ = GST_FLOW_FLUSHING;
  bool eos_received_ = false;
  Timestamp eos_deadline_ = Timestamp::infinite_future();
  bool pacer_woken_ = false;
  bool control_woken_ = false;
  bool control_stops_ = false;
  std::optional<DataSize> driver_backlog_;
  std::string driver_interface_;
  bool interface_changed_ = true;
  DataRate notified_estimate_ = DataRate::zero();
  Timestamp notified_at_ = Timestamp::infinite_past();
  std::int64_t odd_reports_ = 0;
  std::int64_t bad_packets_ = 0;
  std::int64_t reports_ = 0;
  std::int64_t packets_without_twcc_ = 0;
  Timestamp first_sent_at_ = Timestamp::infinite_future();
  std::optional<DataSize> packet_size_bound_;  // as payloaders were told
  bool warned_extension_ = false;
  bool warned_reports_ = false;
  bool warned_odd_ = false;
  bool warned_bad_packet_ = false;

  // ---- the task's own
  PushedContext pushed_;
  // ---- the control thread's own
  std::thread control_;
  std::optional<DriverQueue> driver_queue_;
  Timestamp peer_sought_at_ = Timestamp::infinite_past();
  std::vector<std::string> unknown_encoders_;
};

}  // namespace farwheel

GST_DEBUG_CATEGORY_EXTERN(gst_rtp_bbr_cc_debug);
