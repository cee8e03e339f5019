#include "run_report.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <algorithm>

#include "farwheel_config.h"

namespace farwheel::station {
namespace {

// 9 hours at 30 Hz; later frames are counted but no longer weigh on the median.
constexpr std::size_t kMostAges = 1'000'000;

void put(QJsonObject* object, const char* name, const std::optional<double>& value) {
  object->insert(QLatin1String(name), value ? QJsonValue(*value) : QJsonValue());
}

void put(QJsonObject* object, const char* name, const std::string& value) {
  object->insert(QLatin1String(name),
                 value.empty() ? QJsonValue() : QJsonValue(QString::fromStdString(value)));
}

void keep(std::optional<double>* known, const std::optional<double>& now) {
  if (now) *known = now;
}

std::optional<double> quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::nullopt;
  const auto index = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<std::size_t>(index)];
}

}  // namespace

void RunReport::follow(StationBackend* backend) {
  connect(backend, &StationBackend::statsRead, this,
          [this](const std::shared_ptr<const StationStats>& stats) { takeStats(*stats); });
  connect(backend, &StationBackend::sweepReceived, this, [this] { sweepShown(); });
  connect(backend, &StationBackend::cameraAdded, this,
          [this](const QString&, const std::shared_ptr<FrameMailbox>& frames) {
            if (std::find(mailboxes_.begin(), mailboxes_.end(), frames) == mailboxes_.end()) {
              mailboxes_.push_back(frames);
            }
          });
}

void RunReport::frameShown(const ShownFrame& frame) {
  ++frames_;
  if (!first_frame_unix_ns_) {
    first_frame_unix_ns_ = wall_clock_now() - (monotonic_now() - frame.shown_at);
  }
  if (console_shares_ms_.size() < kMostAges) {
    console_shares_ms_.push_back(to_milliseconds(frame.shown_at - frame.received_at));
  }
  if (!frame.capture) return;
  if (picture_ages_ms_.size() < kMostAges) {
    picture_ages_ms_.push_back(to_milliseconds(frame.shown_at - frame.capture->at));
  }
  picture_band_ms_ = to_milliseconds(frame.capture->band);
}

void RunReport::takeStats(const StationStats& stats) {
  keep(&last_.sessions_total, stats.sessions_total);
  // What a session that is over says of itself (not encrypted, silent) is not about the run.
  if (stats.link != LinkState::kConnected) return;
  keep(&last_.throughput_bps, stats.throughput_bps);
  keep(&last_.rtt_ms, stats.rtt_ms);
  keep(&last_.loss, stats.loss);
  keep(&last_.clock_error_ms, stats.clock_error_ms);
  if (stats.owd_ms && stats.owd_error_ms) {
    last_.owd_ms = stats.owd_ms;
    last_.owd_error_ms = stats.owd_error_ms;
  }
  if (stats.encrypted) last_.encrypted = stats.encrypted;
  if (stats.controller) last_.controller = stats.controller;
  if (!stats.vehicle_id.empty()) last_.vehicle_id = stats.vehicle_id;
  if (!stats.feeds.empty()) last_.feeds = stats.feeds;
}

QByteArray RunReport::json() const {
  std::uint64_t decoded = 0;
  for (const auto& frames : mailboxes_) decoded += frames->frames_put();
  const ControllerStats controller = last_.controller.value_or(ControllerStats{});
  QJsonObject fbe;
  put(&fbe, "estimate_bps", controller.fbe_estimate_bps);
  put(&fbe, "confidence", controller.fbe_confidence);
  QJsonObject object;
  object[QLatin1String("program")] = QStringLiteral("farwheel-station " FARWHEEL_VERSION);
  std::optional<double> received;
  for (const FeedStats& feed : last_.feeds) {
    if (feed.kind == "camera") received = received.value_or(0) + feed.units_received.value_or(0);
  }
  put(&object, "frames_received", received);
  object[QLatin1String("frames_decoded")] = static_cast<qint64>(decoded);
  object[QLatin1String("frames_shown")] = static_cast<qint64>(frames_);
  object[QLatin1String("radar_sweeps_shown")] = static_cast<qint64>(sweeps_);
  put(&object, "vehicle_id", last_.vehicle_id);
  put(&object, "throughput_bps", last_.throughput_bps);
  put(&object, "target_bps", controller.target_bps);
  put(&object, "rtt_ms", last_.rtt_ms);
  put(&object, "owd_ms", last_.owd_ms);
  put(&object, "owd_error_ms", last_.owd_error_ms);
  put(&object, "loss", last_.loss);
  put(&object, "clock_error_ms", last_.clock_error_ms);
  put(&object, "picture_age_ms", quantile(picture_ages_ms_, 0.5));
  put(&object, "picture_age_p95_ms", quantile(picture_ages_ms_, 0.95));
  put(&object, "picture_age_error_ms", picture_band_ms_);
  put(&object, "console_ms", quantile(console_shares_ms_, 0.5));
  put(&object, "console_p95_ms", quantile(console_shares_ms_, 0.95));
  object[QLatin1String("first_frame_unix_ns")] =
      first_frame_unix_ns_ ? QJsonValue(static_cast<qint64>(*first_frame_unix_ns_)) : QJsonValue();
  put(&object, "algorithm", controller.algorithm);
  put(&object, "startup", controller.startup);
  put(&object, "state", controller.state);
  put(&object, "limited_by", controller.limited_by);
  object[QLatin1String("fbe")] = fbe;
  object[QLatin1String("encrypted")] =
      last_.encrypted ? QJsonValue(*last_.encrypted) : QJsonValue();
  put(&object, "sessions_total", last_.sessions_total);
  return QJsonDocument(object).toJson(QJsonDocument::Indented);
}

QString RunReport::write(const std::string& path) const {
  const QByteArray bytes = json();
  if (path == "-") {
    QFile out;
    if (out.open(stdout, QIODevice::WriteOnly) && out.write(bytes) == bytes.size()) return {};
    return QStringLiteral("--json: cannot write to standard output");
  }
  // Whole or not at all: a script that waits for the file must never read half of it.
  QSaveFile file(QString::fromStdString(path));
  if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) {
    return {};
  }
  return QStringLiteral("--json: cannot write %1: %2").arg(file.fileName(), file.errorString());
}

}  // namespace farwheel::station
