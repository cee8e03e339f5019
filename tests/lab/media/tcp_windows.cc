// The two congestion controls of TcpPeer.
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>

#include "media/tcp_peer.h"

namespace farwheel::lab::media {
namespace {

constexpr double kInitialWindow = 10;

// RFC 9438 section 4, with slow start (no HyStart) and fast convergence.
class Cubic : public PeerWindow {
 public:
  void on_ack(const Ack& ack) override {
    if (window_ < threshold_) {
      window_ += 1;
      return;
    }
    if (epoch_s_ < 0) {
      epoch_s_ = ack.now_s;
      origin_ = std::max(window_, highest_);
      k_ = std::cbrt(std::max(0.0, origin_ - window_) / kC);
      reno_ = window_;
    }
    const double t = ack.now_s - epoch_s_ + ack.rtt_s;
    const double target = std::clamp(kC * std::pow(t - k_, 3) + origin_, window_, 1.5 * window_);
    reno_ += kRenoStep / window_;
    window_ += (target - window_) / window_;
    window_ = std::max(window_, reno_);
  }
  void on_loss(double) override {
    highest_ = window_ < highest_ ? window_ * (1 + kBeta) / 2 : window_;
    window_ = threshold_ = std::max(2.0, window_ * kBeta);
    epoch_s_ = -1;
  }
  void on_timeout() override {
    on_loss(0);
    window_ = 1;
  }
  double window() const override { return window_; }
  double pace() const override { return 0; }

 private:
  static constexpr double kC = 0.4;
  static constexpr double kBeta = 0.7;
  static constexpr double kRenoStep = 3 * (1 - kBeta) / (1 + kBeta);
  double window_ = kInitialWindow;
  double threshold_ = std::numeric_limits<double>::infinity();
  double highest_ = 0;
  double epoch_s_ = -1;
  double origin_ = 0;
  double k_ = 0;
  double reno_ = 0;
};

// BBR version 1 (draft-cardwell-iccrg-bbr-congestion-control-00): maximum bandwidth over ten
// rounds, minimum RTT over ten seconds, eight phases of gain, a probe of the RTT; deaf to loss.
class Bbr : public PeerWindow {
 public:
  void on_ack(const Ack& ack) override {
    now_s_ = ack.now_s;
    if (ack.rtt_s <= min_rtt_ || now_s_ - min_rtt_at_ > kMinRttSeconds) {
      if (ack.rtt_s > min_rtt_ && state_ != State::kProbeRtt) enter_probe_rtt();
      min_rtt_ = ack.rtt_s;
      min_rtt_at_ = now_s_;
    }
    if (ack.round_start) {
      ++round_;
      while (!samples_.empty() && samples_.front().round < round_ - kRounds) samples_.pop_front();
      if (state_ == State::kStartup) check_full();
    }
    while (!samples_.empty() && samples_.back().rate <= ack.delivery_rate) samples_.pop_back();
    samples_.push_back({round_, ack.delivery_rate});
    step(ack.in_flight);
  }
  void on_loss(double) override {}
  void on_timeout() override {}
  double window() const override {
    if (state_ == State::kProbeRtt) return 4;
    if (samples_.empty()) return kInitialWindow;
    const double gain = state_ == State::kProbeBw ? 2 : kHighGain;
    return std::max(4.0, gain * bdp());
  }
  double pace() const override {
    if (samples_.empty()) return 0;
    double gain = 1;
    if (state_ == State::kStartup) gain = kHighGain;
    if (state_ == State::kDrain) gain = 1 / kHighGain;
    if (state_ == State::kProbeBw) gain = kCycle[phase_];
    return std::max(1.0, gain * bandwidth());
  }

 private:
  enum class State { kStartup, kDrain, kProbeBw, kProbeRtt };
  struct Sample {
    std::int64_t round;
    double rate;
  };
  static constexpr double kHighGain = 2.885;
  static constexpr double kMinRttSeconds = 10;
  static constexpr std::int64_t kRounds = 10;
  static constexpr std::array<double, 8> kCycle{1.25, 0.75, 1, 1, 1, 1, 1, 1};

  double bandwidth() const { return samples_.empty() ? 0 : samples_.front().rate; }
  double bdp() const { return bandwidth() * min_rtt_; }
  void enter_probe_rtt() {
    after_probe_ = state_ == State::kProbeBw ? State::kProbeBw : State::kStartup;
    state_ = State::kProbeRtt;
    probe_until_ = now_s_ + 0.2;
  }
  void check_full() {
    if (bandwidth() >= full_ * 1.25) {
      full_ = bandwidth();
      stale_rounds_ = 0;
    } else if (++stale_rounds_ >= 3) {
      state_ = State::kDrain;
    }
  }
  void step(double in_flight) {
    if (state_ == State::kDrain && in_flight <= bdp()) {
      state_ = State::kProbeBw;
      phase_ = 2;
      phase_at_ = now_s_;
    }
    if (state_ == State::kProbeBw && now_s_ - phase_at_ > min_rtt_) {
      phase_ = (phase_ + 1) % kCycle.size();
      phase_at_ = now_s_;
    }
    if (state_ == State::kProbeRtt && now_s_ > probe_until_) {
      state_ = after_probe_;
      phase_at_ = now_s_;
    }
  }

  State state_ = State::kStartup;
  State after_probe_ = State::kStartup;
  std::deque<Sample> samples_;  // falling
  std::int64_t round_ = 0;
  double min_rtt_ = 1e9;
  double min_rtt_at_ = 0;
  double now_s_ = 0;
  double full_ = 0;
  int stale_rounds_ = 0;
  std::size_t phase_ = 0;
  double phase_at_ = 0;
  double probe_until_ = 0;
};

}  // namespace

std::unique_ptr<PeerWindow> make_cubic() {
  return std::make_unique<Cubic>();
}
std::unique_ptr<PeerWindow> make_bbr() {
  return std::make_unique<Bbr>();
}

}  // namespace farwheel::lab::media
