#include "backend/overload_gate.h"

namespace farwheel::station {

OverloadGate::Verdict OverloadGate::judge(Kind kind, Nanoseconds waited, Nanoseconds now) {
  const bool too_late = waited > kMostWait;
  if (too_late) skipping_ = true;
  if (kind == Kind::kKeyFrame && !too_late) skipping_ = false;
  if (!skipping_) return Verdict::kDecode;
  // Asked while the backlog lasts, the key frame would come too late in its turn.
  if (too_late || (asked_at_ && now - *asked_at_ < kAskInterval)) return Verdict::kSkip;
  asked_at_ = now;
  return Verdict::kSkipAndAskForKeyFrame;
}

}  // namespace farwheel::station
