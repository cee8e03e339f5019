// An encoder makes more or less of a bitrate than it was set to: x264enc under a rate buffer of
// 100 ms makes 0.85 of it. Compares what a feed was to make with what it made, and says by which
// factor its encoder has to be set off its target. Pure, not thread-safe.
#pragma once

#include "rtpbbrcc/rate_window.h"

namespace farwheel {

class EncoderYield {
 public:
  // A scene that grows difficult at once makes so much too much, until that is seen.
  static constexpr double kMostGain = 1.25;
  static constexpr double kLeastGain = 0.4;

  // Again and again, some ten milliseconds apart: the feed's target and what it made over the last
  // second, both with their headers.
  void on_tick(Timestamp now, DataRate target, DataRate produced);
  // On the encoder's bitrate.
  double gain() const { return gain_; }

 private:
  void judge(double made);

  RateWindow asked_;
  Timestamp first_at_ = Timestamp::infinite_past();
  Timestamp ticked_at_ = Timestamp::infinite_past();
  Timestamp judged_at_ = Timestamp::infinite_past();
  double gain_ = 1;
};

}  // namespace farwheel
