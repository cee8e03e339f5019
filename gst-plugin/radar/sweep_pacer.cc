#include "radar/sweep_pacer.h"

#include "support/gst_ptr.h"

namespace farwheel {

void SweepPacer::start(double rate) {
  const std::lock_guard lock(mutex_);
  period_ns_ = 1e9 / rate;
  origin_.reset();
  flushing_ = false;
  gate_ = Gate::kPaused;
}

void SweepPacer::set_gate(Gate gate) {
  const std::lock_guard lock(mutex_);
  gate_ = gate;
  unschedule();
}

void SweepPacer::flush() {
  const std::lock_guard lock(mutex_);
  flushing_ = true;
  unschedule();
}

void SweepPacer::end_flush() {
  const std::lock_guard lock(mutex_);
  flushing_ = false;
  origin_.reset();
}

void SweepPacer::unschedule() {
  if (waiting_ != nullptr) gst_clock_id_unschedule(waiting_);
  changed_.notify_all();
}

std::optional<GstClockTime> SweepPacer::wait(GstElement* element) {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return flushing_ || gate_ == Gate::kPlaying; });
    if (flushing_) return std::nullopt;
    const GstObjectPtr<GstClock> clock(gst_element_get_clock(element));
    const GstClockTime base = gst_element_get_base_time(element);
    const GstClockTime now_abs = clock ? gst_clock_get_time(clock.get()) : base;
    const GstClockTime now = now_abs > base ? now_abs - base : 0;
    auto slot = origin_ ? *origin_ + static_cast<GstClockTime>(slots_ * period_ns_ + 0.5) : now;
    if (!origin_ || now > slot + static_cast<GstClockTime>(period_ns_)) {
      origin_ = slot = now;
      slots_ = 0;
    }
    if (clock && slot > now) {
      const GstClockID id = gst_clock_new_single_shot_id(clock.get(), base + slot);
      waiting_ = id;
      lock.unlock();
      const GstClockReturn result = gst_clock_id_wait(id, nullptr);
      lock.lock();
      waiting_ = nullptr;
      gst_clock_id_unref(id);
      if (result == GST_CLOCK_UNSCHEDULED) continue;
      if (flushing_) return std::nullopt;
    }
    slots_ += 1;
    return slot;
  }
}

}  // namespace farwheel
