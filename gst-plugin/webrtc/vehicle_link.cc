#include "webrtc/vehicle_link.h"

#include <malloc.h>

#include <algorithm>

#include "webrtc/whip_rules.h"

GST_DEBUG_CATEGORY_EXTERN(farwheel_sink_debug);
#define GST_CAT_DEFAULT farwheel_sink_debug

namespace farwheel {
namespace {

constexpr unsigned kFirstRetry = 120;
constexpr unsigned kLastRetry = 2000;
constexpr unsigned kTick = 100;
constexpr GstClockTime kConnectLimit = 6 * GST_SECOND;
// No RTCP and no data-channel message for so long: the station is asked whether it has the session.
constexpr GstClockTime kAskAfter = 1000 * GST_MSECOND;
constexpr GstClockTime kQuiet = 100 * GST_MSECOND;
constexpr GstClockTime kAskEvery = 500 * GST_MSECOND;
// It answers, yet its session stays silent.
constexpr GstClockTime kAnsweredLimit = 1500 * GST_MSECOND;
// It does not answer: the link is down, and may come back. Nobody is sent to for longer than 10 s.
constexpr GstClockTime kSilenceLimit = 8 * GST_SECOND;
constexpr unsigned kNoSuchSession = 404;
// A session that held so long was a good one: the next failure starts with a short wait again.
constexpr GstClockTime kGoodSession = 3 * GST_SECOND;

}  // namespace

VehicleLink::VehicleLink(std::shared_ptr<EventLoop> loop, VehicleLinkConfig config,
                         Callbacks callbacks)
    : loop_(std::move(loop)),
      config_(std::move(config)),
      uplink_(config_.session.uplink),
      callbacks_(std::move(callbacks)) {}

void VehicleLink::start() {
  client_ = std::make_unique<WhipClient>(config_.auth_token);
  watch_timer_ = loop_->call_every(kTick, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->watch();
  });
  attempt();
}

void VehicleLink::stop(std::function<void()> done) {
  stopped_ = true;
  watch_timer_.cancel();
  retry_timer_.cancel();
  callbacks_ = {};
  const std::string url = session_url_;
  end_session();
  if (url.empty() || !client_) {
    client_.reset();
    done();
    return;
  }
  client_->delete_session(url, [done](const WhipReply&) { done(); });
}

void VehicleLink::attempt() {
  since_ = gst_util_get_timestamp();
  connected_ = false;
  {
    std::lock_guard lock(mutex_);
    snapshot_.connection =
        snapshot_.sessions_total == 0 && last_trouble_.empty() ? "connecting" : "retrying";
  }
  const auto& feeds = config_.session.feeds;
  const bool wants_radar = std::any_of(feeds.begin(), feeds.end(), [](const SessionFeed& feed) {
    return feed.stream.kind == FeedKind::kRadar;
  });
  if (!wants_radar) {
    start_session(false);
    return;
  }
  client_->ask_options(config_.endpoint, [weak = weak_from_this()](const WhipReply& reply) {
    auto self = weak.lock();
    if (!self || self->stopped_) return;
    if (reply.status == 0) {
      self->fail(reply.error);
    } else {
      self->start_session(links_radar(reply.link));
    }
  });
}

void VehicleLink::prefer_uplink(const std::string& interface) {
  uplink_ = interface;
  if (session_) session_->prefer_uplink(interface);
}

void VehicleLink::start_session(bool with_radar) {
  GST_INFO_OBJECT(config_.session.bin, "new session, %s", with_radar ? "radar too" : "no radar");
  VehicleSessionConfig config = config_.session;
  config.uplink = uplink_;
  if (!with_radar) {
    const bool left_out = std::any_of(config.feeds.begin(), config.feeds.end(), [](const auto& f) {
      return f.stream.kind == FeedKind::kRadar;
    });
    if (left_out) {
      GST_WARNING_OBJECT(config.bin, "%s does not say that it takes radar: cameras only",
                         config_.endpoint.c_str());
    }
    std::erase_if(config.feeds,
                  [](const SessionFeed& feed) { return feed.stream.kind == FeedKind::kRadar; });
  }
  if (config.feeds.empty()) {
    fail("the station at " + config_.endpoint +
         " does not understand radar, and there is no camera");
    return;
  }
  std::weak_ptr<VehicleLink> weak = weak_from_this();
  VehicleSession::Callbacks callbacks;
  callbacks.on_offer = [weak](const std::string& offer) {
    if (auto self = weak.lock()) self->on_offer(offer);
  };
  callbacks.on_connected = [weak] {
    if (auto self = weak.lock()) self->on_connected();
  };
  callbacks.on_failed = [weak](const std::string& why) {
    if (auto self = weak.lock()) self->fail(why);
  };
  auto session = std::make_shared<VehicleSession>(loop_, std::move(config), std::move(callbacks));
  {
    std::lock_guard lock(mutex_);
    session_ = session;
  }
  session->start();
}

void VehicleLink::on_offer(const std::string& offer) {
  GST_INFO_OBJECT(config_.session.bin, "offering %u bytes to %s",
                  static_cast<unsigned>(offer.size()), config_.endpoint.c_str());
  GST_LOG_OBJECT(config_.session.bin, "%s", offer.c_str());
  std::weak_ptr<VehicleSession> for_session = session_;
  client_->post_offer(config_.endpoint, offer,
                      [weak = weak_from_this(), for_session](const WhipReply& reply) {
                        auto self = weak.lock();
                        if (!self) return;
                        auto session = for_session.lock();
                        if (!session || session != self->session_) {
                          // We gave up meanwhile: the station must not keep a slot for it.
                          if (!reply.session_url.empty()) {
                            self->client_->delete_session(reply.session_url, nullptr);
                          }
                          return;
                        }
                        self->slot_taken_ = reply.status == 409;
                        if (!reply.error.empty()) {
                          self->fail(reply.error);
                          return;
                        }
                        self->session_url_ = reply.session_url;
                        GST_INFO_OBJECT(self->config_.session.bin, "answered");
                        GST_LOG_OBJECT(self->config_.session.bin, "%s", reply.body.c_str());
                        session->set_answer(reply.body);
                      });
}

