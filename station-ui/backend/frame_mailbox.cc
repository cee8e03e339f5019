#include "backend/frame_mailbox.h"

#include <utility>

namespace farwheel::station {

void FrameMailbox::put(VideoFrame frame) {
  // The replaced frame is let go outside the lock: that may unmap a decoder buffer.
  std::optional<VideoFrame> old(std::move(frame));
  {
    std::lock_guard lock(mutex_);
    std::swap(old, frame_);
    ++put_;
    if (old) ++replaced_;
  }
  if (!old) emit arrived();
}

std::optional<VideoFrame> FrameMailbox::take() {
  std::lock_guard lock(mutex_);
  return std::exchange(frame_, std::nullopt);
}

std::uint64_t FrameMailbox::frames_put() const {
  std::lock_guard lock(mutex_);
  return put_;
}

std::uint64_t FrameMailbox::frames_replaced() const {
  std::lock_guard lock(mutex_);
  return replaced_;
}

}  // namespace farwheel::station
