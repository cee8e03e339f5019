// Losses of a path whose queue is empty: a policer's, if they come back at the same rate; then the
// rate stays under it for a while. Losses that go on under that bound are nobody's: noise of the
// radio, which no rate of ours mends. Not thread-safe.
//
// Source: shared notes on the default law, section 1.7; the test by our own bound is ours.
#pragma once

namespace farwheel {

class PolicerWatch {
 public:
  enum class Cut { kNone, kOnce, kBound };
  struct Loss {
    double now;
    double rate;    // delivered lately
    double share;   // of the last second that was lost
    double flight;  // seconds
    bool young;     // start-up is hardly over: the rate tells little
  };
  // Once a flight.
  Cut on_loss(const Loss& loss);
  // Never more than this; infinite without a policer.
  double bound(double now) const;
  // One was found lately: probe gently.
  bool suspected(double now) const { return now < suspected_until_; }
  // It would be found again about this rate: the gentler, the longer its bucket lasts.
  bool near(double now, double rate) const { return suspected(now) && rate < near_; }

 private:
  double bound_ = 0;
  double near_ = 0;
  double bound_since_ = -1e9;
  double bound_until_ = -1e9;
  double suspected_until_ = -1e9;
  double ignores_until_ = -1e9;
  double last_loss_ = -1e9;
  double last_rate_ = 0;
  int under_bound_ = 0;
  double bound_for_ = 0;
  double ignore_for_ = 30;
};

}  // namespace farwheel
