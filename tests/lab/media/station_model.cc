#include "media/station_model.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace farwheel::lab::media {
namespace {

constexpr TimeDelta kReportInterval = TimeDelta::from_millis(10);
constexpr std::int64_t kTickNs = 250'000;
constexpr std::int64_t kClockPeriodNs = 16777216LL * 64'000'000LL;
// Out of order is not lost: so long a gap may close itself.
constexpr TimeDelta kReorderWait = TimeDelta::from_millis(12);
constexpr TimeDelta kRetryMargin = TimeDelta::from_millis(20);
constexpr TimeDelta kLookAfter = TimeDelta::from_millis(5);
// Past this a resent packet completes a frame too late to be of use.
constexpr TimeDelta kPatience = TimeDelta::from_millis(200);
constexpr TimeDelta kKeyInterval = TimeDelta::from_millis(250);
constexpr int kMostRequests = 4;

}  // namespace

StationModel::StationModel(sim::EventQueue& events, MediaLink& link, const MediaConfig& config,
                           std::size_t vehicle, Replies replies)
    : events_(events),
      link_(link),
      replies_(std::move(replies)),
      clock_rate_(1 + config.skew_ppm * 1e-6),
      retry_(TimeDelta::from_seconds(config.rtt_of(vehicle) / 1e3) + kRetryMargin) {
  Random random(config.seed * 6700417 + vehicle);
  clock_offset_ns_ = static_cast<std::int64_t>(random.uniform() * 1e12);
  grid_phase_ = kReportInterval * random.uniform();
}

StationModel::Stream& StationModel::stream(FeedId feed) {
  if (streams_.size() <= feed) streams_.resize(feed + 1);
  return streams_[feed];
}

std::int64_t StationModel::receiver_ns() const {
  const double ns = static_cast<double>(events_.now().ns()) * clock_rate_;
  const std::int64_t exact = static_cast<std::int64_t>(ns) + clock_offset_ns_;
  return (exact + kTickNs / 2) / kTickNs * kTickNs;
}

bool StationModel::on_packet(PacketNumber number, FeedId feed, std::int64_t sequence,
                             FeedKind kind) {
  received_.push_back(number);
  received_ns_.push_back(receiver_ns() % kClockPeriodNs);
  if (!report_due_) {
    report_due_ = true;
    const TimeDelta since = events_.now() - (Timestamp::from_nanos(0) + grid_phase_);
    const std::int64_t steps = since.ns() / kReportInterval.ns() + 1;
    events_.at(Timestamp::from_nanos(grid_phase_.ns() + steps * kReportInterval.ns()),
               [this] { report(); });
  }
  Stream& s = stream(feed);
  const auto index = static_cast<std::size_t>(sequence);
  if (s.got.size() <= index) s.got.resize(index + 1, false);
  if (s.got[index]) return false;
  s.got[index] = true;
  if (kind == FeedKind::kCamera) {
    for (std::int64_t gap = s.next; gap < sequence; ++gap) {
      s.missing.push_back({gap, events_.now(), Timestamp::infinite_past(), 0});
    }
    if (!s.missing.empty()) watch(feed);
  }
  s.next = std::max(s.next, sequence + 1);
  return true;
}

void StationModel::on_key_frame(FeedId feed, std::int64_t first) {
  Stream& s = stream(feed);
  s.needed_from = std::max(s.needed_from, first);
}

// As rtpsession 1.22: the range from what was reported last to the newest; what comes after its
// report stays lost.
void StationModel::report() {
  report_due_ = false;
  const auto newest = *std::max_element(received_.begin(), received_.end());
  auto entries = std::make_shared<std::vector<ReportedPacket>>();
  for (PacketNumber n = next_to_report_; n <= newest; ++n) {
    entries->push_back({.sequence_number = static_cast<std::uint16_t>(n), .lost = true});
  }
  for (std::size_t i = 0; i < received_.size(); ++i) {
    if (received_[i] < next_to_report_) continue;
    ReportedPacket& entry = (*entries)[static_cast<std::size_t>(received_[i] - next_to_report_)];
    entry.lost = false;
    entry.remote_ns = received_ns_[i];
  }
  next_to_report_ = std::max(next_to_report_, newest + 1);
  received_.clear();
  received_ns_.clear();
  if (entries->empty()) return;
  link_.send_back(flow_, [this, entries] { replies_.report(*entries); });
}

void StationModel::watch(FeedId feed) {
  Stream& s = stream(feed);
  if (s.watched) return;
  s.watched = true;
  events_.after(kLookAfter, [this, feed] { look_after(feed); });
}

void StationModel::look_after(FeedId feed) {
  Stream& s = stream(feed);
  s.watched = false;
  const Timestamp now = events_.now();
  bool given_up = false;
  std::erase_if(s.missing, [&](const Missing& m) {
    if (m.sequence < s.needed_from || s.got[static_cast<std::size_t>(m.sequence)]) return true;
    if (now - m.since <= kPatience) return false;
    given_up = true;
    return true;
  });
  if (given_up && now - s.key_asked_at >= kKeyInterval) {
    s.key_asked_at = now;
    link_.send_back(flow_, [this, feed] { replies_.key_frame(feed); });
  }
  for (Missing& m : s.missing) {
    if (now - m.since < kReorderWait || m.asked >= kMostRequests) continue;
    if (now - m.asked_at < retry_) continue;
    m.asked_at = now;
    ++m.asked;
    link_.send_back(flow_, [this, feed, n = m.sequence] { replies_.resend(feed, n); });
  }
  if (!s.missing.empty()) watch(feed);
}

}  // namespace farwheel::lab::media
