#include "webrtc/vehicle_session.h"

#include <gst/webrtc/webrtc.h>

#include <cstring>
#include <utility>

#include "webrtc/feed_gate.h"
#include "webrtc/promise.h"
#include "webrtc/session_end.h"
#include "webrtc/telemetry.h"

GST_DEBUG_CATEGORY_EXTERN(farwheel_sink_debug);
#define GST_CAT_DEFAULT farwheel_sink_debug

namespace farwheel {
namespace {

constexpr unsigned kGatherMilliseconds = 1000;
constexpr unsigned kPathTick = 25;
constexpr GstClockTime kTellInterval = 50 * GST_MSECOND;

std::string text_of(const NiceAddress& address) {
  char text[NICE_ADDRESS_STRING_LEN] = "";
  nice_address_to_string(&address, text);
  return text;
}

}  // namespace

// What a callback of webrtcbin holds: it may come when the session is gone.
struct VehicleSession::Hook {
  std::weak_ptr<VehicleSession> session;
  std::shared_ptr<EventLoop> loop;

  static gpointer make(VehicleSession* session) {
    return new Hook{session->weak_from_this(), session->loop_};
  }
  static void free(gpointer data, GClosure*) { delete static_cast<Hook*>(data); }
  template <typename Work>
  static void hop(gpointer data, Work work) {
    const auto* hook = static_cast<Hook*>(data);
    hook->loop->post([weak = hook->session, work] {
      if (auto session = weak.lock()) work(*session);
    });
  }
};

VehicleSession::VehicleSession(std::shared_ptr<EventLoop> loop, VehicleSessionConfig config,
                               Callbacks callbacks)
    : loop_(std::move(loop)), config_(std::move(config)), callbacks_(std::move(callbacks)) {}

void VehicleSession::start() {
  webrtcbin_ = gst_element_factory_make("webrtcbin", nullptr);
  if (!webrtcbin_) {
    fail("there is no element webrtcbin: install gstreamer1.0-plugins-bad and gstreamer1.0-nice");
    return;
  }
  // Its state is this session's affair; the bin's own changes pass it by.
  gst_element_set_locked_state(webrtcbin_, TRUE);
  g_object_set(webrtcbin_, "bundle-policy", GST_WEBRTC_BUNDLE_POLICY_MAX_BUNDLE, nullptr);
  ice_agent_ = set_up_ice(webrtcbin_, config_.ice);
  std::weak_ptr<VehicleSession> weak = weak_from_this();
  rtp_setup_ = std::make_shared<RtpSetup>(RtpSetup::Watchers{nullptr, [weak](GstBuffer*) {
                                                               if (auto self = weak.lock())
                                                                 self->last_sign_ =
                                                                     gst_util_get_timestamp();
                                                             }});
  rtp_setup_->attach(webrtcbin_);
  const auto flags = static_cast<GConnectFlags>(0);
  g_signal_connect_data(webrtcbin_, "request-aux-sender",
                        G_CALLBACK(+[](GstElement*, GObject*, gpointer data) -> GstElement* {
                          auto session = static_cast<Hook*>(data)->session.lock();
                          if (!session || !session->config_.make_rate_controller) return nullptr;
                          return session->config_.make_rate_controller();
                        }),
                        Hook::make(this), Hook::free, flags);
  const auto notify = G_CALLBACK(+[](GObject*, GParamSpec*, gpointer data) {
    Hook::hop(data, [](VehicleSession& session) { session.on_state(); });
  });
  g_signal_connect_data(webrtcbin_, "notify::ice-gathering-state", notify, Hook::make(this),
                        Hook::free, flags);
  g_signal_connect_data(webrtcbin_, "notify::connection-state", notify, Hook::make(this),
                        Hook::free, flags);
  gst_bin_add(config_.bin, webrtcbin_);
  for (const SessionFeed& feed : config_.feeds) add_feed(feed);
  gst_element_set_state(webrtcbin_, GST_STATE_PLAYING);
  add_channel();
  const GstPromisePtr promise =
      promise_on(loop_, [weak](const GstStructure* reply, const std::string& error) {
        if (auto self = weak.lock()) self->on_offer_created(reply, error);
      });
  g_signal_emit_by_name(webrtcbin_, "create-offer", nullptr, promise.get());
}

void VehicleSession::add_feed(const SessionFeed& feed) {
  GstCapsPtr caps = sent_feed_caps(feed.stream);
  GstPadTemplate* pad_template = gst_element_get_pad_template(webrtcbin_, "sink_%u");
  GstPadPtr sink(gst_element_request_pad(webrtcbin_, pad_template, nullptr, caps.get()));
  GstPadPtr src(gst_element_get_static_pad(feed.gate, "src"));
  if (!sink || GST_PAD_LINK_FAILED(gst_pad_link(src.get(), sink.get()))) {
    fail("cannot link feed " + feed.name + " to webrtcbin");
    return;
  }
  // The station names its pads by this.
  g_object_set(sink.get(), "msid", feed.name.c_str(), nullptr);
  GstWebRTCRTPTransceiver* transceiver = nullptr;
  g_object_get(sink.get(), "transceiver", &transceiver, nullptr);
  if (!transceiver) return;
  g_object_set(transceiver, "codec-preferences", caps.get(), "direction",
               GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_SENDONLY, "do-nack",
               static_cast<gboolean>(config_.retransmit), nullptr);
  gst_object_unref(transceiver);
}

void VehicleSession::add_channel() {
  GstStructurePtr options(gst_structure_new("options", "ordered", G_TYPE_BOOLEAN, FALSE,
                                            "max-retransmits", G_TYPE_INT, 0, nullptr));
  GstWebRTCDataChannel* channel = nullptr;
  g_signal_emit_by_name(webrtcbin_, "create-data-channel", "farwheel", options.get(), &channel);
  channel_.reset(channel);
  if (!channel) return;  // the session lives without; then nobody sees our state
  g_signal_connect_data(
      channel, "on-message-string",
      G_CALLBACK(+[](GstWebRTCDataChannel* from, const char* text, gpointer data) {
        auto session = static_cast<Hook*>(data)->session.lock();
        if (session && text) session->on_channel_message(from, text);
      }),
      Hook::make(this), Hook::free, static_cast<GConnectFlags>(0));
}

void VehicleSession::on_offer_created(const GstStructure* reply, const std::string& error) {
  if (!webrtcbin_) return;
  GstWebRTCSessionDescription* offer = nullptr;
  if (reply) {
    gst_structure_get(reply, "offer", GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &offer, nullptr);
  }
  if (!offer) {
    fail("webrtcbin made no offer: " + error);
    return;
  }
  std::weak_ptr<VehicleSession> weak = weak_from_this();
  const GstPromisePtr promise =
      promise_on(loop_, [weak](const GstStructure*, const std::string& problem) {
        auto self = weak.lock();
        if (!self) return;
        if (!problem.empty()) self->fail("webrtcbin refuses its own offer: " + problem);
        self->on_state();
      });
  g_signal_emit_by_name(webrtcbin_, "set-local-description", offer, promise.get());
  gst_webrtc_session_description_free(offer);
  gather_timeout_ = loop_->call_after(kGatherMilliseconds, [weak] {
    if (auto self = weak.lock()) self->publish_offer();
  });
}

void VehicleSession::publish_offer() {
  if (!webrtcbin_ || offer_published_) return;
  GstWebRTCSessionDescription* description = nullptr;
  g_object_get(webrtcbin_, "local-description", &description, nullptr);
  if (!description) {
    fail("webrtcbin has no local description after gathering");
    return;
  }
  offer_published_ = true;
  gather_timeout_.cancel();
  set_tool(description->sdp);
  for (const SessionFeed& feed : config_.feeds) {
    if (feed.stream.kind == FeedKind::kCamera) {
      set_profile(description->sdp, feed.stream.payload, feed_gate_profile(feed.gate));
    }
  }
  const std::string text = sdp_text(description->sdp);
  gst_webrtc_session_description_free(description);
  if (const auto told = callbacks_.on_offer) told(text);
}

void VehicleSession::set_answer(const std::string& text) {
  if (!webrtcbin_) return;
  const auto sections = static_cast<unsigned>(config_.feeds.size()) + (channel_ ? 1 : 0);
  std::string error;
  SdpPtr sdp = read_answer(text, sections, &error);
  if (!sdp) {
    fail(error);
    return;
  }
  read_credentials(sdp.get());
  GstWebRTCSessionDescription* answer =
      gst_webrtc_session_description_new(GST_WEBRTC_SDP_TYPE_ANSWER, sdp.release());
  std::weak_ptr<VehicleSession> weak = weak_from_this();
  const GstPromisePtr promise =
      promise_on(loop_, [weak](const GstStructure*, const std::string& problem) {
        auto self = weak.lock();
        if (self && !problem.empty()) self->fail("webrtcbin refuses the answer: " + problem);
      });
  g_signal_emit_by_name(webrtcbin_, "set-remote-description", answer, promise.get());
  gst_webrtc_session_description_free(answer);
}

void VehicleSession::on_state() {
  if (!webrtcbin_) return;
  GstWebRTCICEGatheringState gathering = GST_WEBRTC_ICE_GATHERING_STATE_NEW;
  GstWebRTCPeerConnectionState connection = GST_WEBRTC_PEER_CONNECTION_STATE_NEW;
  g_object_get(webrtcbin_, "ice-gathering-state", &gathering, "connection-state", &connection,
               nullptr);
  if (gathering == GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE) publish_offer();
  if (connection == GST_WEBRTC_PEER_CONNECTION_STATE_FAILED ||
      connection == GST_WEBRTC_PEER_CONNECTION_STATE_CLOSED) {
    fail("the connection failed (ICE or DTLS)");
    return;
  }
  if (connection != GST_WEBRTC_PEER_CONNECTION_STATE_CONNECTED || connected_) return;
  connected_ = true;
  // rtpsession does not stamp its reports before it knows the latency, which nobody outside tells
  // it.
  gst_element_send_event(webrtcbin_, gst_event_new_latency(0));
  for (const SessionFeed& feed : config_.feeds) open_feed_gate(feed.gate);
  connected_at_ = gst_util_get_timestamp();
  path_check_ = std::make_unique<PathCheck>(nice_agent_of(ice_agent_.get()), credentials_);
  ice_paths_ =
      std::make_unique<IcePaths>(nice_agent_of(ice_agent_.get()), IcePaths::Side::kVehicle);
  uplink_plan_.want(config_.uplink);
  route_events_ = std::make_unique<RouteEvents>(*loop_, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->plan_uplink();
  });
  if (!route_events_->works()) {
    GST_WARNING_OBJECT(config_.bin, "no netlink socket: uplinks are left at silence only");
  }
  plan_uplink();
  path_timer_ = loop_->call_every(kPathTick, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->watch_path();
  });
  if (const auto told = callbacks_.on_connected) told();
}

