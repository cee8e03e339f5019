#include "webrtc/whip_client.h"

#include <array>

#include "farwheel_config.h"
#include "webrtc/whip_rules.h"

namespace farwheel {
namespace {
constexpr unsigned kTimeoutSeconds = 3;
constexpr int kMaxRedirects = 3;
}  // namespace

struct WhipClient::Request {
  WhipClient* client = nullptr;  // not touched once cancelled
  const char* method = "OPTIONS";
  std::string url;
  std::string offer;
  Done done;
  int redirects = 0;
  GObjectPtr<SoupMessage> message;
  GObjectPtr<GInputStream> stream;
  std::array<char, kMaxWhipBody + 1> body;
};

WhipClient::WhipClient(std::string auth_token)
    : auth_token_(std::move(auth_token)),
      session_(soup_session_new_with_options("timeout", kTimeoutSeconds, "user-agent",
                                             "farwheel/" FARWHEEL_VERSION, "max-conns-per-host", 4,
                                             nullptr)),
      cancellable_(g_cancellable_new()) {}

WhipClient::~WhipClient() {
  g_cancellable_cancel(cancellable_.get());
  soup_session_abort(session_.get());
}

void WhipClient::ask_options(const std::string& url, Done done) {
  auto request = std::make_unique<Request>();
  request->url = url;
  request->done = std::move(done);
  send(std::move(request));
}

void WhipClient::post_offer(const std::string& url, const std::string& offer, Done done) {
  auto request = std::make_unique<Request>();
  request->method = SOUP_METHOD_POST;
  request->url = url;
  request->offer = offer;
  request->done = std::move(done);
  send(std::move(request));
}

void WhipClient::ask_session(const std::string& url, Done done) {
  auto request = std::make_unique<Request>();
  request->method = SOUP_METHOD_GET;
  request->url = url;
  request->done = std::move(done);
  send(std::move(request));
}

void WhipClient::delete_session(const std::string& url, Done done) {
  auto request = std::make_unique<Request>();
  request->method = SOUP_METHOD_DELETE;
  request->url = url;
  request->done = std::move(done);
  send(std::move(request));
}

void WhipClient::send(std::unique_ptr<Request> request) {
  request->client = this;
  request->message.reset(soup_message_new(request->method, request->url.c_str()));
  SoupMessage* message = request->message.get();
  if (!message) {
    const std::string error = "'" + request->url + "' is no URL";
    finish(std::move(request), {.error = error});
    return;
  }
  // We follow redirects ourselves, since plain HTTP must not leave loopback.
  soup_message_add_flags(message, SOUP_MESSAGE_NO_REDIRECT);
  SoupMessageHeaders* headers = soup_message_get_request_headers(message);
  soup_message_headers_append(headers, "Connection", "close");
  if (!auth_token_.empty()) {
    soup_message_headers_append(headers, "Authorization", ("Bearer " + auth_token_).c_str());
  }
  if (!request->offer.empty()) {
    std::unique_ptr<GBytes, Deleter<g_bytes_unref>> bytes(
        g_bytes_new(request->offer.data(), request->offer.size()));
    soup_message_set_request_body_from_bytes(message, "application/sdp", bytes.get());
  }
  soup_session_send_async(session_.get(), message, G_PRIORITY_DEFAULT, cancellable_.get(),
                          on_headers, request.release());
}

void WhipClient::on_headers(GObject* source, GAsyncResult* result, gpointer data) {
  std::unique_ptr<Request> request(static_cast<Request*>(data));
  GError* raw = nullptr;
  request->stream.reset(soup_session_send_finish(SOUP_SESSION(source), result, &raw));
  GErrorPtr error(raw);
  if (error) {
    if (g_error_matches(error.get(), G_IO_ERROR, G_IO_ERROR_CANCELLED)) return;
    const std::string text = request->url + ": " + error->message;
    finish(std::move(request), {.error = text});
    return;
  }
  Request* pending = request.release();
  g_input_stream_read_all_async(pending->stream.get(), pending->body.data(), pending->body.size(),
                                G_PRIORITY_DEFAULT, pending->client->cancellable_.get(), on_body,
                                pending);
}

void WhipClient::on_body(GObject* source, GAsyncResult* result, gpointer data) {
  std::unique_ptr<Request> request(static_cast<Request*>(data));
  gsize size = 0;
  GError* raw = nullptr;
  g_input_stream_read_all_finish(G_INPUT_STREAM(source), result, &size, &raw);
  GErrorPtr error(raw);
  if (error && g_error_matches(error.get(), G_IO_ERROR, G_IO_ERROR_CANCELLED)) return;
  SoupMessage* message = request->message.get();
  SoupMessageHeaders* headers = soup_message_get_response_headers(message);
  WhipReply reply;
  reply.status = soup_message_get_status(message);
  const char* location = soup_message_headers_get_one(headers, "Location");
  const bool redirect = reply.status == 307 || reply.status == 308;
  if (redirect && location && request->redirects < kMaxRedirects) {
    UrlResult target = resolve_location(request->url, location);
    if (target.error.empty()) {
      ++request->redirects;
      request->url = target.url;
      request->stream.reset();
      WhipClient* client = request->client;
      client->send(std::move(request));
      return;
    }
    reply.error = target.error;
  }
  if (const char* link = soup_message_headers_get_list(headers, "Link")) reply.link = link;
  if (error || size == request->body.size()) {
    reply.error = request->url + ": " + (error ? error->message : "the reply is over 64 kB");
  } else if (reply.status / 100 != 2 && reply.error.empty()) {
    reply.error = request->url + ": HTTP " + std::to_string(reply.status) + " " +
                  std::string(request->body.data(), std::min<gsize>(size, 200));
  } else if (!request->offer.empty() && reply.error.empty()) {
    const char* type = soup_message_headers_get_content_type(headers, nullptr);
    UrlResult session = location ? resolve_location(request->url, location) : UrlResult{};
    if (reply.status != 201 || !type || g_ascii_strcasecmp(type, "application/sdp") != 0) {
      reply.error = request->url + ": the reply to the offer is no application/sdp with 201";
    } else if (session.url.empty()) {
      reply.error = request->url + ": the 201 has no usable Location " + session.error;
    } else {
      reply.session_url = session.url;
      reply.body.assign(request->body.data(), size);
    }
  }
  finish(std::move(request), std::move(reply));
}

void WhipClient::finish(std::unique_ptr<Request> request, WhipReply reply) {
  Done done = std::move(request->done);
  request.reset();
  if (done) done(std::move(reply));
}

}  // namespace farwheel
