// Decides which coded pictures a decoder that cannot keep up shall skip: once one has waited too
// long, all up to the next key frame, for a picture in between would be broken. Never plays slowly.
// One thread.
#pragma once

#include <optional>

#include "backend/monotonic_clock.h"

namespace farwheel::station {

class OverloadGate {
 public:
  static constexpr Nanoseconds kMostWait = 200 * kMillisecond;
  static constexpr Nanoseconds kAskInterval = 250 * kMillisecond;

  enum class Kind { kKeyFrame, kDelta };
  enum class Verdict { kDecode, kSkip, kSkipAndAskForKeyFrame };

  Verdict judge(Kind kind, Nanoseconds waited, Nanoseconds now);

 private:
  bool skipping_ = false;
  std::optional<Nanoseconds> asked_at_;
};

}  // namespace farwheel::station
