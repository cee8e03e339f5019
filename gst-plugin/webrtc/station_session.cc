#include "webrtc/station_session.h"

#include <gst/rtp/rtp.h>
#include <gst/webrtc/webrtc.h>

#include <cstring>
#include <utility>

#include "webrtc/promise.h"
#include "webrtc/session_end.h"
#include "webrtc/telemetry.h"

GST_DEBUG_CATEGORY_EXTERN(farwheel_src_debug);
#define GST_CAT_DEFAULT farwheel_src_debug

namespace farwheel {
namespace {

constexpr unsigned kGatherMilliseconds = 1000;
// SRTP's tag, UDP and IPv4 around each RTP packet.
constexpr std::uint32_t kWireOverhead = 10 + 8 + 20;
constexpr GstClockTime kFreshState = GST_SECOND;
constexpr GstClockTime kEagerPings = GST_SECOND;
constexpr GstClockTime kEagerInterval = 50 * GST_MSECOND;
constexpr GstClockTime kPingInterval = 250 * GST_MSECOND;

std::int64_t signed_now() {
  return static_cast<std::int64_t>(gst_util_get_timestamp());
}

}  // namespace

// What a callback of webrtcbin holds: it may come when the session is gone.
struct StationSession::Hook {
  std::weak_ptr<StationSession> session;
  std::shared_ptr<EventLoop> loop;

