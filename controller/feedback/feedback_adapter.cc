#include "feedback/feedback_adapter.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "units/prefetch.h"

namespace farwheel {
namespace {
// Reports may overtake each other on the way back.
constexpr TimeDelta kPassedGrace = TimeDelta::from_millis(30);

constexpr std::size_t kLargestHistory = 32768;
constexpr DataSize kLargestPacket = DataSize::from_bytes(std::numeric_limits<std::int32_t>::max());
constexpr std::size_t kMostExpected = 16;
// RFC 6298 section 2.1 starts from one second; four of these make it.
constexpr TimeDelta kUnmeasuredRtt = TimeDelta::from_millis(250);
// Transport-wide times come in steps of 250 us: no shorter RTT can be told from none.
constexpr TimeDelta kClockStep = TimeDelta::from_micros(250);
// Two roundings and the receiver's scheduling may make a tiny RTT come out below zero.
constexpr TimeDelta kRttTolerance = TimeDelta::from_millis(2);

std::size_t history_size(std::size_t wanted) {
  return std::bit_ceil(std::clamp<std::size_t>(wanted, 2, kLargestHistory));
}

}  // namespace

FeedbackAdapter::FeedbackAdapter() : FeedbackAdapter(Config()) {}

FeedbackAdapter::FeedbackAdapter(const Config& config)
    : config_(config), history_(history_size(config.max_history)), mask_(history_.size() - 1) {}

FeedbackAdapter::Entry& FeedbackAdapter::slot(PacketNumber number) {
  return history_[static_cast<std::uint64_t>(number) & mask_];
}

const FeedbackAdapter::Entry& FeedbackAdapter::slot(PacketNumber number) const {
  return history_[static_cast<std::uint64_t>(number) & mask_];
}

bool FeedbackAdapter::on_packet_sent(const SentPacket& packet) {
  if (newest_ && packet.number <= *newest_) return false;
  if (!packet.sent_at.is_finite() || packet.size > kLargestPacket) return false;
  if (packet.size < DataSize::zero()) return false;
  const auto span = static_cast<std::int64_t>(history_.size());
  while (packets_in_flight_ > 0 &&
         static_cast<std::uint64_t>(packet.number) - static_cast<std::uint64_t>(oldest_) >=
             static_cast<std::uint64_t>(span)) {
    Entry& oldest = slot(oldest_);
    // Whoever never asks loses the oldest of these too: memory stays bounded.
    if (evicted_.size() < history_.size()) evicted_.push_back({.packet = oldest.packet()});
    give_up(oldest, State::kUnknown);
  }
  if (packets_in_flight_ == 0) oldest_ = packet.number;
  newest_ = packet.number;
  Entry& entry = slot(packet.number);
  entry.number = packet.number;
  entry.sent_at = packet.sent_at;
  entry.bytes = static_cast<std::int32_t>(packet.size.bytes());
  entry.feed = packet.feed;
  entry.state = State::kInFlight;
  entry.is_probe = packet.is_probe;
  in_flight_ += packet.size;
  ++packets_in_flight_;
  return true;
}

FeedbackAdapter::Entry* FeedbackAdapter::find(std::uint16_t sequence_number) {
  if (!newest_) return nullptr;
  const auto newest = static_cast<std::uint64_t>(*newest_);
  const auto back = static_cast<std::uint16_t>(newest - sequence_number);
  if (back >= history_.size()) return nullptr;
  const auto number = static_cast<PacketNumber>(newest - back);
  Entry& entry = slot(number);
  if (entry.state == State::kFree || entry.number != number) return nullptr;
  return &entry;
}

void FeedbackAdapter::expect(std::size_t packets) const {
  packets = std::min(packets, kMostExpected);
  prefetch(&slot(oldest_), packets * sizeof(Entry));
  prefetch(report_.packets.data(), packets * sizeof(PacketResult));
  prefetch(arrivals_.data(), packets * sizeof(Arrival));
}

void FeedbackAdapter::begin_report(Timestamp at) {
  report_.received_at = at;
  report_.packets.clear();
  report_.ecn_ce_count.reset();
  if (evicted_.empty()) return;
  report_.packets.insert(report_.packets.end(), evicted_.begin(), evicted_.end());
  evicted_.clear();
}

void FeedbackAdapter::skip_settled() {
  if (packets_in_flight_ == 0) return;
  while (true) {
    const Entry& entry = slot(oldest_);
    if (entry.state == State::kInFlight && entry.number == oldest_) return;
    ++oldest_;
  }
}

void FeedbackAdapter::settle(Entry& entry, State state) {
  const bool was_in_flight = entry.state == State::kInFlight;
  entry.state = state;
  if (!was_in_flight) return;
  in_flight_ -= DataSize::from_bytes(entry.bytes);
  --packets_in_flight_;
  skip_settled();
}

void FeedbackAdapter::give_up(Entry& entry, State state) {
  ++counters_.aged_out;
  settle(entry, state);
}

void FeedbackAdapter::take_lost(Entry& entry) {
  if (entry.state != State::kInFlight) {
    ++counters_.duplicate_results;
    return;
  }
  settle(entry, State::kLost);
  report_.packets.push_back({.packet = entry.packet(), .fate = PacketResult::Fate::kLost});
}

void FeedbackAdapter::take_delivered(Entry& entry, Timestamp arrival, TimeDelta rtt) {
  if (entry.state == State::kDelivered || entry.state == State::kAbandoned) {
    ++counters_.duplicate_results;
    return;
  }
  if (entry.state != State::kInFlight) ++counters_.late_rescues;
  if (entry.state == State::kUnknown) ++counters_.rescued_unknown;
  settle(entry, State::kDelivered);
  report_.packets.push_back({.packet = entry.packet(),
                             .fate = PacketResult::Fate::kDelivered,
                             .received_at = arrival,
                             .rtt = std::max(rtt, kClockStep)});
}

const FeedbackReport& FeedbackAdapter::on_report(Timestamp received_at,
                                                 std::span<const ReportedPacket> report,
                                                 std::optional<std::int64_t> ecn_ce_count) {
  ++counters_.reports;
  begin_report(received_at);
  report_.ecn_ce_count = ecn_ce_count;
  arrivals_.clear();
  Timestamp newest_arrival = Timestamp::infinite_past();
  std::optional<PacketNumber> first;
  for (const ReportedPacket& reported : report) {
    Entry* entry = find(reported.sequence_number);
    if (entry == nullptr) {
      ++counters_.unknown_sequence;
      continue;
    }
    first = std::min(first.value_or(entry->number), entry->number);
    if (reported.lost) {
      take_lost(*entry);
      continue;
    }
    if (!reported.remote_ns || received_at < entry->sent_at) {
      ++counters_.bad_times;
      continue;
    }
    const auto arrival = clock_.read({*reported.remote_ns, entry->sent_at, received_at});
    if (!arrival) {
      ++counters_.bad_times;
      continue;
    }
    newest_arrival = std::max(newest_arrival, *arrival);
    arrivals_.push_back({entry, *arrival});
  }
  for (const Arrival& arrival : arrivals_) {
    const TimeDelta wait = newest_arrival - arrival.at;
    const TimeDelta rtt = received_at - arrival.entry->sent_at - wait;
    if (rtt < TimeDelta::zero() - kRttTolerance) {
      ++counters_.bad_times;
      continue;
    }
    take_delivered(*arrival.entry, arrival.at, rtt);
  }
  if (first && packets_in_flight_ > 0 && oldest_ < *first) {
    if (oldest_ >= passed_) passed_at_ = received_at;
    passed_ = std::max(passed_, *first);
  }
  // A packet that one report names twice was lost first, and delivered after all.
  const auto earlier = [](const PacketResult& a, const PacketResult& b) {
    if (a.packet.number != b.packet.number) return a.packet.number < b.packet.number;
    return a.fate == PacketResult::Fate::kLost && b.fate != PacketResult::Fate::kLost;
  };
  if (!std::is_sorted(report_.packets.begin(), report_.packets.end(), earlier)) {
    std::sort(report_.packets.begin(), report_.packets.end(), earlier);
  }
  return report_;
}

const FeedbackReport& FeedbackAdapter::age_out(Timestamp now, TimeDelta smoothed_rtt) {
  begin_report(now);
  const TimeDelta rtt = smoothed_rtt.is_finite() ? smoothed_rtt : kUnmeasuredRtt;
  const TimeDelta age = std::max(config_.min_age_out, rtt * 4.0);
  // Reports go on from each other: what a later one begins behind will not be named any more.
  const bool passed_over = passed_at_ + kPassedGrace <= now;
  while (packets_in_flight_ > 0 &&
         (slot(oldest_).sent_at + age <= now || (passed_over && oldest_ < passed_))) {
    Entry& entry = slot(oldest_);
    report_.packets.push_back({.packet = entry.packet()});
    give_up(entry, State::kUnknown);
  }
  return report_;
}

const FeedbackReport& FeedbackAdapter::abandon(Timestamp now) {
  begin_report(now);
  while (packets_in_flight_ > 0) {
    Entry& entry = slot(oldest_);
    report_.packets.push_back({.packet = entry.packet()});
    give_up(entry, State::kAbandoned);
  }
  for (Entry& entry : history_) {
    if (entry.state != State::kFree) entry.state = State::kAbandoned;
  }
  return report_;
}

std::optional<Timestamp> FeedbackAdapter::oldest_in_flight() const {
  if (packets_in_flight_ == 0) return std::nullopt;
  return slot(oldest_).sent_at;
}

}  // namespace farwheel
