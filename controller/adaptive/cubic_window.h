// CUBIC's congestion window, the one that a flow beside loss-based traffic keeps: it gives up the
// delay, which is not its own, and takes the share that the others leave to their like. In packets
// and seconds. Source: RFC 9438, sections 4.1 to 4.7.
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
    epoch_ = -1;
  }
  // `growth`: factor on the gentle region's, for a round trip longer than usual.
  void on_delivered(double now, double packets, double rtt, double growth = 1) {
    if (epoch_ < 0) {
      epoch_ = now;
      most_ = std::max(most_, window_);
      k_ = std::cbrt((most_ - window_) / kC);
      reno_ = window_;
    }
    const double t = now - epoch_ + rtt;
    const double target =
        std::clamp(most_ + kC * (t - k_) * (t - k_) * (t - k_), window_, 1.5 * window_);
    reno_ += growth * packets * 3 * (1 - kBeta) / (1 + kBeta) / window_;
    window_ = std::max(window_ + packets * (target - window_) / window_, reno_);
  }
  void on_loss(double least) {
    most_ = window_ < most_ ? window_ * (1 + kBeta) / 2 : window_;
    window_ = std::max(least, window_ * kBeta);
    epoch_ = -1;
  }
  double packets() const { return window_; }

 private:
  static constexpr double kC = 0.4;
  static constexpr double kBeta = 0.85;
  double window_ = 10;
  double most_ = 0;
  double reno_ = 0;
  double epoch_ = -1;
  double k_ = 0;
};

}  // namespace farwheel