  static gpointer make(StationSession* session) {
    return new Hook{session->weak_from_this(), session->loop_};
  }
  static void free(gpointer data, GClosure*) { delete static_cast<Hook*>(data); }
  static std::shared_ptr<StationSession> lock(gpointer data) {
    return static_cast<Hook*>(data)->session.lock();
  }
};

StationSession::StationSession(std::shared_ptr<EventLoop> loop, StationSessionConfig config,
                               Callbacks callbacks)
    : loop_(std::move(loop)),
      config_(std::move(config)),
      callbacks_(std::move(callbacks)),
      repair_wait_(config_.latency_ms),
      created_at_(gst_util_get_timestamp()) {}

void StationSession::start() {
  webrtcbin_ = gst_element_factory_make("webrtcbin", nullptr);
  if (!webrtcbin_) {
    fail("there is no element webrtcbin: install gstreamer1.0-plugins-bad and gstreamer1.0-nice");
    return;
  }
  gst_element_set_locked_state(webrtcbin_, TRUE);
  g_object_set(webrtcbin_, "bundle-policy", GST_WEBRTC_BUNDLE_POLICY_MAX_BUNDLE, nullptr);
  ice_agent_ = set_up_ice(webrtcbin_, config_.ice);
  {
    std::lock_guard lock(mutex_);
    ice_paths_ =
        std::make_shared<IcePaths>(nice_agent_of(ice_agent_.get()), IcePaths::Side::kStation);
  }
  std::weak_ptr<StationSession> weak = weak_from_this();
  RtpSetup::Watchers watchers;
  watchers.rtp = [weak](GstBuffer* buffer) {
    if (auto self = weak.lock()) self->on_packet(buffer);
  };
  if (config_.unit_log->is_open()) {
    watchers.media = [weak](GstBuffer* buffer) {
      if (auto self = weak.lock()) self->log_packet(buffer);
    };
  }
  rtp_setup_ = std::make_shared<RtpSetup>(std::move(watchers));
  rtp_setup_->attach(webrtcbin_);
  set_repair();
  connect_signals();
  gst_bin_add(config_.bin, webrtcbin_);
  gst_element_set_state(webrtcbin_, GST_STATE_PLAYING);
  for (const OfferedFeed& offered : config_.offer.feeds) {
    // Without a transceiver of its own an answer loses the header extensions, and with them all
    // feedback.
    GstWebRTCRTPTransceiver* transceiver = nullptr;
    g_signal_emit_by_name(webrtcbin_, "add-transceiver",
                          GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_RECVONLY, offered.codec_caps.get(),
                          &transceiver);
    if (transceiver) {
      g_object_set(transceiver, "do-nack", TRUE, nullptr);
      gst_object_unref(transceiver);
    }
    StationFeed::Config feed;
    feed.bin = config_.bin;
    feed.outlet = config_.outlet_of(offered);
    feed.kind = offered.kind;
    feed.ntp64_id = offered.ntp64_id;
    feed.name = offered.name;
    feed.unit_log = config_.unit_log;
    feed.from_vehicle_wall = [weak](std::uint64_t unix_ns) -> std::optional<CaptureStamp> {
      auto self = weak.lock();
      if (!self) return std::nullopt;
      const auto time = self->clock_.from_vehicle_wall(unix_ns, signed_now());
      if (!time || time->ns < 0) return std::nullopt;
      return CaptureStamp{static_cast<GstClockTime>(time->ns),
                          static_cast<GstClockTime>(time->error_ns)};
    };
    feeds_[offered.mline] = std::make_shared<StationFeed>(std::move(feed));
    if (std::string error = feeds_[offered.mline]->start(); !error.empty()) {
      fail(error);
      return;
    }
  }
  GstWebRTCSessionDescription* offer =
      gst_webrtc_session_description_new(GST_WEBRTC_SDP_TYPE_OFFER, config_.offer.sdp.release());
  const GstPromisePtr promise =
      promise_on(loop_, [weak](const GstStructure*, const std::string& error) {
        if (auto self = weak.lock()) self->on_remote_set(error);
      });
  g_signal_emit_by_name(webrtcbin_, "set-remote-description", offer, promise.get());
  gst_webrtc_session_description_free(offer);
}

void StationSession::connect_signals() {
  const auto flags = static_cast<GConnectFlags>(0);
  const auto notify = G_CALLBACK(+[](GObject*, GParamSpec*, gpointer data) {
    static_cast<Hook*>(data)->loop->post([weak = static_cast<Hook*>(data)->session] {
      if (auto self = weak.lock()) self->on_state();
    });
  });
  g_signal_connect_data(webrtcbin_, "notify::ice-gathering-state", notify, Hook::make(this),
                        Hook::free, flags);
  g_signal_connect_data(webrtcbin_, "notify::connection-state", notify, Hook::make(this),
                        Hook::free, flags);
  g_signal_connect_data(webrtcbin_, "pad-added",
                        G_CALLBACK(+[](GstElement*, GstPad* pad, gpointer data) {
                          if (auto self = Hook::lock(data)) self->on_pad(pad);
                        }),
                        Hook::make(this), Hook::free, flags);
  g_signal_connect_data(webrtcbin_, "on-data-channel",
                        G_CALLBACK(+[](GstElement*, GstWebRTCDataChannel* channel, gpointer data) {
                          if (auto self = Hook::lock(data)) self->on_channel(channel);
                        }),
                        Hook::make(this), Hook::free, flags);
}

void StationSession::on_remote_set(const std::string& error) {
  if (!webrtcbin_) return;
  if (!error.empty()) {
    fail("webrtcbin refuses the offer: " + error);
    return;
  }
  std::weak_ptr<StationSession> weak = weak_from_this();
  const GstPromisePtr promise =
      promise_on(loop_, [weak](const GstStructure* reply, const std::string& problem) {
        if (auto self = weak.lock()) self->on_answer_created(reply, problem);
      });
  g_signal_emit_by_name(webrtcbin_, "create-answer", nullptr, promise.get());
}

void StationSession::on_answer_created(const GstStructure* reply, const std::string& error) {
  if (!webrtcbin_) return;
  GstWebRTCSessionDescription* answer = nullptr;
  if (reply) {
    gst_structure_get(reply, "answer", GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &answer, nullptr);
  }
  if (!answer) {
    fail("webrtcbin made no answer: " + error);
    return;
  }
  std::weak_ptr<StationSession> weak = weak_from_this();
  const GstPromisePtr promise =
      promise_on(loop_, [weak](const GstStructure*, const std::string& problem) {
        auto self = weak.lock();
        if (!self) return;
        if (!problem.empty()) self->fail("webrtcbin refuses its own answer: " + problem);
        self->on_state();
      });
  g_signal_emit_by_name(webrtcbin_, "set-local-description", answer, promise.get());
  gst_webrtc_session_description_free(answer);
  gather_timeout_ = loop_->call_after(kGatherMilliseconds, [weak] {
    if (auto self = weak.lock()) self->publish_answer();
  });
}

void StationSession::publish_answer() {
  if (!webrtcbin_ || answer_published_) return;
  GstWebRTCSessionDescription* description = nullptr;
  g_object_get(webrtcbin_, "local-description", &description, nullptr);
  if (!description) return;
  answer_published_ = true;
  gather_timeout_.cancel();
  set_tool(description->sdp);
  const std::string text = sdp_text(description->sdp);
  gst_webrtc_session_description_free(description);
  if (const auto told = callbacks_.on_answer) told(text);
}

void StationSession::on_state() {
  if (!webrtcbin_) return;
  GstWebRTCICEGatheringState gathering = GST_WEBRTC_ICE_GATHERING_STATE_NEW;
  GstWebRTCPeerConnectionState connection = GST_WEBRTC_PEER_CONNECTION_STATE_NEW;
  GstWebRTCSignalingState signaling = GST_WEBRTC_SIGNALING_STATE_STABLE;
  g_object_get(webrtcbin_, "ice-gathering-state", &gathering, "connection-state", &connection,
               "signaling-state", &signaling, nullptr);
  if (gathering == GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE &&
      signaling == GST_WEBRTC_SIGNALING_STATE_STABLE) {
    publish_answer();
  }
  if (connection == GST_WEBRTC_PEER_CONNECTION_STATE_FAILED ||
      connection == GST_WEBRTC_PEER_CONNECTION_STATE_CLOSED) {
    fail("the connection failed (ICE or DTLS)");
  } else if (connection == GST_WEBRTC_PEER_CONNECTION_STATE_CONNECTED && connected_at_ == 0) {
    connected_at_ = gst_util_get_timestamp();
  }
}

void StationSession::fail(const std::string& why) {
  loop_->post([weak = weak_from_this(), why] {
    auto self = weak.lock();
    if (!self) return;
    // A copy: whoever is told may stop us, which forgets the callbacks.
    if (const auto told = self->callbacks_.on_failed) told(why);
  });
}

void StationSession::stop() {
  callbacks_ = {};
  gather_timeout_.cancel();
  if (!webrtcbin_) return;
  // The outlets first: a blocked console must not hold up webrtcbin's threads.
  GstElementPtr webrtcbin(GST_ELEMENT(gst_object_ref(webrtcbin_)));
  webrtcbin_ = nullptr;
  for (auto& [mline, feed] : feeds_) feed->stop();
  GObjectPtr<GstWebRTCDataChannel> channel;
  {
    std::lock_guard lock(mutex_);
    channel = std::move(channel_);
    ice_paths_.reset();
  }
  end_session(config_.bin, std::move(webrtcbin), std::move(channel));
  ice_agent_.reset();
}

bool StationSession::contains(GstObject* object) const {
  return webrtcbin_ && (object == GST_OBJECT(webrtcbin_) ||
                        gst_object_has_as_ancestor(object, GST_OBJECT(webrtcbin_)));
}

void StationSession::on_pad(GstPad* pad) {
  if (GST_PAD_DIRECTION(pad) != GST_PAD_SRC) return;
  GstWebRTCRTPTransceiver* transceiver = nullptr;
  g_object_get(pad, "transceiver", &transceiver, nullptr);
  if (!transceiver) return;
  guint mline = G_MAXUINT;
  g_object_get(transceiver, "mlineindex", &mline, nullptr);
  gst_object_unref(transceiver);
  const auto feed = feeds_.find(mline);
  if (feed == feeds_.end() || !feed->second->link(pad)) {
    GST_WARNING_OBJECT(pad, "media section %u sent a stream that nobody expects", mline);
  }
}

void StationSession::on_packet(GstBuffer* buffer) {
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  if (!gst_rtp_buffer_map(buffer, GST_MAP_READ, &rtp)) return;
  ReceivedPacket packet;
  packet.now_ns = signed_now();
  packet.ssrc = gst_rtp_buffer_get_ssrc(&rtp);
  packet.sequence = gst_rtp_buffer_get_seq(&rtp);
  packet.wire_bytes = static_cast<std::uint32_t>(gst_buffer_get_size(buffer)) + kWireOverhead;
  gst_rtp_buffer_unmap(&rtp);
  last_media_ = static_cast<GstClockTime>(packet.now_ns);
  std::lock_guard lock(mutex_);
  counters_.on_packet(packet);
}

void StationSession::log_packet(GstBuffer* buffer) const {
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  if (config_.offer.feeds.empty() || !gst_rtp_buffer_map(buffer, GST_MAP_READ, &rtp)) return;
  ArrivedPacket packet;
  packet.ssrc = gst_rtp_buffer_get_ssrc(&rtp);
  packet.sequence = gst_rtp_buffer_get_seq(&rtp);
  packet.marker = gst_rtp_buffer_get_marker(&rtp);
  packet.bytes = gst_buffer_get_size(buffer);
  gst_rtp_buffer_unmap(&rtp);
  // One number for all feeds: they share a transport (RFC 8843 section 9.2).
  packet.capture_unix_ns =
      capture_time_in(buffer, config_.offer.feeds.front().ntp64_id).value_or(0);
  config_.unit_log->arrived(packet);
}

void StationSession::on_channel(GstWebRTCDataChannel* channel) {
  GCharPtr label;
  gchar* raw = nullptr;
  g_object_get(channel, "label", &raw, nullptr);
  label.reset(raw);
  if (!label || std::strcmp(label.get(), "farwheel") != 0) return;
  {
    std::lock_guard lock(mutex_);
    if (channel_) return;
    channel_.reset(static_cast<GstWebRTCDataChannel*>(g_object_ref(channel)));
  }
  g_signal_connect_data(channel, "on-message-string",
                        G_CALLBACK(+[](GstWebRTCDataChannel*, const char* text, gpointer data) {
                          auto self = Hook::lock(data);
                          if (self && text) self->on_channel_message(text);
                        }),
                        Hook::make(this), Hook::free, static_cast<GConnectFlags>(0));
}

void StationSession::on_channel_message(const char* text) {
  const std::int64_t arrival = signed_now();
  const std::size_t size = std::strlen(text);
  channel_bytes_ += size;
  Message message = read_message({text, size});
  if (const auto* pong = std::get_if<PongMessage>(&message)) {
    clock_.on_pong(*pong, arrival);
  } else if (const auto* path = std::get_if<PathMessage>(&message)) {
    follow(*path);
  } else if (auto* state = std::get_if<StateMessage>(&message)) {
    clock_.on_state(*state);
    std::lock_guard lock(mutex_);
    controller_ = std::move(state->controller);
    last_state_ = static_cast<GstClockTime>(arrival);
  }
}

void StationSession::follow(const PathMessage& path) {
  std::shared_ptr<IcePaths> paths;
  {
    std::lock_guard lock(mutex_);
    paths = ice_paths_;
  }
  GST_INFO_OBJECT(config_.bin, "the vehicle sends from %s", path.address.c_str());
  if (!paths || paths->follow({path.address, path.port, path.priority})) return;
  GST_WARNING_OBJECT(config_.bin, "the vehicle changed to %s, which ICE does not know",
                     path.address.c_str());
}

void StationSession::tick() {
  if (!webrtcbin_ || connected_at_ == 0) return;
  if (!encrypted_) encrypted_ = rtp_setup_->is_encrypted(webrtcbin_);
  const GstClockTime now = gst_util_get_timestamp();
  for (const auto& [mline, feed] : feeds_) feed->ask_if_stuck(now);
  const auto rtt = clock_.latest_rtt_ns();
  bool changed = rtt && repair_wait_.on_round_trip(*rtt);
  changed |= repair_wait_.on_tick(static_cast<std::int64_t>(now),
                                  static_cast<std::int64_t>(last_media_.load()));
  if (changed) set_repair();
  if (now < next_ping_) return;
  GObjectPtr<GstWebRTCDataChannel> channel;
  {
    std::lock_guard lock(mutex_);
    if (!channel_) return;
    channel.reset(static_cast<GstWebRTCDataChannel*>(g_object_ref(channel_.get())));
  }
  next_ping_ = now + (now - connected_at_ < kEagerPings ? kEagerInterval : kPingInterval);
  const std::string text = write_message(clock_.ping(signed_now()));
  if (gst_webrtc_data_channel_send_string_full(channel.get(), text.c_str(), nullptr)) {
    channel_bytes_ += text.size();
  }
}

void StationSession::set_repair() {
  rtp_setup_->set_repair(webrtcbin_, repair_wait_.wait_ms(), repair_wait_.retry_ms());
  GST_DEBUG_OBJECT(config_.bin, "a missing packet is waited for %u ms, asked for each %u ms",
                   repair_wait_.wait_ms(), repair_wait_.retry_ms());
}

StationSessionReport StationSession::report() const {
  StationSessionReport report;
  const std::int64_t now = signed_now();
  report.connected_at = connected_at_;
  report.connected = report.connected_at != 0;
  report.encrypted = encrypted_;
  report.last_media = last_media_;
  report.channel_bytes = channel_bytes_;
  report.clock = clock_.estimate(now);
  report.clock_rtt_ns = clock_.latest_rtt_ns();
  report.skew_ppm = clock_.skew_ppm();
  std::lock_guard lock(mutex_);
  report.packets = counters_.packets();
  report.bytes = counters_.bytes();
  report.lost = counters_.lost();
  report.throughput_bps = counters_.throughput_bps(now);
  report.loss = counters_.loss(now);
  report.last_state = last_state_;
  if (!controller_) return report;
  report.controller.reset(gst_structure_copy(controller_.get()));
  gint64 raw = 0;
  // An old message tells nothing of the delay now.
  const bool fresh = static_cast<GstClockTime>(now) < last_state_ + kFreshState;
  if (fresh && report.clock && gst_structure_get_int64(controller_.get(), "owd-raw-p50-ns", &raw)) {
    const auto base =
        static_cast<std::int64_t>(gst_element_get_base_time(GST_ELEMENT(config_.bin)));
    report.one_way_delay = one_way_delay(raw, base, *report.clock);
  }
  return report;
}

}  // namespace farwheel
