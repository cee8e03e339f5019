#include "models/wording.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace farwheel::station {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("Station", text);
}

struct Wording {
  std::string_view key;
  const char* text;
};

constexpr std::array kStates{
    Wording{"startup", QT_TRANSLATE_NOOP("Station", "starting up")},
    Wording{"drain", QT_TRANSLATE_NOOP("Station", "draining the queue")},
    Wording{"probe_bw_down", QT_TRANSLATE_NOOP("Station", "easing off")},
    Wording{"probe_bw_cruise", QT_TRANSLATE_NOOP("Station", "cruising")},
    Wording{"probe_bw_refill", QT_TRANSLATE_NOOP("Station", "refilling the path")},
    Wording{"probe_bw_up", QT_TRANSLATE_NOOP("Station", "probing for more")},
    Wording{"probe_rtt", QT_TRANSLATE_NOOP("Station", "measuring the RTT")},
};

constexpr std::array kLimits{
    Wording{"nothing", QT_TRANSLATE_NOOP("Station", "not limited")},
    Wording{"startup", QT_TRANSLATE_NOOP("Station", "rate not yet known")},
    Wording{"bandwidth", QT_TRANSLATE_NOOP("Station", "limited by bandwidth")},
    Wording{"queue_delay", QT_TRANSLATE_NOOP("Station", "limited by queue delay")},
    Wording{"loss", QT_TRANSLATE_NOOP("Station", "limited by loss")},
    Wording{"encoder", QT_TRANSLATE_NOOP("Station", "limited by encoder")},
    Wording{"driver_queue", QT_TRANSLATE_NOOP("Station", "limited by driver queue")},
    Wording{"silence", QT_TRANSLATE_NOOP("Station", "held: no feedback")},
};

template <std::size_t size>
QString find_word(const std::array<Wording, size>& words, std::string_view key) {
  const auto* found = std::find_if(words.begin(), words.end(),
                                   [key](const Wording& word) { return word.key == key; });
  return found == words.end() ? QString() : tr(found->text);
}

}  // namespace

QString dash() {
  return QString(QChar(kDash));
}

QString number_text(std::optional<double> value, int decimals) {
  if (!value || !std::isfinite(*value)) return dash();
  // "-0.0" reads as a fault; so does a figure that rounds to it.
  const double scale = std::pow(10.0, decimals);
  const double rounded = std::round(*value * scale) / scale;
  return QString::number(rounded == 0.0 ? 0.0 : rounded, 'f', decimals);
}

QString band_text(std::optional<double> half_width_ms) {
  if (!half_width_ms || !std::isfinite(*half_width_ms)) return QString();
  const double shown = std::abs(*half_width_ms);
  // Never "±0": that would claim a clock without error.
  if (shown < 0.1) return QStringLiteral("±<0.1");
  return QStringLiteral("±") + QString::number(shown, 'f', shown < 9.95 ? 1 : 0);
}

QString age_text(std::optional<Nanoseconds> age) {
  if (!age) return dash();
  const Nanoseconds shown = std::max<Nanoseconds>(*age, 0);
  if (shown < kSecond) return tr("%1 ms").arg(shown / kMillisecond);
  const double seconds = static_cast<double>(shown) / static_cast<double>(kSecond);
  if (seconds < 100) return tr("%1 s").arg(std::floor(seconds * 10) / 10, 0, 'f', 1);
  const auto whole = static_cast<qint64>(seconds);
  return tr("%1:%2 min").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
}

QString foreign_text(const std::string& text) {
  constexpr qsizetype kMaxLength = 48;
  QString shown;
  const QString decoded = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
  for (const QChar character : decoded) {
    if (character.isPrint() && shown.size() < kMaxLength) shown.append(character);
  }
  return shown;
}

QString state_word(StationState state) {
  switch (state) {
    case StationState::Fault:
      return tr("FAULT");
    case StationState::NoStatus:
      return tr("NO STATUS");
    case StationState::Waiting:
      return tr("WAITING");
    case StationState::Connecting:
      return tr("CONNECTING");
    case StationState::NoPicture:
      return tr("NO PICTURE");
    case StationState::Live:
      return tr("LIVE");
    case StationState::Degraded:
      return tr("DEGRADED");
    case StationState::Late:
      return tr("LATE");
    case StationState::Frozen:
      return tr("FROZEN");
    case StationState::Silent:
      return tr("NO DATA");
    case StationState::Lost:
      return tr("LOST");
  }
  return dash();
}

QString hint_words(StationState state) {
  switch (state) {
    case StationState::NoStatus:
      return tr("Starting");
    case StationState::Waiting:
      return tr("Waiting for a vehicle");
    case StationState::Connecting:
      return tr("A vehicle is connecting");
    case StationState::Silent:
    case StationState::Lost:
      return tr("The vehicle is gone; waiting for it to come back");
    case StationState::Fault:
    case StationState::NoPicture:
    case StationState::Live:
    case StationState::Degraded:
    case StationState::Late:
    case StationState::Frozen:
      break;
  }
  return tr("Connected; no picture yet");
}

QString level_word(Level level) {
  switch (level) {
    case Level::Caution:
      return tr("HIGH");
    case Level::Critical:
      return tr("TOO HIGH");
    case Level::Unknown:
    case Level::Normal:
    case Level::Advisory:
      break;
  }
  return QString();
}

QString freshness_words(Freshness freshness) {
  switch (freshness) {
    case Freshness::None:
      return tr("NO PICTURE");
    case Freshness::Live:
      return QString();
    case Freshness::Late:
      return tr("PICTURE LATE");
    case Freshness::Old:
      return tr("PICTURE TOO OLD");
    case Freshness::Frozen:
      return tr("PICTURE FROZEN");
    case Freshness::Gone:
      return tr("PICTURE LOST");
  }
  return QString();
}

QString controller_words(const ControllerStats& controller) {
  const QString state = find_word(kStates, controller.state);
  const QString limit = find_word(kLimits, controller.limited_by);
  if (state.isEmpty()) return dash();
  return limit.isEmpty() ? state : state + QStringLiteral(", ") + limit;
}

Level controller_level(const ControllerStats& controller) {
  if (find_word(kStates, controller.state).isEmpty()) return Level::Unknown;
  if (controller.limited_by == "silence") return Level::Caution;
  if (controller.limited_by == "loss" || controller.limited_by == "driver_queue") {
    return Level::Advisory;
  }
  return Level::Normal;
}

}  // namespace farwheel::station
