#include "timed_source.h"

#include <chrono>
#include <utility>

namespace farwheel {

GstElementPtr make_live_appsrc(const char* name, GstCapsPtr caps) {
  GstElementPtr element(gst_element_factory_make("appsrc", name));
  if (!element) return nullptr;
  gst_object_ref_sink(element.get());
  g_object_set(element.get(), "is-live", TRUE, "format", GST_FORMAT_TIME, "do-timestamp", TRUE,
               "max-buffers", guint64{2}, "max-bytes", guint64{0}, "leaky-type",
               GST_APP_LEAKY_TYPE_DOWNSTREAM, "caps", caps.get(), nullptr);
  return element;
}

TimedSource::TimedSource(GstAppSrc* appsrc, double per_second, MakeBuffer make)
    : appsrc_(ref_gst(appsrc)), per_second_(per_second), make_(std::move(make)) {}

TimedSource::~TimedSource() {
  stop();
}

void TimedSource::start() {
  stopping_ = false;
  thread_ = std::thread([this] { run(); });
}

void TimedSource::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void TimedSource::run() {
  using Clock = std::chrono::steady_clock;
  const auto period =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / per_second_));
  const auto start = Clock::now();
  auto next = start;
  for (std::uint64_t number = 0;; ++number) {
    const double seconds = std::chrono::duration<double>(next - start).count();
    if (GstBufferPtr buffer = make_(number, seconds)) {
      if (gst_app_src_push_buffer(appsrc_.get(), buffer.release()) != GST_FLOW_OK) return;
    }
    next += period;
    // After a stall the rhythm starts anew: what was missed is not made up for.
    if (next < Clock::now()) next = Clock::now();
    std::unique_lock lock(mutex_);
    if (wake_.wait_until(lock, next, [this] { return stopping_; })) return;
  }
}

}  // namespace farwheel
