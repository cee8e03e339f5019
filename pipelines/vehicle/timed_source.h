// Feeds an appsrc with buffers at a steady rate from a thread of its own, as a live camera or radar
// would: never faster, never catching up in a burst after a stall.
#pragma once

#include <gst/app/gstappsrc.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "support/gst_ptr.h"

namespace farwheel {

class TimedSource {
 public:
  // Makes the buffer with this number (from 0) for the moment `seconds` after the first; called on
  // the source's thread. An empty pointer leaves this one out.
  using MakeBuffer = std::function<GstBufferPtr(std::uint64_t number, double seconds)>;

  // `appsrc` is referenced; per_second > 0.
  TimedSource(GstAppSrc* appsrc, double per_second, MakeBuffer make);
  ~TimedSource();
  TimedSource(const TimedSource&) = delete;
  TimedSource& operator=(const TimedSource&) = delete;

  void start();
  void stop();  // returns when the thread has ended

 private:
  void run();

  GstObjectPtr<GstAppSrc> appsrc_;
  double per_second_;
  MakeBuffer make_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

// An appsrc set up for live, self-timestamped buffers of these caps, keeping the newest two.
GstElementPtr make_live_appsrc(const char* name, GstCapsPtr caps);

}  // namespace farwheel
