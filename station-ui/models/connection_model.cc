#include "models/connection_model.h"

#include <utility>

#include "models/wording.h"

namespace farwheel::station {
namespace {

QString text_or_dash(const std::string& text) {
  const QString shown = foreign_text(text);
  return shown.isEmpty() ? dash() : shown;
}

}  // namespace

ConnectionModel::Face ConnectionModel::face_of(const Input& input, Nanoseconds now) {
  Face face{.vehicle = dash(), .algorithm = dash(), .controller = dash(), .encryption = dash()};
  const StationStats* stats = input.stats;
  const bool known = stats && now - stats->read_at < kSourceTooOld;
  face.state = station_state({.failed = input.failed,
                              .status_known = known,
                              .link = known ? stats->link : LinkState::kUnknown,
                              .picture = input.picture,
                              .delay = input.delay,
                              .loss = input.loss});
  if (!known) return face;
  face.endpoint = foreign_text(stats->listening);
  if (stats->console_overloaded) face.overload = tr("CONSOLE OVERLOADED");
  face.vehicle = text_or_dash(stats->vehicle_id);
  const bool link_up = stats->link == LinkState::kConnected || stats->link == LinkState::kStale;
  if (link_up && stats->encrypted) {
    face.encryption = *stats->encrypted ? tr("ENCRYPTED") : tr("NOT ENCRYPTED");
    face.encryption_level = *stats->encrypted ? Level::Normal : Level::Critical;
  }
  const bool state_young =
      stats->state_age_ms &&
      *stats->state_age_ms + to_milliseconds(now - stats->read_at) < to_milliseconds(kSourceTooOld);
  if (link_up && state_young && stats->controller) {
    face.algorithm = text_or_dash(stats->controller->algorithm);
    face.controller = controller_words(*stats->controller);
    face.controller_level = station::controller_level(*stats->controller);
  }
  return face;
}

void ConnectionModel::tick(const Input& input, Nanoseconds now) {
  Face face = face_of(input, now);
  face.failure = face_.failure;
  show(std::move(face));
}

void ConnectionModel::setFailure(const QString& what) {
  Face face = face_;
  face.failure = what;
  show(std::move(face));
}

QString ConnectionModel::stateText() const {
  return state_word(face_.state);
}

QString ConnectionModel::hintText() const {
  return hint_words(face_.state);
}

void ConnectionModel::show(Face face) {
  if (face == face_) return;
  face_ = std::move(face);
  emit changed();
}

}  // namespace farwheel::station