void VehicleLink::on_connected() {
  connected_ = true;
  since_ = gst_util_get_timestamp();
  last_trouble_.clear();
  {
    std::lock_guard lock(mutex_);
    snapshot_.connection = "connected";
    snapshot_.session_url = session_url_;
    ++snapshot_.sessions_total;
  }
  GST_INFO_OBJECT(config_.session.bin, "connected: %s", session_url_.c_str());
}

void VehicleLink::fail(const std::string& why) {
  GST_INFO_OBJECT(config_.session.bin, "session ends: %s", why.c_str());
  if (connected_ && gst_util_get_timestamp() - since_ > kGoodSession) backoff_ms_ = 0;
  const std::string url = session_url_;
  end_session();
  if (!url.empty()) client_->delete_session(url, nullptr);
  if (why != last_trouble_ && callbacks_.on_trouble) callbacks_.on_trouble(why);
  last_trouble_ = why;
  {
    std::lock_guard lock(mutex_);
    snapshot_.connection = "retrying";
  }
  retry_later();
}

void VehicleLink::retry_later() {
  // A slot held by our own dead predecessor is free within a fraction of a second.
  const unsigned limit = slot_taken_ ? 250 : kLastRetry;
  backoff_ms_ = std::clamp(backoff_ms_ * 2, kFirstRetry, limit);
  slot_taken_ = false;
  retry_timer_ = loop_->call_after(backoff_ms_, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->attempt();
  });
}

void VehicleLink::end_session() {
  std::shared_ptr<VehicleSession> session;
  {
    std::lock_guard lock(mutex_);
    session = std::move(session_);
    session_.reset();
    snapshot_.encrypted = false;
    snapshot_.session_url.clear();
  }
  session_url_.clear();
  connected_ = false;
  asking_ = false;
  answered_at_ = GST_CLOCK_TIME_NONE;
  if (!session) return;
  session->stop();
  earlier_channel_bytes_ += session->datachannel_bytes();
  earlier_path_checks_ += session->path_checks();
  earlier_uplink_changes_ += session->uplink_changes();
  // Each session's threads leave their arenas behind; without this memory creeps for hours.
  malloc_trim(0);
}

void VehicleLink::watch() {
  if (!session_) return;
  const GstClockTime now = gst_util_get_timestamp();
  if (!connected_) {
    if (now - since_ > kConnectLimit) fail("no connection within 6 s of the attempt");
    return;
  }
  const GstClockTime sign = std::max(session_->last_sign(), since_);
  if (now > sign && now - sign > kAskAfter) {
    watch_silence(now, now - sign);
    if (!session_) return;
  } else {
    answered_at_ = GST_CLOCK_TIME_NONE;
  }
  const bool encrypted = session_->is_encrypted();
  GstStructurePtr stats;
  if (callbacks_.controller_stats) stats = callbacks_.controller_stats();
  // What nobody acknowledges would fill SCTP's window, and a change of path must pass it.
  if (now < sign + kQuiet) session_->send_state(stats.get());
  std::lock_guard lock(mutex_);
  snapshot_.encrypted = encrypted;
  snapshot_.datachannel_bytes = earlier_channel_bytes_ + session_->datachannel_bytes();
  snapshot_.path_checks = earlier_path_checks_ + session_->path_checks();
  snapshot_.uplink_changes = earlier_uplink_changes_ + session_->uplink_changes();
}

void VehicleLink::watch_silence(GstClockTime now, GstClockTime silent_for) {
  if (silent_for > kSilenceLimit) {
    fail("no sign of the station for 8 s");
    return;
  }
  if (GST_CLOCK_TIME_IS_VALID(answered_at_) && now - answered_at_ > kAnsweredLimit) {
    fail("the station answers, but nothing of the session comes through");
    return;
  }
  if (asking_ || now - asked_at_ < kAskEvery || session_url_.empty()) return;
  asking_ = true;
  asked_at_ = now;
  client_->ask_session(session_url_, [weak = weak_from_this(), now](const WhipReply& reply) {
    if (auto self = weak.lock()) self->on_session_asked(now, reply);
  });
}

void VehicleLink::on_session_asked(GstClockTime asked_at, const WhipReply& reply) {
  if (asked_at != asked_at_ || !asking_) return;  // about an earlier session
  asking_ = false;
  if (!session_ || !connected_ || stopped_ || reply.status == 0) return;
  if (reply.status == kNoSuchSession) {
    fail("the station does not know the session any more");
  } else if (!GST_CLOCK_TIME_IS_VALID(answered_at_)) {
    answered_at_ = gst_util_get_timestamp();
  }
}

void VehicleLink::on_session_error(GstObject* source, const std::string& text) {
  std::shared_ptr<GstObject> held(GST_OBJECT(gst_object_ref(source)), gst_object_unref);
  loop_->post([weak = weak_from_this(), held, text] {
    auto self = weak.lock();
    if (self && self->session_ && self->session_->contains(held.get())) {
      self->fail("error inside the session: " + text);
    }
  });
}

VehicleLinkSnapshot VehicleLink::snapshot() const {
  std::lock_guard lock(mutex_);
  return snapshot_;
}

}  // namespace farwheel
