// The link in figures: one-way delay, RTT and throughput as gauges; loss, queue and clock error as
// plain readouts. Judges which figure still has a live source, ten times a second, so that a figure
// whose source has gone turns into a dash by itself.
#pragma once

#include <QtQml/qqmlregistration.h>

#include <QObject>
#include <memory>

#include "models/gauge_model.h"

namespace farwheel::station {

// The figures that may be shown at `now`, each only while its source is young enough.
struct LinkFigures {
  std::optional<double> owd_ms;
  std::optional<double> owd_error_ms;
  std::optional<double> rtt_ms;
  std::optional<double> throughput_bps;
  std::optional<double> target_bps;
  std::optional<double> loss;
  std::optional<double> queue_ms;
  std::optional<double> clock_error_ms;
};

LinkFigures figures_at(const StationStats& stats, Nanoseconds now);

class LinkModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("made by StationModel")
  Q_PROPERTY(farwheel::station::GaugeModel* delay READ delay CONSTANT)
  Q_PROPERTY(farwheel::station::GaugeModel* rtt READ rtt CONSTANT)
  Q_PROPERTY(farwheel::station::GaugeModel* throughput READ throughput CONSTANT)
  Q_PROPERTY(farwheel::station::ReadoutModel* loss READ loss CONSTANT)
  Q_PROPERTY(farwheel::station::ReadoutModel* queue READ queue CONSTANT)
  Q_PROPERTY(farwheel::station::ReadoutModel* clockError READ clockError CONSTANT)

 public:
  static constexpr Nanoseconds kSampleInterval = 100 * kMillisecond;

  explicit LinkModel(QObject* parent = nullptr);

  // Shows what `stats` (null: nothing was ever read) is worth at `now`.
  void tick(const StationStats* stats, Nanoseconds now);

  GaugeModel* delay() { return &delay_; }
  GaugeModel* rtt() { return &rtt_; }
  GaugeModel* throughput() { return &throughput_; }
  ReadoutModel* loss() { return &loss_; }
  ReadoutModel* queue() { return &queue_; }
  ReadoutModel* clockError() { return &clock_error_; }

 private:
  GaugeModel delay_;
  GaugeModel rtt_;
  GaugeModel throughput_;
  ReadoutModel loss_;
  ReadoutModel queue_;
  ReadoutModel clock_error_;
  std::optional<Nanoseconds> sampled_at_;
};

}  // namespace farwheel::station
