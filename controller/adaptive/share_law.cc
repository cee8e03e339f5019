#include "adaptive/share_law.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace farwheel {
namespace {
constexpr double kMbit = 125000;  // bytes a second
constexpr double kStep = 0.025;
constexpr double kForgetHighest = 30;
constexpr double kPacketTimeFloor = 0.1e-3;
constexpr double kOwnNoise = 0.52;        // packet times that a queue of ours explains
constexpr double kOwnNoiseGrants = 0.20;  // where grants serve: a slot's wait is no queue
constexpr double kGrantLonger = 1.05;     // than packets arrive: sharp pairs a slot apart
constexpr double kNoiseMost = 0.005;
constexpr double kBiasMost = 0.010;
constexpr double kBiasSure = 3;               // times what the noise is over kSureNoise
constexpr double kSureNoise = 0.7;            // packet times
constexpr double kSureShare = 0.3;            // of the link: below, others' packets make as much
constexpr double kSurePacketTime = 0.3e-3;    // over the stamps' step
constexpr double kSurePacketTimeMost = 5e-3;  // longer: too few packets to tell noise from theirs
constexpr double kNoiseQueueMost = 0.020;
constexpr double kBaseFalls = 0.005;  // by less than this, and slower, drift and noise move it
constexpr double kBaseFallsSlowly = 0.020;
constexpr double kHistoryEvery = 0.1;
constexpr double kLeastRate = 0.12 * kMbit;
constexpr double kWindowPackets = 4;
constexpr double kWindowGain = 1.25;
constexpr double kWindowSpare = 0.050;
}  // namespace

double ShareLaw::clock(Timestamp now) {
  if (!sent_origin_) sent_origin_ = now;
  return (now - *sent_origin_).seconds();
}

void ShareLaw::expect(std::size_t packets) const {
  constexpr std::size_t kHotPart = 64;
  prefetch(&drift_, kHotPart);
  prefetch(&pairs_, 2 * kHotPart);
  prefetch(&noise_, kHotPart);
  prefetch(&delays_, kHotPart);
  prefetch(&base_, 2 * kHotPart);
  prefetch(&round_trip_, 2 * kHotPart);
  prefetch(&sent_origin_, 4 * kHotPart);
  arrivals_.expect(packets);
}

ShareLaw::Finding ShareLaw::take_finding() {
  return std::exchange(finding_, Finding::kNone);
}

void ShareLaw::on_packet(Timestamp now, const PacketResult& result) {
  if (!result.received_at.is_finite() || !result.rtt.is_finite()) return;
  const double at = clock(now);
  if (!received_origin_) received_origin_ = result.received_at;
  const double received_at = (result.received_at - *received_origin_).seconds();
  const double rtt = std::max(result.rtt.seconds(), 50e-6);
  const double one_way = (result.received_at - result.packet.sent_at).seconds() -
                         (*received_origin_ - *sent_origin_).seconds();
  const double delay = drift_.correct(at, one_way, rtt);
  const double bytes = static_cast<double>(result.packet.size.bytes());
  const bool frozen = episode_.active() || competition_.active();

  smoothed_rtt_ = smoothed_rtt_ == 0 ? rtt : smoothed_rtt_ + (rtt - smoothed_rtt_) / 8;
  base_.on_packet(at, delay, frozen);
  round_trip_.update(at, rtt, frozen);
  base_.touch(at, delay, std::max({0.0005, 0.5 * point_.noise, point_.packet_time / 2}));
  arrivals_.on_packet(received_at, bytes);
  delays_.on_packet(delay);
  pairs_.on_packet(
      {result.packet.number, (result.packet.sent_at - *sent_origin_).seconds(), received_at, bytes},
      mss_);
  noise_.on_packet(received_at, delay,
                   mode_ == Mode::kRun && !frozen && point_.queue < kNoiseQueueMost);
}

void ShareLaw::start(Timestamp now, DataRate rate, bool drain) {
  const double at = clock(now);
  mode_ = drain ? Mode::kDrain : Mode::kRun;
  started_at_ = at;
  last_step_ = at;
  last_look_ = at;
  rate_ = std::max(rate.mbps() * kMbit, kLeastRate);
  boost_ = 1;
  empty_looks_ = 0;
  noise_.reset();
  delays_.reset();
  base_.forget_history();
  base_.touched(at);
  episode_.end();
  floor_.reset();
  give_way_.reset();
  point_.noise = 0;
  excess_noise_ = 0;
  look(at);
  set_outputs(at);
}

void ShareLaw::on_report(Timestamp now, DataSize delivered, DataSize lost) {
  const double at = clock(now);
  const double fade = std::exp(-std::max(0.0, at - last_counted_));
  last_counted_ = at;
  arrived_ = arrived_ * fade + static_cast<double>(delivered.bytes());
  lost_ = lost_ * fade + static_cast<double>(lost.bytes());
  delivered_ += static_cast<double>(delivered.bytes());
  if (mode_ == Mode::kPaused || !base_.known()) return;
  if (!lost.is_zero()) on_loss(at, lost_ / (lost_ + arrived_));
  if (at - last_step_ >= kStep) step(at);
}