void VehicleSession::read_credentials(const GstSDPMessage* answer) {
  GstWebRTCSessionDescription* offer = nullptr;
  g_object_get(webrtcbin_, "local-description", &offer, nullptr);
  if (!offer) return;
  credentials_ = ice_credentials(offer->sdp, answer);
  gst_webrtc_session_description_free(offer);
}

void VehicleSession::watch_path() {
  if (!webrtcbin_ || last_sign() < connected_at_) return;  // no sign yet: it is still being set up
  const GstClockTime now = gst_util_get_timestamp();
  watch_uplinks(now);
  switch (path_check_->watch(now, last_sign())) {
    case PathCheck::Event::kNothing:
      break;
    case PathCheck::Event::kSilent:
      GST_INFO_OBJECT(config_.bin, "the station is silent; checking the path until it answers");
      break;
    case PathCheck::Event::kCannotCheck:
      GST_WARNING_OBJECT(config_.bin,
                         "the station is silent, and ICE's pair cannot be checked (relayed, or no "
                         "credentials): waiting for it");
      break;
    case PathCheck::Event::kBack:
      GST_INFO_OBJECT(config_.bin, "the path works again after %u ms of silence",
                      static_cast<unsigned>(path_check_->silence() / GST_MSECOND));
      break;
  }
}

