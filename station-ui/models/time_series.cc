#include "models/time_series.h"

#include <cmath>

namespace farwheel::station {

void TimeSeries::append(const Sample& sample) {
  if (!samples_.empty() && sample.at < samples_.back().at) return;
  samples_.push_back(sample);
  // One sample beyond the window stays, so that the line reaches the chart's edge.
  while (samples_.size() > 1 && samples_[1].at < sample.at - kWindow) samples_.pop_front();
  emit changed();
}

double TimeSeries::largest() const {
  double found = std::numeric_limits<double>::quiet_NaN();
  for (const Sample& sample : samples_) {
    if (sample.at >= newest() - kWindow) found = std::fmax(found, sample.value);
  }
  return found;
}

}  // namespace farwheel::station
