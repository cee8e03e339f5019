// The vehicle's side of WHIP (RFC 9725 section 4): OPTIONS, POST of an offer, GET, DELETE. Lives on one
// EventLoop's thread. Every request closes its connection, so that a process that reconnects for
// ever keeps its number of descriptors. No callback comes after destruction.
#pragma once

#include <libsoup/soup.h>

#include <functional>
#include <memory>
#include <string>

#include "support/gst_ptr.h"

namespace farwheel {

struct WhipReply {
  unsigned status = 0;      // HTTP status, 0: no answer at all
  std::string body;         // of a 201: the SDP answer
  std::string session_url;  // of a 201: resolved Location
  std::string link;         // Link headers, joined by ", "
  std::string error;        // not empty: what went wrong, and where
};

class WhipClient {
 public:
  using Done = std::function<void(WhipReply)>;

  // Call on the loop's thread: libsoup binds the session to the thread's default context.
  explicit WhipClient(std::string auth_token);
  ~WhipClient();
  WhipClient(const WhipClient&) = delete;
  WhipClient& operator=(const WhipClient&) = delete;

  void ask_options(const std::string& url, Done done);
  // Follows up to three 307/308 redirects within loopback. A 201 without SDP or Location is an
  // error.
  void post_offer(const std::string& url, const std::string& offer, Done done);
  // GET: is the session still there? 404 says that it is not.
  void ask_session(const std::string& url, Done done);
  void delete_session(const std::string& url, Done done);

 private:
  struct Request;
  void send(std::unique_ptr<Request> request);
  static void on_headers(GObject* source, GAsyncResult* result, gpointer data);
  static void on_body(GObject* source, GAsyncResult* result, gpointer data);
  static void finish(std::unique_ptr<Request> request, WhipReply reply);

  std::string auth_token_;
  GObjectPtr<SoupSession> session_;
  GObjectPtr<GCancellable> cancellable_;
};

}  // namespace farwheel