void VehicleSession::watch_uplinks(GstClockTime now) {
  if (told_path_) tell_path(now);
  if (!uplink_choice_.is_due(now, last_sign())) return;
  const std::vector<IcePath> paths = ice_paths_->all();
  const auto current = ice_paths_->current(paths);
  if (!current) return;
  const auto next = uplink_choice_.next(now, last_sign(), *current, paths.size());
  if (!next) return;
  change_uplink(paths[*next], text_of(paths[*current].local) + " has been silent for " +
                                  std::to_string((now - last_sign()) / GST_MSECOND) + " ms");
}

// The kernel's links, addresses or routes changed, or the application's wish did.
void VehicleSession::plan_uplink() {
  if (!webrtcbin_ || !ice_paths_) return;
  const std::vector<IcePath> paths = ice_paths_->all();
  const auto current = ice_paths_->current(paths);
  // Never on one of them: loopback, or a relay. There is nothing to plan.
  has_uplink_ = has_uplink_ || current;
  if (!has_uplink_) return;
  std::vector<UplinkPlan::Uplink> uplinks;
  for (const IcePath& path : paths) uplinks.push_back(path.uplink);
  const auto next = uplink_plan_.next(uplinks, current);
  if (paths.empty() && ice_paths_->has_new_address()) {
    fail("none of the session's addresses is left, and a new one is there");
  }
  if (!next) return;
  uplink_choice_.changed(gst_util_get_timestamp());
  change_uplink(paths[*next], "planned, by routes or wish");
}

