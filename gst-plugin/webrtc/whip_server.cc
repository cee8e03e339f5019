#include "webrtc/whip_server.h"

#include <cstring>

#include "farwheel_config.h"

namespace farwheel {
namespace {

constexpr unsigned kRequestSeconds = 5;

void set_reply(SoupServerMessage* message, unsigned status, const std::string& text) {
  soup_server_message_set_status(message, status, nullptr);
  if (!text.empty()) {
    const std::string line = text + "\n";
    soup_server_message_set_response(message, "text/plain", SOUP_MEMORY_COPY, line.data(),
                                     line.size());
  }
}

void close_after_reply(SoupServerMessage* message) {
  soup_message_headers_replace(soup_server_message_get_response_headers(message), "Connection",
                               "close");
}

// A request that is too large or too slow loses its connection; libsoup then ends the message.
void on_chunk(SoupServerMessage* message, GBytes*, gpointer) {
  if (soup_server_message_get_request_body(message)->length > static_cast<goffset>(kMaxWhipBody)) {
    HttpListener::cut(message);
  }
}

// A request that is not complete in time loses its connection. The timer goes with the message.
void arm_timeout(SoupServerMessage* message) {
  GSource* source = g_timeout_source_new_seconds(kRequestSeconds);
  g_source_set_callback(
      source,
      [](gpointer data) -> gboolean {
        HttpListener::cut(static_cast<SoupServerMessage*>(data));
        return G_SOURCE_REMOVE;
      },
      message, nullptr);
  g_source_attach(source, g_main_context_get_thread_default());
  g_object_set_data_full(G_OBJECT(message), "farwheel-timeout", source, [](gpointer data) {
    g_source_destroy(static_cast<GSource*>(data));
    g_source_unref(static_cast<GSource*>(data));
  });
}

void disarm_timeout(SoupServerMessage* message) {
  g_object_set_data(G_OBJECT(message), "farwheel-timeout", nullptr);
}

}  // namespace

WhipResponder::WhipResponder(SoupServerMessage* message)
    : message_(static_cast<SoupServerMessage*>(g_object_ref(message))) {
  soup_server_message_pause(message);
}

WhipResponder::~WhipResponder() {
  refuse(500, "the offer was not answered");
}

void WhipResponder::accept(const std::string& session_path, const std::string& answer) {
  if (!message_) return;
  soup_server_message_set_status(message_.get(), 201, nullptr);
  soup_message_headers_replace(soup_server_message_get_response_headers(message_.get()), "Location",
                               session_path.c_str());
  soup_server_message_set_response(message_.get(), "application/sdp", SOUP_MEMORY_COPY,
                                   answer.data(), answer.size());
  finish();
}

void WhipResponder::refuse(unsigned status, const std::string& why) {
  if (!message_) return;
  set_reply(message_.get(), status, why);
  finish();
}

void WhipResponder::refuse_for_now(unsigned status, const std::string& why, unsigned seconds) {
  if (!message_) return;
  soup_message_headers_replace(soup_server_message_get_response_headers(message_.get()),
                               "Retry-After", std::to_string(seconds).c_str());
  refuse(status, why);
}

void WhipResponder::finish() {
  soup_server_message_unpause(message_.get());
  message_.reset();
}

WhipServer::WhipServer(std::string auth_token, Handler handler)
    : auth_token_(std::move(auth_token)),
      handler_(std::move(handler)),
      server_(soup_server_new("server-header", "farwheel/" FARWHEEL_VERSION, nullptr)),
      listener_(server_.get()) {
  g_signal_connect(server_.get(), "request-started", G_CALLBACK(on_started), this);
  soup_server_add_early_handler(server_.get(), nullptr, on_early, this, nullptr);
  soup_server_add_handler(server_.get(), nullptr, on_request, this, nullptr);
}

WhipServer::~WhipServer() {
  g_signal_handlers_disconnect_by_data(server_.get(), this);
  soup_server_remove_handler(server_.get(), nullptr);
  soup_server_disconnect(server_.get());
}

std::string WhipServer::listen(const ListenAddress& address) {
  std::string error = listener_.listen(address);
  if (error.empty()) base_url_ = "http://" + listener_.authority();
  return error;
}

bool WhipServer::authorized(SoupServerMessage* message) const {
  if (auth_token_.empty()) return true;
  const char* value = soup_message_headers_get_one(soup_server_message_get_request_headers(message),
                                                   "Authorization");
  return value && bearer_matches(value, auth_token_);
}

void WhipServer::on_started(SoupServer*, SoupServerMessage* message, gpointer) {
  g_signal_connect(message, "got-chunk", G_CALLBACK(on_chunk), nullptr);
  g_signal_connect(message, "got-body", G_CALLBACK(disarm_timeout), nullptr);
  arm_timeout(message);
}

// Refuses by the headers alone, before a body is read.
void WhipServer::on_early(SoupServer*, SoupServerMessage* message, const char* path, GHashTable*,
                          gpointer data) {
  auto* self = static_cast<WhipServer*>(data);
  close_after_reply(message);
  SoupMessageHeaders* headers = soup_server_message_get_request_headers(message);
  const std::string_view method = soup_server_message_get_method(message);
  const bool changes = method == "POST" || method == "DELETE" || method == "PATCH";
  if (!parse_whip_path(path)) {
    set_reply(message, 404, "WHIP endpoints are /whip/<vehicle-id>");
  } else if (changes && !self->authorized(message)) {
    soup_message_headers_replace(soup_server_message_get_response_headers(message),
                                 "WWW-Authenticate", "Bearer");
    set_reply(message, 401, "a bearer token is needed, and this is not it");
  } else if (soup_message_headers_get_content_length(headers) >
             static_cast<goffset>(kMaxWhipBody)) {
    set_reply(message, 413, "the body is over 64 kB");
  } else if (method == "POST") {
    const char* type = soup_message_headers_get_content_type(headers, nullptr);
    if (!type || g_ascii_strcasecmp(type, "application/sdp") != 0) {
      set_reply(message, 415, "an offer has Content-Type: application/sdp");
    }
  }
  // A body that comes all the same is read and thrown away, so that the client can read our reply;
  // the request's time bounds it.
  if (soup_server_message_get_status(message) != 0) {
    soup_message_body_set_accumulate(soup_server_message_get_request_body(message), FALSE);
  }
}

void WhipServer::on_request(SoupServer*, SoupServerMessage* message, const char* path, GHashTable*,
                            gpointer data) {
  auto* self = static_cast<WhipServer*>(data);
  if (soup_server_message_get_status(message) != 0) return;  // refused early
  SoupMessageHeaders* reply = soup_server_message_get_response_headers(message);
  const std::string_view method = soup_server_message_get_method(message);
  const std::optional<WhipPath> where = parse_whip_path(path);
  if (!where) {
    set_reply(message, 404, "WHIP endpoints are /whip/<vehicle-id>");
  } else if (method == "OPTIONS") {
    soup_message_headers_replace(reply, "Accept-Post", "application/sdp");
    if (self->handler_.offers_radar) {
      const std::string link = std::string("<") + self->base_url_ + path + ">; rel=\"" +
                               kRadarLinkRel + "\"; version=\"1\"";
      soup_message_headers_append(reply, "Link", link.c_str());
    }
    set_reply(message, 200, {});
  } else if (method == "POST" && where->session.empty()) {
    SoupMessageBody* body = soup_server_message_get_request_body(message);
    std::unique_ptr<GBytes, Deleter<g_bytes_unref>> bytes(soup_message_body_flatten(body));
    gsize size = 0;
    const auto* text = static_cast<const char*>(g_bytes_get_data(bytes.get(), &size));
    if (size > kMaxWhipBody) {
      set_reply(message, 413, "the body is over 64 kB");
      return;
    }
    self->handler_.on_offer(where->vehicle_id, std::string(text ? text : "", size),
                            std::make_shared<WhipResponder>(message));
  } else if (method == "DELETE" && !where->session.empty()) {
    const bool known = self->handler_.on_delete(*where);
    set_reply(message, known ? 200 : 404, known ? "" : "there is no such session");
  } else if (method == "GET" || method == "HEAD") {
    const bool known = where->session.empty() || self->handler_.knows(*where);
    set_reply(message, known ? 204 : 404, known ? "" : "there is no such session");
  } else {
    soup_message_headers_replace(
        reply, "Allow", where->session.empty() ? "OPTIONS, POST, GET" : "OPTIONS, DELETE, GET");
    set_reply(message, 405, "this resource does not know the method");
  }
}

}  // namespace farwheel
