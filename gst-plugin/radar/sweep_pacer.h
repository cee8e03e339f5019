// Holds a streaming thread until the next slot of a steady rate on the pipeline's clock.
//
// wait() belongs to the streaming thread; everything else may come from any thread. The mutex is
// not held while waiting.
#pragma once

#include <gst/gst.h>

#include <condition_variable>
#include <mutex>
#include <optional>

namespace farwheel {

class SweepPacer {
 public:
  enum class Gate { kPaused, kPlaying };

  // Forgets the slots so far. `rate` in 1/s.
  void start(double rate);
  // While paused, wait() holds; slots go on from the running time at which playing goes on.
  void set_gate(Gate gate);
  // wait() returns nothing from now on, until end_flush().
  void flush();
  void end_flush();

  // The slot's running time, once it has come; a slot missed by more than a period moves all later
  // ones. Without a clock it returns at once. Nothing: flushing.
  std::optional<GstClockTime> wait(GstElement* element);

 private:
  void unschedule();

  std::mutex mutex_;
  std::condition_variable changed_;
  Gate gate_ = Gate::kPaused;
  bool flushing_ = false;
  GstClockID waiting_ = nullptr;
  double period_ns_ = 0;
  // Slot n is at origin_ + n * period_ns_.
  std::optional<GstClockTime> origin_;
  double slots_ = 0;
};

}  // namespace farwheel
