#include "backend/fake_backend.h"

#include <chrono>
#include <string>

namespace farwheel::station {
namespace {

constexpr Nanoseconds kFrameInterval = kSecond / 30;
constexpr Nanoseconds kSweepInterval = kSecond / 13;
constexpr Nanoseconds kStatsInterval = kSecond / 10;
constexpr Nanoseconds kCaptureBand = 5 * kMillisecond;

}  // namespace

FakeBackend::FakeBackend(FakeCourse course, QObject* parent)
    : StationBackend(parent), course_(course) {
  for (auto& frames : frames_) frames = std::make_shared<FrameMailbox>();
}

void FakeBackend::start() {
  thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

void FakeBackend::stop() {
  thread_.request_stop();
}

void FakeBackend::run(std::stop_token stop) {
  const FakeScene scene(course_);
  const Nanoseconds start = monotonic_now();
  Nanoseconds next_frame = 0;
  Nanoseconds next_sweep = 0;
  Nanoseconds next_stats = 0;
  std::uint32_t sweep_number = 0;
  if (scene.delivers(0)) {
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      emit cameraAdded(QStringLiteral("video_%1").arg(i), frames_[i]);
    }
  }
  while (!stop.stop_requested()) {
    const Nanoseconds now = monotonic_now();
    const Nanoseconds since_start = now - start;
    if (since_start >= next_stats) {
      auto stats = std::make_shared<StationStats>(scene.stats(since_start));
      stats->read_at = now;
      emit statsRead(std::move(stats));
      next_stats += kStatsInterval;
    }
    if (since_start >= next_frame && scene.delivers(since_start)) {
      for (std::size_t i = 0; i < frames_.size(); ++i) {
        QImage image = scene.picture(static_cast<int>(i), since_start);
        const QSizeF size(image.size());
        frames_[i]->put({.image = std::move(image),
                         .display_size = size,
                         .capture = CaptureTime{.at = now - scene.picture_age(since_start),
                                                .band = kCaptureBand},
                         .received_at = now,
                         .decoded_at = now});
      }
      while (next_frame <= since_start) next_frame += kFrameInterval;
    }
    if (since_start >= next_sweep && scene.delivers(since_start)) {
      emit sweepReceived(std::make_shared<ReceivedSweep>(
          ReceivedSweep{.sweep = scene.sweep(sweep_number++, since_start), .received_at = now}));
      while (next_sweep <= since_start) next_sweep += kSweepInterval;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
  }
  emit stopped();
}

}  // namespace farwheel::station