void VehicleSession::prefer_uplink(const std::string& interface) {
  uplink_plan_.want(interface);
  plan_uplink();
}

void VehicleSession::change_uplink(const IcePath& path, const std::string& why) {
  const GstClockTime now = gst_util_get_timestamp();
  // The station takes no media from a source that never sent it a check.
  (void)path_check_->send(path.local, path.remote);
  if (!ice_paths_->use(path)) {
    GST_WARNING_OBJECT(config_.bin, "ICE refuses to change to uplink %s",
                       text_of(path.local).c_str());
    return;
  }
  ++uplink_changes_;
  GST_WARNING_OBJECT(config_.bin, "%s: changed to uplink %s (%s)", why.c_str(),
                     text_of(path.local).c_str(), path.uplink.interface.c_str());
  told_path_ = path;
  told_at_ = 0;
  if (config_.path_changed) config_.path_changed();
  tell_path(now);
}

void VehicleSession::tell_path(GstClockTime now) {
  if (last_sign() > uplink_choice_.changed_at()) {
    told_path_.reset();
    return;
  }
  if (!channel_ || now < told_at_ + kTellInterval) return;
  // The first check may be lost, and with it all media until the next.
  if (told_at_ != 0) (void)path_check_->send();
  told_at_ = now;
  send(channel_.get(), write_message(PathMessage{
                           text_of(told_path_->local),
                           static_cast<std::uint16_t>(nice_address_get_port(&told_path_->local)),
                           path_check_->priority()}));
}

void VehicleSession::fail(const std::string& why) {
  // By way of the loop: whoever is told may stop us, which is not for the middle of a call.
  loop_->post([weak = weak_from_this(), why] {
    auto self = weak.lock();
    if (!self) return;
    // A copy: whoever is told may stop us, which forgets the callbacks.
    if (const auto told = self->callbacks_.on_failed) told(why);
  });
}

void VehicleSession::stop() {
  callbacks_ = {};
  gather_timeout_.cancel();
  path_timer_.cancel();
  if (!webrtcbin_) return;
  // Nothing of ours holds the agent when webrtcbin takes it apart.
  path_checks_ = path_checks();
  route_events_.reset();
  path_check_.reset();
  ice_paths_.reset();
  for (const SessionFeed& feed : config_.feeds) close_feed_gate(feed.gate);
  GstElementPtr webrtcbin(GST_ELEMENT(gst_object_ref(webrtcbin_)));
  webrtcbin_ = nullptr;
  end_session(config_.bin, std::move(webrtcbin), std::move(channel_));
  ice_agent_.reset();
}

bool VehicleSession::contains(GstObject* object) const {
  return webrtcbin_ && (object == GST_OBJECT(webrtcbin_) ||
                        gst_object_has_as_ancestor(object, GST_OBJECT(webrtcbin_)));
}

void VehicleSession::send(GstWebRTCDataChannel* channel, const std::string& text) {
  if (gst_webrtc_data_channel_send_string_full(channel, text.c_str(), nullptr)) {
    channel_bytes_ += text.size();
  }
}

void VehicleSession::send_state(const GstStructure* controller_stats) {
  if (!channel_) return;
  GstWebRTCDataChannelState state = GST_WEBRTC_DATA_CHANNEL_STATE_CLOSED;
  g_object_get(channel_.get(), "ready-state", &state, nullptr);
  if (state != GST_WEBRTC_DATA_CHANNEL_STATE_OPEN) return;
  StateHeader header{config_.vehicle_id, static_cast<std::int64_t>(gst_util_get_timestamp()),
                     g_get_real_time() * 1000};
  send(channel_.get(), write_state(header, controller_stats));
}

void VehicleSession::on_channel_message(GstWebRTCDataChannel* channel, const char* text) {
  const auto arrival = static_cast<std::int64_t>(gst_util_get_timestamp());
  const std::size_t size = std::strlen(text);
  channel_bytes_ += size;
  last_sign_ = static_cast<GstClockTime>(arrival);
  const Message message = read_message({text, size});
  const auto* ping = std::get_if<PingMessage>(&message);
  if (!ping) return;
  PongMessage pong{ping->id, ping->t1, arrival, 0, g_get_real_time() * 1000};
  pong.t3 = static_cast<std::int64_t>(gst_util_get_timestamp());
  send(channel, write_message(pong));
}

}  // namespace farwheel
