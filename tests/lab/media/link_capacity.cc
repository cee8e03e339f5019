#include "media/link_capacity.h"

#include <algorithm>
#include <cmath>

#include "path/random.h"

namespace farwheel::lab::media {
namespace {

constexpr double kOpportunityBytes = 1500;
constexpr double kTolerance = 1e-6;  // of a byte
// A link that gives nothing for so long gives nothing any more.
constexpr std::int64_t kMostEmptyGrants = 10'000'000;

Timestamp at_seconds(double s) {
  return Timestamp::from_nanos(std::llround(s * 1e9));
}

// A rate that is constant between breakpoints.
class PhasedCapacity : public LinkCapacity {
 public:
  PhasedCapacity(const std::vector<RatePhase>& phases, const std::vector<Silence>& silences) {
    std::vector<double> cuts{0};
    double start = 0;
    for (const RatePhase& phase : phases) cuts.push_back(start += phase.seconds);
    for (const Silence& silence : silences) {
      cuts.push_back(silence.at_s);
      cuts.push_back(silence.at_s + silence.seconds);
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (const double cut : cuts) {
      const bool silent = std::any_of(silences.begin(), silences.end(),
                                      [cut](const Silence& s) { return s.contains(cut); });
      const double rate = silent ? 0 : mbps_at(phases, cut) * 1e6 / 8;
      double before = 0;
      if (!steps_.empty()) {
        const Step& last = steps_.back();
        before = last.bytes_before + (cut - last.start_s) * last.rate;
      }
      steps_.push_back({cut, rate, before});
    }
  }

  Departure serve(Service& service, Timestamp arrival, std::int64_t bytes) const override {
    const Timestamp start = std::max(arrival, service.free_at);
    service.free_at = start.is_finite()
                          ? time_of(bytes_by(start.seconds()) + static_cast<double>(bytes), start)
                          : start;
    return {service.free_at};
  }
  double bytes_between(Timestamp from, Timestamp to) const override {
    return bytes_by(to.seconds()) - bytes_by(from.seconds());
  }
  Timestamp next_delivery(Timestamp from) const override {
    const double t = from.seconds();
    for (std::size_t i = index_at(t); i < steps_.size(); ++i) {
      if (steps_[i].rate > 0) return std::max(from, at_seconds(steps_[i].start_s));
    }
    return Timestamp::infinite_future();
  }
  double bytes_per_second(Timestamp at) const override {
    return steps_[index_at(at.seconds())].rate;
  }

 private:
  struct Step {
    double start_s;
    double rate;  // bytes a second
    double bytes_before;
  };

  static double mbps_at(const std::vector<RatePhase>& phases, double t) {
    double end = 0;
    for (const RatePhase& phase : phases) {
      end += phase.seconds;
      if (t < end) return phase.mbps;
    }
    return phases.back().mbps;
  }
  std::size_t index_at(double t) const {
    const auto after = std::upper_bound(steps_.begin(), steps_.end(), t,
                                        [](double at, const Step& s) { return at < s.start_s; });
    return after == steps_.begin() ? 0 : static_cast<std::size_t>(after - steps_.begin() - 1);
  }
  double bytes_by(double t) const {
    const Step& step = steps_[index_at(t)];
    return step.bytes_before + std::max(0.0, t - step.start_s) * step.rate;
  }
  Timestamp time_of(double bytes, Timestamp not_before) const {
    for (std::size_t i = index_at(not_before.seconds()); i < steps_.size(); ++i) {
      const bool is_last = i + 1 == steps_.size();
      const Step& step = steps_[i];
      if (step.rate <= 0 || (!is_last && steps_[i + 1].bytes_before < bytes - kTolerance)) continue;
      const double at = step.start_s + (bytes - step.bytes_before) / step.rate;
      return std::max(not_before, at_seconds(at));
    }
    return Timestamp::infinite_future();
  }

  std::vector<Step> steps_;
};

// Something that passes only at certain instants, so much at each. What a grant has left serves who
// is there in time; it is lost for who comes later.
class GrantedCapacity : public LinkCapacity {
 public:
  Departure serve(Service& service, Timestamp arrival, std::int64_t bytes) const override {
    const Timestamp ready = std::max(arrival, service.free_at);
    if (!ready.is_finite()) return {ready};
    const std::int64_t first = first_at_or_after(arrival);
    if (first > service.grant) {
      service.grant = first;
      service.grant_left = grant_bytes(first);
    }
    auto open = static_cast<double>(bytes);
    for (std::int64_t empty = 0; service.grant_left < open - kTolerance; ++empty) {
      if (empty > kMostEmptyGrants) {
        service.free_at = Timestamp::infinite_future();
        return {service.free_at};
      }
      if (service.grant_left > 0) empty = 0;
      open -= service.grant_left;
      service.grant_left = grant_bytes(++service.grant);
    }
    service.grant_left = std::max(0.0, service.grant_left - open);
    service.free_at = grant_time(service.grant);
    return {service.free_at, repeat_of(service.grant)};
  }
  double bytes_between(Timestamp from, Timestamp to) const override {
    double sum = 0;
    for (std::int64_t i = first_at_or_after(from); grant_time(i) < to; ++i) sum += grant_bytes(i);
    return sum;
  }
  Timestamp next_delivery(Timestamp from) const override {
    const std::int64_t first = first_at_or_after(from);
    for (std::int64_t i = first; i < first + kMostEmptyGrants; ++i) {
      if (grant_bytes(i) > 0) return grant_time(i);
    }
    return Timestamp::infinite_future();
  }

