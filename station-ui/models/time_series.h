// The last minute of a figure, for a strip chart. Not a number: unknown then, and drawn as a gap.
#pragma once

#include <QtQml/qqmlregistration.h>

#include <QObject>
#include <deque>
#include <limits>

#include "backend/monotonic_clock.h"

namespace farwheel::station {

class TimeSeries : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("filled by a model")

 public:
  static constexpr Nanoseconds kWindow = 60 * kSecond;

  struct Sample {
    Nanoseconds at = 0;
    double value = std::numeric_limits<double>::quiet_NaN();
    double band = 0;  // half width of the error band, in the unit of `value`
  };

  using QObject::QObject;

  // Samples come in order of time; older ones than a minute before this one leave.
  void append(const Sample& sample);
  const std::deque<Sample>& samples() const { return samples_; }
  Nanoseconds newest() const { return samples_.empty() ? 0 : samples_.back().at; }
  // Of the last minute; not a number when no sample is known.
  double largest() const;

 signals:
  void changed();

 private:
  std::deque<Sample> samples_;
};

}  // namespace farwheel::station
