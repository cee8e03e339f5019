// The newest decoded frame of one camera, handed from the decoder's thread to the screen. Holds one
// frame: a newer one replaces it, so a slow screen skips pictures and never lags. The mailbox
// outlives both ends (shared_ptr), so neither must be told when the other goes.
// Threads: put() from any thread, take() from the one that draws; `arrived` is emitted by put().
#pragma once

#include <QObject>
#include <cstdint>
#include <mutex>
#include <optional>

#include "backend/video_frame.h"

namespace farwheel::station {

class FrameMailbox : public QObject {
  Q_OBJECT

 public:
  void put(VideoFrame frame);
  // Empty when nothing came since the last call.
  std::optional<VideoFrame> take();
  // Frames put since the start, and those that a newer one replaced before they were taken.
  std::uint64_t frames_put() const;
  std::uint64_t frames_replaced() const;

 signals:
  // Once for every frame put after a take(): further ones need no wake-up.
  void arrived();

 private:
  mutable std::mutex mutex_;
  std::optional<VideoFrame> frame_;
  std::uint64_t put_ = 0;
  std::uint64_t replaced_ = 0;
};

}  // namespace farwheel::station
