#include "webrtc/path_check.h"

#include <gio/gio.h>
#include <nice/agent.h>
#include <sys/socket.h>

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

bool PathCheck::send() {
  if (!agent_ || !NICE_IS_AGENT(agent_.get()) || !credentials_) return false;
  NiceAgent* agent = NICE_AGENT(agent_.get());
  // None of a relayed pair: its packets do not leave as they are.
  const GObjectPtr<GSocket> socket(
      nice_agent_get_selected_socket(agent, kIceStream, kIceComponent));
  NiceCandidate* local = nullptr;
  NiceCandidate* remote = nullptr;
  if (!socket || !nice_agent_get_selected_pair(agent, kIceStream, kIceComponent, &local, &remote)) {
    return false;
  }
  const auto to = socket_address(remote->addr);
  const auto bytes = write_ice_check(*credentials_, {check_priority(number_), tie_breaker_});
  if (!to || bytes.empty()) return false;
  ++number_;
  GError* raw = nullptr;
  const gssize sent =
      g_socket_send_to(socket.get(), to.get(), reinterpret_cast<const gchar*>(bytes.data()),
                       bytes.size(), nullptr, &raw);
  const GErrorPtr error(raw);
  return sent == static_cast<gssize>(bytes.size());
}

}  // namespace farwheel
