// CUBIC's congestion window, the one that a flow beside loss-based traffic keeps: it gives up the
// delay, which is not its own, and takes the share that the others leave to their like. How eager
// it is, the owner says each time: where the others are slower to grow than RFC 9438 has it, or
// lose more, the window alone would take all. In packets and seconds. Source: RFC 9438, sections
// 4.1 to 4.7.
#pragma once

#include <algorithm>
#include <cmath>

namespace farwheel {

class CubicWindow {
 public:
  void start(double window) {
    window_ = window;
    reno_ = window;
    // It begins below what the path held before: it may go back there soon.
    most_ = window;
    in_epoch_ = false;
  }
  struct Delivered {
    double passed;   // seconds since the last call
    double packets;  // in them
    double rtt;
    double growth;  // factor on the gentle region's growth
    double pace;    // of the curve's clock: 0 stands still, 1 is CUBIC's
  };
  void on_delivered(const Delivered& d) {
    if (!in_epoch_) {
      in_epoch_ = true;
      age_ = 0;
      most_ = std::max(most_, window_);
      k_ = std::cbrt((most_ - window_) / kC);
      reno_ = window_;
    } else {
      age_ += d.passed * d.pace;
    }
    const double t = age_ + d.rtt - k_;
    const double target = std::clamp(most_ + kC * t * t * t, window_, 1.5 * window_);
    reno_ += d.growth * d.packets * 3 * (1 - kBeta) / (1 + kBeta) / window_;
    const double along = d.pace > 0 ? d.packets * (target - window_) / window_ : 0;
    window_ = std::max(window_ + along, reno_);
  }
  // `kept`: share of the window that stays.
  void on_loss(double least, double kept) {
    most_ = window_ < most_ ? window_ * (1 + kept) / 2 : window_;
    window_ = std::max(least, window_ * kept);
    in_epoch_ = false;
  }
  // Gives a share of the window back.
  void yield(double share) {
    window_ *= 1 - share;
    reno_ = window_;
  }
  double packets() const { return window_; }

 private:
  static constexpr double kC = 0.4;
  static constexpr double kBeta = 0.85;  // the gentle region's
  double window_ = 10;
  double most_ = 0;
  double reno_ = 0;
  bool in_epoch_ = false;
  double age_ = 0;
  double k_ = 0;
};

}  // namespace farwheel
