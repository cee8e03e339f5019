// The station's side of WHIP (RFC 9725 section 4) on libsoup 3: turns HTTP into calls of one
// handler. Lives on one EventLoop's thread. Closes each connection after its reply; bounds the body
// and the time a request may take; checks method, path, content type and bearer token.
#pragma once

#include <libsoup/soup.h>

#include <functional>
#include <memory>
#include <string>

#include "support/gst_ptr.h"
#include "webrtc/http_listener.h"
#include "webrtc/whip_rules.h"

namespace farwheel {

// The reply to one POST, to be given once, then or later; dropping it unanswered replies 500.
class WhipResponder {
 public:
  explicit WhipResponder(SoupServerMessage* message);
  ~WhipResponder();
  WhipResponder(const WhipResponder&) = delete;
  WhipResponder& operator=(const WhipResponder&) = delete;
  void accept(const std::string& session_path, const std::string& answer);
  void refuse(unsigned status, const std::string& why);
  // Asks to come again after `seconds`.
  void refuse_for_now(unsigned status, const std::string& why, unsigned seconds);

 private:
  void finish();
  GObjectPtr<SoupServerMessage> message_;
};

class WhipServer {
 public:
  struct Handler {
    std::function<void(std::string vehicle_id, std::string offer, std::shared_ptr<WhipResponder>)>
        on_offer;
    // TRUE if there was such a session; it is gone then.
    std::function<bool(const WhipPath&)> on_delete;
    // Asked by GET: does such a session live?
    std::function<bool(const WhipPath&)> knows;
    bool offers_radar = false;  // announce it in the reply to OPTIONS
  };

  // Empty `error` in the result means it listens. On the loop's thread.
  WhipServer(std::string auth_token, Handler handler);
  ~WhipServer();
  WhipServer(const WhipServer&) = delete;
  WhipServer& operator=(const WhipServer&) = delete;
  [[nodiscard]] std::string listen(const ListenAddress& address);
  // http://127.0.0.1:8080, with the port that was really taken; empty before listen().
  const std::string& base_url() const { return base_url_; }

 private:
  static void on_started(SoupServer*, SoupServerMessage* message, gpointer data);
  static void on_early(SoupServer*, SoupServerMessage* message, const char* path, GHashTable*,
                       gpointer data);
  static void on_request(SoupServer*, SoupServerMessage* message, const char* path, GHashTable*,
                         gpointer data);
  bool authorized(SoupServerMessage* message) const;

  std::string auth_token_;
  Handler handler_;
  std::string base_url_;
  GObjectPtr<SoupServer> server_;
  HttpListener listener_;
};

}  // namespace farwheel
