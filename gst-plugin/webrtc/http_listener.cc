#include "webrtc/http_listener.h"

#include <gio/gio.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

namespace farwheel {
namespace {

constexpr int kBacklog = 64;
constexpr char kSocketKey[] = "farwheel-socket";

}  // namespace

HttpListener::~HttpListener() {
  if (!source_) return;
  g_source_destroy(source_);
  g_source_unref(source_);
}

std::string HttpListener::listen(const ListenAddress& address) {
  GObjectPtr<GSocketAddress> wanted(
      g_inet_socket_address_new_from_string(address.host.c_str(), address.port));
  const std::string where = address.host + ":" + std::to_string(address.port);
  if (!wanted) return "cannot listen on " + where + ": bad address; give an IP address and a port";
  GError* raw = nullptr;
  socket_.reset(g_socket_new(g_socket_address_get_family(wanted.get()), G_SOCKET_TYPE_STREAM,
                             G_SOCKET_PROTOCOL_TCP, &raw));
  if (socket_) g_socket_set_listen_backlog(socket_.get(), kBacklog);
  if (!socket_ || !g_socket_bind(socket_.get(), wanted.get(), TRUE, &raw) ||
      !g_socket_listen(socket_.get(), &raw)) {
    GErrorPtr error(raw);
    socket_.reset();
    return "cannot listen on " + where + ": " + error->message +
           "; is another station running? Set listen to another port, or to port 0 for any";
  }
  g_socket_set_blocking(socket_.get(), FALSE);
  source_ = g_socket_create_source(socket_.get(), G_IO_IN, nullptr);
  g_source_set_callback(source_, G_SOURCE_FUNC(on_readable), this, nullptr);
  g_source_attach(source_, g_main_context_get_thread_default());
  return {};
}

std::string HttpListener::authority() const {
  if (!socket_) return {};
  GObjectPtr<GSocketAddress> taken(g_socket_get_local_address(socket_.get(), nullptr));
  if (!taken) return {};
  auto* inet = G_INET_SOCKET_ADDRESS(taken.get());
  GInetAddress* ip = g_inet_socket_address_get_address(inet);
  const std::string host = GCharPtr(g_inet_address_to_string(ip)).get();
  const bool v6 = g_inet_address_get_family(ip) == G_SOCKET_FAMILY_IPV6;
  return (v6 ? "[" + host + "]" : host) + ":" +
         std::to_string(g_inet_socket_address_get_port(inet));
}

void HttpListener::cut(SoupServerMessage* message) {
  GSocketAddress* remote = soup_server_message_get_remote_address(message);
  if (!remote) return;
  if (auto* socket = static_cast<GSocket*>(g_object_get_data(G_OBJECT(remote), kSocketKey))) {
    g_socket_shutdown(socket, TRUE, TRUE, nullptr);
  }
}

gboolean HttpListener::on_readable(GSocket*, GIOCondition, gpointer self) {
  static_cast<HttpListener*>(self)->accept();
  return G_SOURCE_CONTINUE;
}

// A connection that fails here is its peer's loss alone.
void HttpListener::accept() {
  GObjectPtr<GSocket> socket(g_socket_accept(socket_.get(), nullptr, nullptr));
  if (!socket) return;
  g_socket_set_option(socket.get(), IPPROTO_TCP, TCP_NODELAY, TRUE, nullptr);
  GObjectPtr<GSocketAddress> local(g_socket_get_local_address(socket.get(), nullptr));
  GObjectPtr<GSocketAddress> remote(g_socket_get_remote_address(socket.get(), nullptr));
  if (!local || !remote) return;
  GObjectPtr<GSocketConnection> connection(
      g_socket_connection_factory_create_connection(socket.get()));
  // libsoup knows the socket of no connection that was given to it: the address carries it.
  g_object_set_data_full(G_OBJECT(remote.get()), kSocketKey, socket.release(), g_object_unref);
  soup_server_accept_iostream(server_, G_IO_STREAM(connection.get()), local.get(), remote.get(),
                              nullptr);
}

}  // namespace farwheel
