// A figure with a scale and its last minute: a value on an analogue band, and a strip chart.
// A second figure (a target beside what was got) may share the scale.
#pragma once

#include <QList>
#include <optional>

#include "models/readout_model.h"
#include "models/time_series.h"

namespace farwheel::station {

struct GaugeScale {
  double to = 1;
  // Where the level changes; empty when no value is abnormal by itself.
  std::optional<Limits> limits = std::nullopt;
  // Numbers written on the scale.
  QList<double> marks = {};
  // When set, `to` follows the last minute in steps of 1, 2 and 5.
  bool grows = false;
};

class GaugeModel : public ReadoutModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("made by a model")
  Q_PROPERTY(double to READ to NOTIFY scaleChanged)
  Q_PROPERTY(QList<double> marks READ marks NOTIFY scaleChanged)
  // Not a number where the gauge has no limit.
  Q_PROPERTY(double cautionFrom READ cautionFrom CONSTANT)
  Q_PROPERTY(double criticalFrom READ criticalFrom CONSTANT)
  Q_PROPERTY(farwheel::station::TimeSeries* series READ series CONSTANT)
  // Not a number and empty when there is no second figure.
  Q_PROPERTY(double target READ target NOTIFY targetChanged)
  Q_PROPERTY(QString targetText READ targetText NOTIFY targetChanged)
  Q_PROPERTY(farwheel::station::TimeSeries* targetSeries READ targetSeries CONSTANT)
  Q_PROPERTY(bool hasTarget READ hasTarget CONSTANT)

 public:
  enum class Second { kNone, kTarget };

  GaugeModel(ReadoutSpec spec, GaugeScale scale, Second second, QObject* parent = nullptr);

  // Shows the figure and adds it to the last minute. The level is the gauge's own judgement.
  void sample(Nanoseconds now, std::optional<double> value, std::optional<double> band);
  void sampleTarget(Nanoseconds now, std::optional<double> target);

  double to() const { return scale_.to; }
  const QList<double>& marks() const { return scale_.marks; }
  double cautionFrom() const;
  double criticalFrom() const;
  TimeSeries* series() { return &series_; }
  double target() const { return target_.value(); }
  const QString& targetText() const { return target_.text(); }
  TimeSeries* targetSeries() { return &target_series_; }
  bool hasTarget() const { return second_ == Second::kTarget; }

 signals:
  void scaleChanged();
  void targetChanged();

 private:
  void fit_scale();

  GaugeScale scale_;
  Second second_;
  TimeSeries series_;
  TimeSeries target_series_;
  ReadoutModel target_;
};

// The least number of the form 1, 2 or 5 times a power of ten that is not below `value`.
double nice_ceiling(double value);

}  // namespace farwheel::station
