// Looks whether the path of a connected session is silent, and then has the station check it: a
// NAT that gave us another port swallows all that comes back, and libnice by itself would never
// notice. The station answers a check at its new address, selects it, and media and feedback go on
// in the same session. On the session's EventLoop; no lock of ours is held in the agent's calls.
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>
#include <nice/agent.h>

#include <cstdint>
#include <optional>

#include "support/gst_ptr.h"
#include "webrtc/ice_check.h"

namespace farwheel {

class PathCheck {
 public:
  // Feedback comes with each frame: longer is not the path as it was. A check that was not needed
  // costs one packet and changes nothing.
  static constexpr GstClockTime kSilence = 150 * GST_MSECOND;
  static constexpr GstClockTime kInterval = 300 * GST_MSECOND;

  // What watch() found; each is told once a silence.
  enum class Event { kNothing, kSilent, kCannotCheck, kBack };

  // `agent` is a NiceAgent, controlling; null or no credentials: watch() says so and does nothing.
  PathCheck(GObjectPtr<GObject> agent, std::optional<IceCredentials> credentials);

  // Monotonic times. Sends a check after kSilence without a sign of the station, then each
  // kInterval.
  Event watch(GstClockTime now, GstClockTime last_sign);
  // One now, over the pair that is selected; false: it cannot be.
  bool send();
  // Over a pair of addresses that need not be selected: media that follows it finds the station
  // ready for its source.
  bool send(const NiceAddress& local, const NiceAddress& remote);
  // PRIORITY of the last one.
  std::uint32_t priority() const { return check_priority(number_ > 0 ? number_ - 1 : 0); }
  std::uint32_t sent() const { return number_; }
  // How long the last silence was, when it is over.
  GstClockTime silence() const { return silence_; }

 private:
  NiceAgent* agent() const;
  bool send(GSocket* socket, const NiceAddress& remote);

  const GObjectPtr<GObject> agent_;
  const std::optional<IceCredentials> credentials_;
  const std::uint64_t tie_breaker_;
  std::uint32_t number_ = 0;
  bool silent_ = false;
  GstClockTime silent_since_ = 0;
  GstClockTime tried_at_ = 0;
  GstClockTime silence_ = 0;
};

}  // namespace farwheel
