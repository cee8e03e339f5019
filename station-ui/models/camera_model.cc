#include "models/camera_model.h"

#include <utility>

#include "models/wording.h"

namespace farwheel::station {
namespace {

// Digits that change more often than this cannot be read.
constexpr Nanoseconds kFigureInterval = 200 * kMillisecond;

}  // namespace

CameraModel::CameraModel(QString name, int number, std::shared_ptr<FrameMailbox> frames,
                         QObject* parent)
    : QObject(parent),
      name_(std::move(name)),
      number_(number),
      frames_(std::move(frames)),
      age_text_(dash()),
      picture_age_({.label = tr("PICTURE AGE"), .unit = tr("ms")}),
      frame_rate_({.label = tr("FRAMES"), .unit = tr("/s")}) {}

void CameraModel::frameShown(const ShownFrame& frame) {
  newest_ = frame;
  ++shown_count_;
  shown_times_.push_back(frame.shown_at);
  emit shown(frame);
}

void CameraModel::setMain(bool is_main) {
  if (is_main == is_main_) return;
  is_main_ = is_main;
  emit isMainChanged();
}

void CameraModel::tick(LinkState link, Nanoseconds now) {
  while (!shown_times_.empty() && shown_times_.front() <= now - kSecond) shown_times_.pop_front();
  PictureFacts facts{.camera_present = present_, .link = link};
  std::optional<double> age_when_shown_ms;
  if (newest_) {
    facts.shown_at = newest_->shown_at;
    if (newest_->capture) {
      age_when_shown_ms = to_milliseconds(newest_->shown_at - newest_->capture->at);
    }
    facts.age_when_shown_ms = age_when_shown_ms;
  }
  const Freshness freshness = picture_freshness(facts, now);
  const bool turned = freshness != freshness_;
  if (turned) {
    freshness_ = freshness;
    emit freshnessChanged();
  }
  std::optional<Nanoseconds> age;
  if (newest_) age = now - (newest_->capture ? newest_->capture->at : newest_->shown_at);
  QString text = age_text(age);
  if (text != age_text_) {
    age_text_ = std::move(text);
    emit ageTextChanged();
  }
  // A turn for the worse is never held back by the pace of the digits.
  if (!turned && figures_at_ && now - *figures_at_ < kFigureInterval) return;
  figures_at_ = now;
  const bool moving =
      freshness == Freshness::Live || freshness == Freshness::Late || freshness == Freshness::Old;
  if (!moving) {
    picture_age_.show({});
    frame_rate_.show({});
    return;
  }
  std::optional<double> band;
  if (newest_->capture) band = to_milliseconds(newest_->capture->band);
  picture_age_.show({.value = age_when_shown_ms,
                     .band = band,
                     .level = level_of(age_when_shown_ms, kDelayLimits)});
  frame_rate_.show({.value = static_cast<double>(shown_times_.size()), .level = Level::Normal});
}

QString CameraModel::freshnessText() const {
  return freshness_words(freshness_);
}

}  // namespace farwheel::station
