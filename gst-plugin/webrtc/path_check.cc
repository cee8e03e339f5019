#include "webrtc/path_check.h"

#include <sys/socket.h>

#include <memory>
#include <utility>

namespace farwheel {
namespace {

std::uint64_t random_number() {
  return static_cast<std::uint64_t>(g_random_int()) << 32 | g_random_int();
}

GObjectPtr<GSocketAddress> socket_address(const NiceAddress& address) {
  sockaddr_storage storage{};
  nice_address_copy_to_sockaddr(&address, reinterpret_cast<sockaddr*>(&storage));
  return GObjectPtr<GSocketAddress>(
      g_socket_address_new_from_native(&storage, sizeof(sockaddr_storage)));
}

bool is_bound_to(GSocket* socket, const NiceAddress& address) {
  const GObjectPtr<GSocketAddress> own(g_socket_get_local_address(socket, nullptr));
  sockaddr_storage storage{};
  if (!own || !g_socket_address_to_native(own.get(), &storage, sizeof storage, nullptr)) {
    return false;
  }
  NiceAddress bound;
  nice_address_init(&bound);
  nice_address_set_from_sockaddr(&bound, reinterpret_cast<const sockaddr*>(&storage));
  return nice_address_equal(&bound, &address);
}

}  // namespace

PathCheck::PathCheck(GObjectPtr<GObject> agent, std::optional<IceCredentials> credentials)
    : agent_(std::move(agent)),
      credentials_(std::move(credentials)),
      tie_breaker_(random_number()) {}

PathCheck::Event PathCheck::watch(GstClockTime now, GstClockTime last_sign) {
  if (now < last_sign + kSilence) {
    if (!std::exchange(silent_, false)) return Event::kNothing;
    silence_ = last_sign - silent_since_;
    return Event::kBack;
  }
  const bool first = !std::exchange(silent_, true);
  if (first) silent_since_ = last_sign;
  if (!first && now < tried_at_ + kInterval) return Event::kNothing;
  tried_at_ = now;
  const bool done = send();
  if (!first) return Event::kNothing;
  return done ? Event::kSilent : Event::kCannotCheck;
}

NiceAgent* PathCheck::agent() const {
  return agent_ && NICE_IS_AGENT(agent_.get()) ? NICE_AGENT(agent_.get()) : nullptr;
}

bool PathCheck::send() {
  if (!agent()) return false;
  // None of a relayed pair: its packets do not leave as they are.
  const GObjectPtr<GSocket> socket(
      nice_agent_get_selected_socket(agent(), kIceStream, kIceComponent));
  NiceCandidate* local = nullptr;
  NiceCandidate* remote = nullptr;
  return socket &&
         nice_agent_get_selected_pair(agent(), kIceStream, kIceComponent, &local, &remote) &&
         send(socket.get(), remote->addr);
}

bool PathCheck::send(const NiceAddress& local, const NiceAddress& remote) {
  if (!agent()) return false;
  const std::unique_ptr<GPtrArray, Deleter<g_ptr_array_unref>> sockets(
      nice_agent_get_sockets(agent(), kIceStream, kIceComponent));
  for (guint i = 0; sockets && i < sockets->len; ++i) {
    auto* socket = static_cast<GSocket*>(g_ptr_array_index(sockets.get(), i));
    if (g_socket_get_protocol(socket) == G_SOCKET_PROTOCOL_UDP && is_bound_to(socket, local)) {
      return send(socket, remote);
    }
  }
  return false;
}

bool PathCheck::send(GSocket* socket, const NiceAddress& remote) {
  if (!credentials_) return false;
  const auto to = socket_address(remote);
  const auto bytes = write_ice_check(*credentials_, {check_priority(number_), tie_breaker_});
  if (!to || bytes.empty()) return false;
  ++number_;
  GError* raw = nullptr;
  const gssize sent = g_socket_send_to(
      socket, to.get(), reinterpret_cast<const gchar*>(bytes.data()), bytes.size(), nullptr, &raw);
  const GErrorPtr error(raw);
  return sent == static_cast<gssize>(bytes.size());
}

}  // namespace farwheel
