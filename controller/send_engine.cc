#include "send_engine.h"

#include <algorithm>
#include <utility>

#include "units/prefetch.h"

namespace farwheel {
namespace {

// What SendController promises its caller to need between two ticks.
constexpr TimeDelta kTick = TimeDelta::from_millis(25);
// No model may pace slower: below it a radar sweep alone would take a second.
constexpr DataRate kSlowestPace = DataRate::from_kbps(20);
// Pacing without feedback, over the encoders' rate, so that a frame does not wait for the next.
constexpr double kBlindPacingGain = 1.5;
// A key frame queued this short before a silence ended still shows the road as it is.
constexpr TimeDelta kFreshKeyFrame = TimeDelta::from_millis(250);
// In silence each request only refreshes the picture that will go first when feedback comes.
constexpr double kSilentKeyRequestFactor = 2;
constexpr std::size_t kMaxEvents = 4096;
// A change that was planned goes to a path that is as good, as far as anybody knows: so much of the
// rate before is expected of it, and what is queued goes on.
constexpr double kTrustOfNextPath = 0.5;
// A stock receiver reports at the end of a frame. If the first is longer than the first window, it
// goes on past it, this far at most; on a slow link that is the most that stands there.
constexpr TimeDelta kFirstUnitTime = TimeDelta::from_millis(500);
constexpr DataSize kFirstUnitSize = DataSize::from_bytes(64000);

TimeDelta millis(double ms) {
  return TimeDelta::from_seconds(ms / 1e3);
}

}  // namespace

SendEngine::SendEngine(const ControllerConfig& config)
    : config_(config), bbr_(config), pacer_(config.seed) {
  apply_params();
  events_.reserve(kUsualEvents);
}

void SendEngine::set_algorithm(Timestamp now, Algorithm algorithm) {
  config_.algorithm = algorithm;
  bbr_.set_algorithm(now, algorithm);
}

void SendEngine::set_startup(StartupKind startup) {
  config_.startup = startup;
  bbr_.set_startup(startup);
}

void SendEngine::set_bitrate_bounds(DataRate min, DataRate max) {
  config_.min_bitrate = std::min(min, max);
  config_.max_bitrate = std::max(min, max);
}

void SendEngine::set_start_bitrate(DataRate rate) {
  config_.start_bitrate = rate;
  bbr_.on_start_bitrate(rate);
}

std::string SendEngine::set_params(std::string_view text) {
  const SplitParams split = split_params(text);
  SendParams changed = params_;
  if (std::string fault = farwheel::apply_params(split.own, changed); !fault.empty()) return fault;
  if (std::string fault = bbr_.set_params(split.other); !fault.empty()) return fault;
  params_ = changed;
  apply_params();
  return {};
}

std::string SendEngine::params() const {
  const std::string model = bbr_.params();
  return model.empty() ? print_params(params_) : model + "," + print_params(params_);
}

void SendEngine::apply_params() {
  silence_.set_config({.overdue = millis(params_.hold_ms),
                       .max_overdue = std::max(millis(params_.hold_ms), millis(600)),
                       .floor_after = millis(params_.hold_floor_ms),
                       .blind_after = millis(params_.blind_after_ms)});
  pacer_.set_config({.max_burst = millis(params_.burst_ms), .min_wait = millis(params_.timer_ms)});
  const bool is_silent = silence_.phase() != Phase::kHeard && silence_.phase() != Phase::kBlind;
  queues_.set_config({.key_request_interval = millis(params_.key_request_ms) *
                                              (is_silent ? kSilentKeyRequestFactor : 1.0),
                      .max_retransmission_wait = millis(params_.rtx_wait_ms),
                      .key_frame_patience = params_.key_patience});
}

void SendEngine::add_feed(FeedId feed, const FeedConfig& config) {
  queues_.set_feed(feed, config);
  ledger_.set_feed(feed, config);
}

void SendEngine::remove_feed(Timestamp now, FeedId feed) {
  queues_.remove_feed(feed, drops_);
  ledger_.remove_feed(feed);
  collect_drops(now);
}

void SendEngine::on_packet_queued(Timestamp now, const QueuedPacket& packet) {
  queues_.expire(now, drops_);
  ledger_.on_queued(now, packet);
  if (queues_.push(packet, drops_) && packet.kind != FrameKind::kSweep) {
    bbr_.on_frame(now, adapter_.bytes_in_flight());
  }
  collect_drops(now);
}

void SendEngine::expire(Timestamp now) {
  queues_.expire(now, drops_);
  if (!drops_.needs_key_frame.empty()) bbr_.on_frames_dropped(now);
  collect_drops(now);
}

void SendEngine::collect_drops(Timestamp now) {
  for (const FeedId feed : drops_.needs_key_frame) ledger_.on_key_request(feed);
  journal_.take(now, drops_, events_);
  // Whoever never asks for events loses the older half.
  if (events_.size() > kMaxEvents) events_.erase(events_.begin(), events_.begin() + kMaxEvents / 2);
}

SilenceWatch::InFlight SendEngine::in_flight() const {
  const TimeDelta rtt = bbr_.smoothed_rtt();
  return {adapter_.oldest_in_flight(), rtt.is_finite() ? std::optional(rtt) : std::nullopt};
}

TimeDelta SendEngine::trickle_interval() const {
  const TimeDelta rtt = bbr_.smoothed_rtt();
  const TimeDelta least = millis(params_.trickle_ms);
  return rtt.is_finite() ? std::min(std::max(least, rtt * 2.0), millis(1000)) : least;
}

DataRate SendEngine::pacing_rate(Timestamp now) const {
  const bool is_blind = silence_.phase() == Phase::kBlind;
  DataRate encoders = DataRate::zero();
  if (!heard_on_path_ &&
      (last_is_unnumbered_ ||
       (may_pass_window(now) && (is_blind || is_window_full(DataSize::zero()))))) {
    // Without what the encoders owe for a backlog: pacing that gives way to that never works it
    // off.
    encoders = std::min(config_.start_bitrate, config_.max_bitrate);
  } else if (!is_blind) {
    return std::max(bbr_.pacing_rate(), kSlowestPace);
  }
  DataRate sum = DataRate::zero();
  for (const FeedTarget& target : targets(now)) sum += target.bitrate;
  return std::max(std::max(sum, encoders) * kBlindPacingGain, kSlowestPace);
}

bool SendEngine::is_window_full(DataSize next) const {
  const DataSize flying = adapter_.bytes_in_flight();
  return !flying.is_zero() && flying + std::max(next, config_.max_packet_size) > bbr_.cwnd();
}

bool SendEngine::may_pass_window(Timestamp now) const {
  if (unheard_size_ + config_.max_packet_size > kFirstUnitSize || !queues_.head_is_awaited()) {
    return false;
  }
  if (!heard_on_path_) return now - unheard_since_ <= kFirstUnitTime;
  // A key frame longer than the window: a report is overdue because the receiver waits for its end.
  return now - last_heard_ > bbr_.smoothed_rtt() + silence_.usual_wait();
}

// Until when a paced packet has to wait; empty if it may leave.
std::optional<Timestamp> SendEngine::held_until(Timestamp now, const QueuedPacket& head) const {
  const Phase phase = silence_.phase();
  if (phase == Phase::kHolding || phase == Phase::kFloor) {
    // A packet now and then, radar or not, so that the path's return is noticed.
    const Timestamp trickle = last_sent_ + trickle_interval();
    if (trickle <= now) return std::nullopt;
    return trickle;
  }
  const DataSize flying = adapter_.bytes_in_flight();
  const bool has_room = flying.is_zero() || flying + head.size <= bbr_.cwnd();
  if (phase == Phase::kHeard && !has_room && !may_pass_window(now)) return now + kTick;
  const Timestamp due = pacer_.next_send_time(now);
  if (due <= now) return std::nullopt;
  return due;
}

SendDecision SendEngine::send_from(Timestamp now, Lane lane) {
  const QueuedPacket packet = queues_.pop(lane);
  pacer_.on_packet(now, packet.size);
  last_sent_ = now;
  if (!heard_on_path_ && unheard_size_.is_zero()) unheard_since_ = now;
  if (!heard_on_path_ || is_window_full(packet.size)) unheard_size_ += packet.size;
  last_is_unnumbered_ = true;  // until on_packet_sent says its number
  return {.action = SendDecision::Action::kSend, .token = packet.token, .wake_at = now};
}

SendDecision SendEngine::next(Timestamp now) {
  update_silence(now);
  expire(now);
  pacer_.set_rate(now, pacing_rate(now));
  if (reads_driver_queue_) pacer_.forgo_excess();
  pacer_.set_measuring(bbr_.fills_path());
  if (queues_.head(Lane::kUnpaced) != nullptr) return send_from(now, Lane::kUnpaced);
  const QueuedPacket* head = queues_.head(Lane::kPaced);
  if (head == nullptr) {
    const DataSize flying = adapter_.bytes_in_flight();
    if (flying < bbr_.cwnd()) bbr_.on_application_limited(now, flying);
    return {};
  }
  const std::optional<Timestamp> held = held_until(now, *head);
  if (!held) return send_from(now, Lane::kPaced);
  // What waits has to be looked at again in time to be dropped.
  return {.action = SendDecision::Action::kWaitUntil,
          .wake_at = std::min(*held, now + kTick * 4.0)};
}

void SendEngine::on_packet_sent(const SentPacket& packet) {
  if (!adapter_.on_packet_sent(packet)) return;
  last_is_unnumbered_ = false;
  totals_.on_sent(packet);
  ledger_.on_sent(packet.sent_at, packet);
  bbr_.on_packet_sent(packet, adapter_.bytes_in_flight());
}

std::vector<std::uint64_t> SendEngine::flush() {
  queues_.clear(drops_);
  std::vector<std::uint64_t> tokens = take_drops();
  for (const DroppedPacket& packet : drops_.packets) tokens.push_back(packet.token);
  drops_.packets.clear();
  return tokens;
}

void SendEngine::hand_over(Timestamp now, const FeedbackReport& report) {
  totals_.on_report(now, report);
  if (sizes_.on_report(report, bbr_.min_rtt())) bound_packet_size(now, *sizes_.bound());
  bbr_.on_report(now, outage_.excuse(report), adapter_.bytes_in_flight());
  if (bbr_.take_sharpening()) {
    queues_.ask_for_key_frames(now, drops_);
    collect_drops(now);
  }
}

// What cameras have queued was cut for the former size. The caller cuts the key frame that is asked
// for to the new one.
void SendEngine::bound_packet_size(Timestamp now, DataSize bound) {
  events_.push_back({now, PacketSizeBounded{bound}});
  restart_cameras(now, now);
}

// With a key frame that was captured no earlier than `fresh`.
void SendEngine::restart_cameras(Timestamp now, Timestamp fresh) {
  queues_.restart_cameras(fresh, drops_);
  queues_.expire(now, drops_);
  collect_drops(now);
}

void SendEngine::on_feedback(Timestamp now, std::span<const ReportedPacket> report,
                             std::optional<std::int64_t> ecn_ce_count) {
  // Many controllers may share a machine: their misses overlap when all are asked for first.
  prefetch(this, sizeof(*this));
  adapter_.expect(report.size());
  bbr_.expect_report(adapter_.oldest_number(), report.size());
  update_silence(now);
  const SilenceWatch::InFlight before = in_flight();
  const std::int64_t strangers = adapter_.counters().unknown_sequence;
  const FeedbackReport& results = adapter_.on_report(now, report, ecn_ce_count);
  const std::int64_t named =
      std::ssize(report) - (adapter_.counters().unknown_sequence - strangers);
  // Only a report on packets of ours proves that the way there and back is open.
  if (named > 0) {
    heard_on_path_ = true;
    last_heard_ = now;
    unheard_size_ = DataSize::zero();
    if (const auto lasted = silence_.on_feedback(now, before)) end_silence(now, *lasted);
  }
  if (!results.packets.empty()) hand_over(now, results);
}

void SendEngine::end_silence(Timestamp now, TimeDelta lasted) {
  outage_.end(now);
  events_.push_back({now, SilenceChanged{false}});
  apply_params();
  if (lasted < millis(params_.restart_after_ms)) return;
  restart_cameras(now, now - kFreshKeyFrame);
}

void SendEngine::update_silence(Timestamp now) {
  const SilenceWatch::Phase before = silence_.phase();
  const SilenceWatch::InFlight flying = in_flight();
  if (silence_.update(now, flying)) {
    outage_.begin(*flying.oldest);
    events_.push_back({now, SilenceChanged{true}});
  }
  if (silence_.phase() != before) apply_params();
}

void SendEngine::on_driver_queue(Timestamp now, const DriverQueueReport& report) {
  reads_driver_queue_ = true;
  bbr_.on_driver_queue(now, report);
}

void SendEngine::on_tick(Timestamp now) {
  update_silence(now);
  const FeedbackReport& aged = adapter_.age_out(now, bbr_.smoothed_rtt() + silence_.usual_wait());
  if (!aged.packets.empty()) hand_over(now, aged);
  bbr_.on_tick(now, adapter_.bytes_in_flight(), adapter_.oldest_in_flight());
  expire(now);
}

void SendEngine::on_path_changed(Timestamp now) {
  const bool died = silence_.phase() != Phase::kHeard;
  const DataRate before = bbr_.media_rate();
  const FeedbackReport& abandoned = adapter_.abandon(now);
  if (!abandoned.packets.empty()) hand_over(now, abandoned);
  if (!died) {
    bbr_.on_path_changed(now, before * kTrustOfNextPath);
  } else {
    bbr_.on_path_changed(now);
    // The path before died of it, and with it what the next frames refer to.
    restart_cameras(now, now);
    events_.push_back({now, SilenceChanged{false}});
  }
  silence_.reset(now);
  apply_params();
  pacer_.reset(now);
  outage_.clear();
  sizes_.reset();
  heard_on_path_ = false;
  unheard_size_ = DataSize::zero();
}

MediaBudget SendEngine::media_budget() const {
  DataRate path = bbr_.media_rate();
  const Phase phase = silence_.phase();
  if (phase == Phase::kFloor) path = config_.min_bitrate;
  if (phase == Phase::kBlind) {
    path = silence_.ever_heard() ? config_.min_bitrate : config_.start_bitrate;
  }
  return {.path = path,
          .min = config_.min_bitrate,
          .max = config_.max_bitrate,
          .drain_time = millis(params_.backlog_drain_ms)};
}

std::vector<FeedTarget> SendEngine::targets(Timestamp now) const {
  std::vector<FeedTarget> targets;
  ledger_.targets(now, media_budget(), queues_, targets);
  return targets;
}

std::vector<std::uint64_t> SendEngine::take_drops() {
  return journal_.take_tokens();
}

std::vector<FeedId> SendEngine::take_key_frame_requests() {
  return journal_.take_key_frame_requests();
}

std::vector<ControllerEvent> SendEngine::take_events() {
  for (ControllerEvent& event : bbr_.take_events()) {
    // The model watches silence for its own ends; what is held back and shown is ours.
    if (!std::holds_alternative<SilenceChanged>(event.what)) events_.push_back(std::move(event));
  }
  // The model's events and ours were noted apart; a log wants them in the order of time.
  std::stable_sort(events_.begin(), events_.end(),
                   [](const ControllerEvent& a, const ControllerEvent& b) { return a.at < b.at; });
  // A copy: what the next event needs stays allocated.
  std::vector<ControllerEvent> taken(events_.begin(), events_.end());
  events_.clear();
  return taken;
}

LimitedBy SendEngine::limited_by(Timestamp now, LimitedBy model,
                                 std::span<const FeedTarget> targets) const {
  if (silence_.phase() != Phase::kHeard) return LimitedBy::kSilence;
  // To the model every camera is application-limited between two frames; here it counts whether
  // the encoders could take more than they are given.
  const bool may_be_encoder = model == LimitedBy::kBandwidth || model == LimitedBy::kEncoder ||
                              model == LimitedBy::kStartup;
  if (!may_be_encoder || !silence_.ever_heard() || targets.empty()) return model;
  if (ledger_.cameras_are_the_limit(now, targets, config_.max_bitrate)) return LimitedBy::kEncoder;
  return model == LimitedBy::kEncoder ? LimitedBy::kBandwidth : model;
}

ControllerSnapshot SendEngine::snapshot(Timestamp now) const {
  ControllerSnapshot snapshot;
  bbr_.fill(now, snapshot);
  const std::vector<FeedTarget> targets = this->targets(now);
  snapshot.target = DataRate::zero();
  for (const FeedTarget& target : targets) snapshot.target += target.bitrate;
  snapshot.limited_by = limited_by(now, snapshot.limited_by, targets);
  snapshot.pacing_rate = pacing_rate(now);
  snapshot.inflight = adapter_.bytes_in_flight();
  totals_.fill(now, adapter_.counters(), snapshot);
  snapshot.pacer_queue = queues_.bytes() / snapshot.pacing_rate;
  snapshot.packet_size_bound = sizes_.bound();
  snapshot.silent = silence_.phase() != Phase::kHeard;
  return snapshot;
}

FeedSnapshot SendEngine::feed_snapshot(Timestamp now, FeedId feed) const {
  return ledger_.snapshot(now, feed, queues_);
}

}  // namespace farwheel
