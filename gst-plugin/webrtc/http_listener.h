// The listening socket of an HTTP server: accepts connections on one address and gives each to
// libsoup. Lives on one EventLoop's thread.
//
// Not libsoup's own listener: that of Debian 12 (3.2) keeps each accepted socket's object for ever.
#pragma once

#include <libsoup/soup.h>

#include <string>

#include "support/gst_ptr.h"
#include "webrtc/whip_rules.h"

namespace farwheel {

class HttpListener {
 public:
  explicit HttpListener(SoupServer* server) : server_(server) {}
  ~HttpListener();
  HttpListener(const HttpListener&) = delete;
  HttpListener& operator=(const HttpListener&) = delete;

  // Returns an empty string, or why it cannot listen and what to do.
  [[nodiscard]] std::string listen(const ListenAddress& address);
  // "127.0.0.1:8080" or "[::1]:8080", with the port that was really taken; empty before listen().
  [[nodiscard]] std::string authority() const;

  // Ends the connection that `message` came on, whatever state it is in.
  static void cut(SoupServerMessage* message);

 private:
  static gboolean on_readable(GSocket*, GIOCondition, gpointer self);
  void accept();

  SoupServer* server_;
  GObjectPtr<GSocket> socket_;
  GSource* source_ = nullptr;
};

}  // namespace farwheel