 protected:
  virtual Timestamp grant_time(std::int64_t index) const = 0;
  virtual double grant_bytes(std::int64_t index) const = 0;
  virtual std::int64_t first_at_or_after(Timestamp at) const = 0;
  virtual TimeDelta repeat_of(std::int64_t) const { return TimeDelta::zero(); }
};

class SlottedCapacity : public GrantedCapacity {
 public:
  SlottedCapacity(std::unique_ptr<LinkCapacity> rate, const Uplink& uplink, std::uint64_t seed)
      : rate_(std::move(rate)), uplink_(uplink), seed_(seed) {
    slot_ns_ = std::max<std::int64_t>(1000, std::llround(uplink.slot_ms * 1e6));
  }
  double bytes_per_second(Timestamp at) const override { return rate_->bytes_per_second(at); }

 protected:
  Timestamp grant_time(std::int64_t index) const override {
    return Timestamp::from_nanos(index * slot_ns_);
  }
  double grant_bytes(std::int64_t index) const override {
    // Nothing is granted in a silence, whatever the slot before it could have carried.
    if (index <= 0 || rate_->bytes_per_second(grant_time(index)) <= 0) return 0;
    return rate_->bytes_between(grant_time(index - 1), grant_time(index));
  }
  std::int64_t first_at_or_after(Timestamp at) const override {
    return (std::max<std::int64_t>(at.ns(), 0) + slot_ns_ - 1) / slot_ns_;
  }
  TimeDelta repeat_of(std::int64_t index) const override {
    Random random(seed_ ^ (static_cast<std::uint64_t>(index) * 0x9E3779B97F4A7C15u));
    return random.uniform() < uplink_.harq_share
               ? TimeDelta::from_nanos(std::llround(uplink_.harq_ms * 1e6))
               : TimeDelta::zero();
  }

 private:
  std::unique_ptr<LinkCapacity> rate_;
  Uplink uplink_;
  std::uint64_t seed_;
  std::int64_t slot_ns_;
};

class TracedCapacity : public GrantedCapacity {
 public:
  TracedCapacity(std::vector<std::int64_t> opportunities, std::vector<Silence> silences)
      : times_ms_(std::move(opportunities)), silences_(std::move(silences)) {
    count_ = std::ssize(times_ms_);
    period_ms_ = std::max<std::int64_t>(1, times_ms_.back());
  }
  // The mean: a trace has no rate of the moment.
  double bytes_per_second(Timestamp) const override {
    return static_cast<double>(count_) * kOpportunityBytes * 1e3 / static_cast<double>(period_ms_);
  }

 protected:
  Timestamp grant_time(std::int64_t index) const override {
    const std::int64_t round = index / count_;
    return Timestamp::from_millis(round * period_ms_ +
                                  times_ms_[static_cast<std::size_t>(index % count_)]);
  }
  double grant_bytes(std::int64_t index) const override {
    if (silences_.empty()) return kOpportunityBytes;
    const double t = grant_time(index).seconds();
    const bool silent = std::any_of(silences_.begin(), silences_.end(),
                                    [t](const Silence& s) { return s.contains(t); });
    return silent ? 0 : kOpportunityBytes;
  }
  std::int64_t first_at_or_after(Timestamp at) const override {
    const std::int64_t ns = std::max<std::int64_t>(at.ns(), 0);
    const std::int64_t ms = (ns + 999'999) / 1'000'000;
    // The last opportunity of a round and the first moments of the next share a time.
    std::int64_t round = ms / period_ms_;
    if (ms % period_ms_ == 0 && round > 0) --round;
    const std::int64_t within = ms - round * period_ms_;
    const auto found = std::lower_bound(times_ms_.begin(), times_ms_.end(), within);
    return round * count_ + (found - times_ms_.begin());
  }

 private:
  std::vector<std::int64_t> times_ms_;
  std::vector<Silence> silences_;
  std::int64_t count_;
  std::int64_t period_ms_;
};

}  // namespace

std::unique_ptr<LinkCapacity> phased_capacity(std::vector<RatePhase> phases,
                                              const std::vector<Silence>& silences) {
  return std::make_unique<PhasedCapacity>(phases, silences);
}

std::unique_ptr<LinkCapacity> slotted_capacity(std::unique_ptr<LinkCapacity> rate,
                                               const Uplink& uplink, std::uint64_t seed) {
  return std::make_unique<SlottedCapacity>(std::move(rate), uplink, seed);
}

std::unique_ptr<LinkCapacity> traced_capacity(std::vector<std::int64_t> opportunities_ms,
                                              const std::vector<Silence>& silences) {
  return std::make_unique<TracedCapacity>(std::move(opportunities_ms), silences);
}

}  // namespace farwheel::lab::media