// What the path shows now.
void ShareLaw::look(double now) {
  const double fade = 1 - std::min(now - last_step_, 1.0) / kForgetHighest;
  point_.highest = std::max({point_.highest * fade, arrivals_.over(0.2), kLeastRate});
  point_.mss = mss_;
  const double most = mss_ / point_.highest;
  const std::optional<double> pair = pairs_.packet_time(now);
  point_.packet_time = std::min(std::max(kPacketTimeFloor, pair.value_or(most)), most);
  grants_ = pair && *pair > kSurePacketTime && (!pairs_.sharp() || *pair > kGrantLonger * most);
  excess_noise_ =
      std::max(0.0, noise_.value() - (grants_ ? kOwnNoiseGrants : kOwnNoise) * point_.packet_time);
  point_.noise = std::min(kNoiseMost, excess_noise_);
  free_noise_ = excess_noise_;
  if (link_is_sure()) {
    const double share = rate_ * point_.packet_time / mss_;
    free_noise_ = std::max(0.0, noise_.value() - own_noise(share) * point_.packet_time);
  }
  point_.rate = competition_.active() ? std::max(kLeastRate, arrivals_.over(0.3)) : rate_;
  point_.rtt = round_trip_.value();
  point_.window = share_window(point_.rate, mss_, point_.noise);
  new_packets_ = delays_.end_step(now);
  least_ = delays_.least(now, point_.window);
  const bool calm =
      mode_ == Mode::kRun && !competition_.active() && (!episode_.active() || floor_.alone(now));
  const double biased =
      noise_is_sure()
          ? std::max(excess_noise_, kBiasSure * (excess_noise_ - kSureNoise * point_.packet_time))
          : excess_noise_;
  point_.free_noise = calm && link_is_sure() && floor_.alone(now) ? free_noise_ : 0;
  const double bias = calm ? std::max({base_.bias(std::min(biased, kBiasMost)), floor_.floor(now),
                                       give_way_.floor(now, base_.value())})
                           : 0;
  if (!std::isfinite(least_)) least_ = base_.value();
  point_.queue = std::max(0.0, least_ - base_.value() - bias);
  if (base_.value() < falls_from_ - kBaseFalls - 2 * point_.noise) {
    base_fell_at_ = now;
    falls_from_ = base_.value();
  }
  falls_from_ =
      std::max(base_.value(), falls_from_ - kBaseFallsSlowly * std::min(now - last_step_, 1.0));
  target_ = share_target(point_);
}

// Neither grants of a radio's nor the stamps' steps made the pairs.
bool ShareLaw::link_is_sure() const {
  return !grants_ && pairs_.sharp() && point_.packet_time >= kSurePacketTime &&
         point_.packet_time <= kSurePacketTimeMost;
}

// More than other flows' packets between ours can make, and not slots: pairs that all show the
// link's own packet time have seen no grants, whose floor a windowed minimum reaches.
bool ShareLaw::noise_is_sure() const {
  return pairs_.sharp() && point_.packet_time >= kSurePacketTime &&
         excess_noise_ > kSureNoise * point_.packet_time && rate_ > kSureShare * bottleneck();
}

void ShareLaw::step(double now) {
  const double passed = std::min(now - last_step_, 2 * kStep);
  look(now);
  last_step_ = now;
  if (mode_ == Mode::kDrain) {
    step_drain(now);
  } else {
    judge_episode(now);
    if (competition_.active()) {
      step_competition(now);
    } else {
      watch_base(now);
      if (!probe_floor(now) && !test_by_giving_way(now, passed) && now >= rests_until_) {
        step_run(now, passed);
      }
    }
  }
  delivered_ = 0;
  set_outputs(now);
}

double ShareLaw::bottleneck() const {
  return point_.packet_time > kLeastPacketTime ? mss_ / point_.packet_time : point_.highest;
}

void ShareLaw::set_outputs(double now) {
  if (competition_.active()) {
    pacing_ = competition_.pacing();
    window_ = competition_.window();
    return;
  }
  const double rtt = std::max(point_.rtt, smoothed_rtt_);
  if (mode_ == Mode::kDrain) {
    pacing_ = rate_ / 2;
    window_ = std::max(kWindowPackets * mss_, rate_ * (rtt + kWindowSpare));
    return;
  }
  pacing_ = rate_ * share_pacing(point_, target_);
  if (now < empties_until_)
    pacing_ = 0.6 * rate_;
  else if (now < rests_until_)
    pacing_ = rate_;
  else if (floor_.phase() != FloorProbe::Phase::kIdle)
    pacing_ = floor_.gain() * rate_;
  else if (give_way_.active())
    pacing_ = give_way_.gain() * rate_;
  window_ = kWindowGain * std::max(pacing_, rate_ * 0.5) *
                (rtt + point_.queue + kWindowSpare + 2 * point_.noise) +
            kWindowPackets * mss_;
}

}  // namespace farwheel
