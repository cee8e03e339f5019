#include "webrtc/station_link.h"

#include <malloc.h>

#include <algorithm>

GST_DEBUG_CATEGORY_EXTERN(farwheel_src_debug);
#define GST_CAT_DEFAULT farwheel_src_debug

namespace farwheel {
namespace {

// A vehicle behind a dead link may come back within its session until then.
constexpr GstClockTime kForgetAfter = 10 * GST_SECOND;
constexpr unsigned kTick = 25;

}  // namespace

StationLink::StationLink(std::shared_ptr<EventLoop> loop, StationLinkConfig config)
    : loop_(std::move(loop)), config_(std::move(config)) {}

std::string StationLink::start() {
  std::weak_ptr<StationLink> weak = weak_from_this();
  WhipServer::Handler handler;
  handler.offers_radar = config_.takes_radar;
  handler.on_offer = [weak](const std::string& vehicle_id, const std::string& offer,
                            std::shared_ptr<WhipResponder> responder) {
    if (auto self = weak.lock()) self->on_offer(vehicle_id, offer, std::move(responder));
  };
  handler.on_delete = [weak](const WhipPath& path) {
    auto self = weak.lock();
    return self && self->on_delete(path);
  };
  handler.knows = [weak](const WhipPath& path) {
    auto self = weak.lock();
    return self && self->knows(path);
  };
  server_ = std::make_unique<WhipServer>(config_.auth_token, std::move(handler));
  if (std::string error = server_->listen(config_.listen); !error.empty()) {
    server_.reset();
    return error;
  }
  watch_timer_ = loop_->call_every(kTick, [weak] {
    if (auto self = weak.lock()) self->watch();
  });
  std::lock_guard lock(mutex_);
  listening_ = server_->base_url();
  return {};
}

void StationLink::stop() {
  watch_timer_.cancel();
  end_session(Ending::kWaiting);
  server_.reset();
}

void StationLink::set_playing(bool playing) {
  playing_ = playing;
  // After a pause the session's clock no longer fits ours: the vehicle makes a new one.
  if (playing && session_) end_session(Ending::kLost);
}

void StationLink::on_offer(const std::string& vehicle_id, const std::string& offer,
                           std::shared_ptr<WhipResponder> responder) {
  if (!playing_) {
    responder->refuse_for_now(503, "the station is not playing", 1);
    return;
  }
  OfferResult read = read_offer(offer);
  if (!read.error.empty()) {
    GST_WARNING_OBJECT(config_.bin, "offer of %s refused: %s", vehicle_id.c_str(),
                       read.error.c_str());
    responder->refuse(read.sdp ? 422 : 400, read.error);
    return;
  }
  if (session_) {
    const SlotState slot{gst_util_get_timestamp(), session_->created_at(), session_->last_media()};
    if (!may_take_over(slot)) {
      responder->refuse_for_now(409, "vehicle " + session_->vehicle_id() + " is connected", 1);
      return;
    }
    end_session(Ending::kLost);
  }
  StationSessionConfig config;
  config.bin = config_.bin;
  config.vehicle_id = vehicle_id;
  config.ice = config_.ice;
  config.latency_ms = config_.latency_ms;
  config.offer = std::move(read);
  config.outlet_of = config_.outlet_of;
  config.unit_log = config_.unit_log;
  const GCharPtr random(g_uuid_string_random());
  session_id_ = random.get();
  const std::string location = "/whip/" + vehicle_id + "/" + session_id_;
  StationSession::Callbacks callbacks;
  callbacks.on_answer = [responder, location](const std::string& answer) {
    responder->accept(location, answer);
  };
  callbacks.on_failed = [weak = weak_from_this(), responder](const std::string& why) {
    responder->refuse(500, why);
    auto self = weak.lock();
    if (!self) return;
    GST_WARNING_OBJECT(self->config_.bin, "session failed: %s", why.c_str());
    self->end_session(Ending::kLost);
  };
  auto session = std::make_shared<StationSession>(loop_, std::move(config), std::move(callbacks));
  {
    std::lock_guard lock(mutex_);
    session_ = session;
    vehicle_id_ = vehicle_id;
    ++sessions_total_;
  }
  session->start();
}

bool StationLink::knows(const WhipPath& path) const {
  return session_ && path.session == session_id_ && path.vehicle_id == session_->vehicle_id();
}

bool StationLink::on_delete(const WhipPath& path) {
  if (!knows(path)) return false;
  // Not inside the server's handler: the reply need not wait for threads to end.
  loop_->post([weak = weak_from_this(), session = std::weak_ptr(session_)] {
    auto self = weak.lock();
    if (self && self->session_ && self->session_ == session.lock()) {
      self->end_session(Ending::kWaiting);
    }
  });
  return true;
}

void StationLink::end_session(Ending ending) {
  std::shared_ptr<StationSession> session;
  {
    std::lock_guard lock(mutex_);
    session = std::move(session_);
    session_.reset();
    ending_ = ending;
  }
  session_id_.clear();
  if (!session) return;
  session->stop();
  session.reset();
  // Each session's threads leave their arenas behind; without this memory creeps for hours.
  malloc_trim(0);
}

void StationLink::watch() {
  if (!session_) return;
  session_->tick();
  const GstClockTime now = gst_util_get_timestamp();
  const GstClockTime sign = std::max(session_->last_media(), session_->created_at());
  if (now > sign + kForgetAfter) end_session(Ending::kLost);
}

void StationLink::on_session_error(GstObject* source, const std::string& text) {
  std::shared_ptr<GstObject> held(GST_OBJECT(gst_object_ref(source)), gst_object_unref);
  loop_->post([weak = weak_from_this(), held, text] {
    auto self = weak.lock();
    if (!self || !self->session_ || !self->session_->contains(held.get())) return;
    GST_WARNING_OBJECT(self->config_.bin, "error inside the session: %s", text.c_str());
    self->end_session(Ending::kLost);
  });
}

StationLinkSnapshot StationLink::snapshot() const {
  StationLinkSnapshot snapshot;
  std::shared_ptr<StationSession> session;
  Ending ending;
  {
    std::lock_guard lock(mutex_);
    session = session_;
    ending = ending_;
    snapshot.listening = listening_;
    snapshot.vehicle_id = vehicle_id_;
    snapshot.sessions_total = sessions_total_;
  }
  if (!session) {
    snapshot.connection = ending == Ending::kLost ? "lost" : "waiting";
    return snapshot;
  }
  snapshot.sessions = 1;
  snapshot.report = session->report();
  const StationSessionReport& report = snapshot.report;
  snapshot.connection =
      to_string(health_of({gst_util_get_timestamp(), report.connected_at, report.last_media}));
  return snapshot;
}

}  // namespace farwheel
