// An upstream event that tells rtpbbrcc that the path under its session is another one.
#pragma once

namespace farwheel {

inline constexpr char kPathChangedEvent[] = "farwheel-path-changed";

}  // namespace farwheel
