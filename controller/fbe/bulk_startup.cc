#include "fbe/bulk_startup.h"

#include <algorithm>

namespace farwheel {
namespace {
constexpr TimeDelta kTick = TimeDelta::from_micros(250);
constexpr std::size_t kEarlyPackets = 5;
// While trains double: over what busy intervals have shown, more each round that showed nothing
// new, and how long a queue that may make; before they have shown anything, the window in half a
// round trip.
constexpr double kSearchGain = 1.25;
constexpr double kSearchGrowth = 1.5;
constexpr double kSearchGainMost = 4;
constexpr TimeDelta kSearchQueue = TimeDelta::from_millis(15);
constexpr double kSearchSpread = 0.5;
// After heavy loss: of what was known.
constexpr double kAfterLoss = 0.85;
// A rate from clusters is no surer than this.
constexpr double kRunsShare = 0.95;
// Rounds of a short path end before the share beside others has settled.
constexpr TimeDelta kLeastSteering = TimeDelta::from_millis(400);
constexpr double kGiveUpRounds = 12;
constexpr TimeDelta kTrainWait = TimeDelta::from_millis(50);
constexpr double kWindowPackets = 4;
// A first round trip over this was rather others' first trains before ours than a path: the longer,
// the less of it is filled before it is heard again. A path that is as long gets its window back
// with each epoch that is heard.
constexpr TimeDelta kLikelyRoundTrip = TimeDelta::from_millis(210);
constexpr double kTrustOfEpoch = 0.5;
constexpr double kUniformConfidence = 1.0;
constexpr double kTrainConfidence = 0.8;
constexpr double kRunsConfidence = 0.75;
// The first train came with others' packets between: a first guess of what is ours.
constexpr double kBesideOthers = 0.8;
// The clock's doubt may become no longer a queue than this before the train is heard.
constexpr TimeDelta kDoubtQueue = TimeDelta::from_millis(1);
}  // namespace

void BulkStartup::on_packet_sent(const Settings& settings, const SentPacket& packet) {
  burst_.on_packet_sent(packet);
  if (phase_ != Phase::kFirstTrain || train_sent_ >= settings.train_packets) return;
  ++train_sent_;
  train_last_ = packet.number;
}

TimeDelta BulkStartup::queue_of(const PacketResult& result) {
  if (!result.received_at.is_finite()) return TimeDelta::zero();
  const TimeDelta owd = result.received_at - result.packet.sent_at;
  least_owd_ = std::min(least_owd_, owd);
  const TimeDelta by_stamp = owd - least_owd_;
  if (!result.rtt.is_finite()) return by_stamp;
  least_rtt_ = std::min(least_rtt_, result.rtt);
  return std::min(by_stamp + kTick, result.rtt - least_rtt_);
}

void BulkStartup::on_result(const Settings& settings, const PacketResult& result,
                            Timestamp heard_at) {
  if (done()) return;
  burst_.on_result(result);
  const bool of_train = phase_ == Phase::kFirstTrain && result.packet.number <= train_last_;
  if (of_train) ++train_settled_;
  // What was lost on the way to the estimate says nothing of the rate that follows from it.
  const bool counts = result.packet.sent_at >= counted_since_;
  if (result.fate == PacketResult::Fate::kLost && counts) lost_ += result.packet.size;
  if (result.fate != PacketResult::Fate::kDelivered) return;
  if (!first_heard_.is_finite()) first_heard_ = heard_at;
  if (counts) delivered_ += result.packet.size;
  if (of_train) train_.on_delivered(result, heard_at);
  if (phase_ != Phase::kSteering) runs_.on_delivered(settings.runs, result);
  steering_.on_delivered(result, queue_of(result));
}

void BulkStartup::on_report(const Settings& settings, const Situation& situation) {
  if (done()) return;
  if (!first_heard_.is_finite()) {
    // Nobody heard the train: another goes out.
    if (train_is_settled()) train_sent_ = train_settled_ = 0;
    return;
  }
  const TimeDelta longest = std::max(settings.give_up, situation.min_rtt * kGiveUpRounds);
  if (situation.now - first_heard_ > longest) {
    return end(phase_ == Phase::kSteering ? Phase::kDone : Phase::kAborted);
  }
  if (phase_ == Phase::kFirstTrain) measure_train(situation);
  if (phase_ == Phase::kSearching) search(settings, situation);
  if (phase_ == Phase::kSteering) steer(settings, situation);
}

void BulkStartup::measure_train(const Situation& situation) {
  std::optional<FirstTrain::Capacity> found;
  const bool early = train_.packets() >= kEarlyPackets;
  if (train_is_settled() || early) found = train_.capacity();
  if (!train_is_settled() && !(found && found->uniform && found->least == found->rate)) {
    // A packet that no report names must not hold the next train back for long.
    if (situation.now - first_heard_ < std::max(kTrainWait, situation.min_rtt * 0.5)) return;
    found = train_.capacity();
  }
  if (!found || !lost_.is_zero()) {
    phase_ = Phase::kSearching;
    last_round_ = situation.round;
    return;
  }
  confidence_ =
      found->uniform ? kUniformConfidence * (found->least / found->rate) : kTrainConfidence;
  const DataRate bounded =
      found->least * (1 + kDoubtQueue / std::max(situation.min_rtt, kDoubtQueue));
  const bool tells =
      !found->uniform && RateSteering::tells_shares(found->rate, situation.min_rtt, situation.mss);
  const double share = tells ? kBesideOthers : 1;
  start_steering(situation,
                 {found->rate, found->rate * share, std::min(found->rate, bounded) * share});
  uniform_ = found->uniform;
}

// The path carries more than the train showed: again from there, and twice as far.
void BulkStartup::take_burst(const Situation& situation) {
  const auto shown = burst_.take_shown();
  if (!shown || steering_.available() < steering_.capacity()) return;
  confidence_ = std::min(confidence_, kTrainConfidence);
  start_steering(situation, {*shown, *shown, *shown});
  burst_.arm(*shown);
}

void BulkStartup::search(const Settings& settings, const Situation& situation) {
  // The queue is full, so the link is busy: time to measure, not to send more.
  overran_ = overran_ || lost_ > (lost_ + delivered_) * settings.most_loss;
  if (situation.round != last_round_) {
    last_round_ = situation.round;
    if (round_began_.is_finite()) {
      const TimeDelta took = std::max(situation.now - round_began_, situation.min_rtt);
      round_rate_ = std::max(round_rate_, delivered_ / took);
    }
    round_began_ = situation.now;
    lost_ = DataSize::zero();
    delivered_ = DataSize::zero();
    const bool nothing_new = runs_.intervals() == intervals_seen_;
    intervals_seen_ = runs_.intervals();
    search_gain_ =
        nothing_new ? std::min(search_gain_ * kSearchGrowth, kSearchGainMost) : kSearchGain;
  }
  if (!runs_.enough(settings.runs)) return;
  confidence_ = kRunsConfidence;
  const DataRate found = runs_.rate();
  start_steering(situation, {found, found, found * kRunsShare});
}

void BulkStartup::start_steering(const Situation& situation, const RateSteering::Start& start) {
  phase_ = Phase::kSteering;
  last_round_ = situation.round;
  rounds_steered_ = 0;
  overran_ = false;
  counted_since_ = situation.now;
  lost_ = DataSize::zero();
  delivered_ = DataSize::zero();
  steering_.start(situation.now, start);
}

void BulkStartup::steer(const Settings& settings, const Situation& situation) {
  steering_.on_report({situation.min_rtt, situation.mss, runs_.longest()});
  if (situation.app_limited) return end(Phase::kDone);
  take_burst(situation);
  if (situation.round == last_round_) return;
  last_round_ = situation.round;
  if (uniform_ && !burst_.under_way() && steering_.idles()) burst_.arm(steering_.capacity());
  const bool heavy_loss = lost_ > (lost_ + delivered_) * settings.most_loss;
  lost_ = DataSize::zero();
  delivered_ = DataSize::zero();
  if (heavy_loss) {
    overran_ = true;
    return end(Phase::kDone);
  }
  // The round that ends first carried the first train's answer alone.
  if (++rounds_steered_ >= 2) verified_ = true;
  if (rounds_steered_ > settings.steered_rounds &&
      situation.now - counted_since_ >= kLeastSteering) {
    end(Phase::kDone);
  }
}

void BulkStartup::end(Phase phase) {
  phase_ = phase;
  verified_ = true;
  if (phase == Phase::kAborted || overran_) confidence_ *= 0.5;
}

DataRate BulkStartup::capacity() const {
  return steering_.capacity().is_zero() ? runs_.rate_so_far() : steering_.capacity();
}

DataRate BulkStartup::pacing_rate(const Settings& settings, const Situation& situation,
                                  DataSize cwnd) const {
  if (phase_ == Phase::kSteering) return steering_.rate() * burst_.pace_gain();
  if (phase_ != Phase::kSearching) return settings.train_rate;
  return runs_.rate_so_far().is_zero() ? cwnd / (situation.min_rtt * (overran_ ? 1 : kSearchSpread))
                                       : search_rate();
}

DataRate BulkStartup::search_rate() const {
  const DataRate known = runs_.rate_so_far();
  // Few intervals can tell less than what a whole round has brought.
  return overran_ ? std::max(known, round_rate_)
                  : std::max(known * search_gain_, round_rate_ * kSearchGrowth);
}

TimeDelta BulkStartup::steered_window(TimeDelta round_trip) const {
  if (round_trip <= kLikelyRoundTrip) return round_trip;
  const double likely = kLikelyRoundTrip / round_trip;
  const double trust = 1 + kTrustOfEpoch * steering_.epochs();
  return std::min(round_trip, kLikelyRoundTrip * (likely * likely * likely * trust));
}

DataRate BulkStartup::rate() const {
  const DataRate most = steering_.shares() ? steering_.available() : steering_.rate();
  return std::min(steering_.rate(), most) * (overran_ && phase_ == Phase::kDone ? kAfterLoss : 1);
}

DataSize BulkStartup::steering_window(const Situation& situation) const {
  const TimeDelta heard = steered_window(situation.min_rtt) + situation.report_wait;
  const DataSize spare = situation.mss * kWindowPackets;
  if (!steering_.shares()) return steering_.rate() * heard + spare + burst_.ahead(situation.mss);
  const TimeDelta queue = steering_.standing_queue(situation.min_rtt, situation.mss);
  return std::min(steering_.capacity() * heard + spare, steering_.available() * (heard + queue));
}

std::optional<DataSize> BulkStartup::window(const Settings& settings,
                                            const Situation& situation) const {
  switch (phase_) {
    case Phase::kFirstTrain:
      // Nothing more until the train is heard: what came between would stretch its intervals.
      return train_sent_ < settings.train_packets || train_is_settled()
                 ? situation.mss * static_cast<double>(settings.train_packets)
                 : DataSize::zero();
    case Phase::kSearching:
      if (runs_.rate_so_far().is_zero()) return std::nullopt;
      return std::max(
          situation.mss * static_cast<double>(settings.train_packets),
          search_rate() * (overran_ ? 1 : 1 / kSearchGain) *
              (situation.min_rtt + situation.report_wait + runs_.longest() + kSearchQueue));
    case Phase::kSteering:
      return steering_window(situation);
    default:
      return std::nullopt;
  }
}

}  // namespace farwheel
