#include "models/link_model.h"

#include <algorithm>

namespace farwheel::station {
namespace {

constexpr double kBitsPerMegabit = 1e6;
constexpr double kPercent = 100;

std::optional<double> scaled(std::optional<double> value, double factor) {
  if (!value) return std::nullopt;
  return *value * factor;
}

// Whether something that was `age_ms` old when the stats were read is still young at `now`.
bool is_young(std::optional<double> age_ms, Nanoseconds read_at, Nanoseconds now) {
  return age_ms && *age_ms + to_milliseconds(now - read_at) < to_milliseconds(kSourceTooOld);
}

}  // namespace

LinkFigures figures_at(const StationStats& stats, Nanoseconds now) {
  LinkFigures figures;
  const bool link_up = stats.link == LinkState::kConnected || stats.link == LinkState::kStale;
  if (!link_up || now - stats.read_at >= kSourceTooOld) return figures;
  const bool media_young = is_young(stats.last_media_age_ms, stats.read_at, now);
  const bool state_young = is_young(stats.state_age_ms, stats.read_at, now);
  if (media_young) {
    figures.throughput_bps = stats.throughput_bps;
    figures.loss = stats.loss;
    // No band, no number. A delay below zero only says that the true one is within the band of it.
    if (stats.owd_ms && stats.owd_error_ms) {
      figures.owd_ms = std::max(*stats.owd_ms, 0.0);
      figures.owd_error_ms = stats.owd_error_ms;
    }
  }
  if (state_young && stats.controller) {
    figures.target_bps = stats.controller->target_bps;
    figures.queue_ms = stats.controller->queue_delay_ms;
  }
  // Before the vehicle's first state message the RTT is the clock exchange's.
  if (state_young || (media_young && !stats.state_age_ms)) figures.rtt_ms = stats.rtt_ms;
  // The exchange tells no age of its own; it shares the data channel with the state messages.
  if (state_young || media_young) figures.clock_error_ms = stats.clock_error_ms;
  return figures;
}

LinkModel::LinkModel(QObject* parent)
    : QObject(parent),
      delay_({.label = tr("ONE-WAY DELAY"), .unit = tr("ms")},
             {.to = 400, .limits = kDelayLimits, .marks = {0, 100, 170, 300, 400}},
             GaugeModel::Second::kNone),
      rtt_({.label = tr("RTT"), .unit = tr("ms")},
           {.to = 500, .limits = kRttLimits, .marks = {0, 100, 200, 300, 400, 500}},
           GaugeModel::Second::kNone),
      throughput_({.label = tr("THROUGHPUT"), .unit = tr("Mbit/s"), .decimals = 1},
                  {.to = 5, .grows = true}, GaugeModel::Second::kTarget),
      loss_({.label = tr("LOSS"), .unit = tr("%"), .decimals = 1}),
      queue_({.label = tr("QUEUE"), .unit = tr("ms")}),
      clock_error_({.label = tr("CLOCK ERROR"), .unit = tr("ms"), .decimals = 1}) {}

void LinkModel::tick(const StationStats* stats, Nanoseconds now) {
  if (sampled_at_ && now - *sampled_at_ < kSampleInterval) return;
  sampled_at_ = now;
  const LinkFigures figures = stats ? figures_at(*stats, now) : LinkFigures{};
  delay_.sample(now, figures.owd_ms, figures.owd_error_ms);
  rtt_.sample(now, figures.rtt_ms, std::nullopt);
  throughput_.sample(now, scaled(figures.throughput_bps, 1 / kBitsPerMegabit), std::nullopt);
  throughput_.sampleTarget(now, scaled(figures.target_bps, 1 / kBitsPerMegabit));
  loss_.show(
      {.value = scaled(figures.loss, kPercent), .level = level_of(figures.loss, kLossLimits)});
  queue_.show({.value = figures.queue_ms, .level = level_of(figures.queue_ms, kQueueLimits)});
  clock_error_.show({.value = figures.clock_error_ms,
                     .level = figures.clock_error_ms ? Level::Normal : Level::Unknown});
}

}  // namespace farwheel::station
