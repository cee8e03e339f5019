// One camera: its mailbox for the video item, and the judgement of how fresh what it shows is.
#pragma once

#include <QtQml/qqmlregistration.h>

#include <QObject>
#include <QString>
#include <deque>
#include <memory>

#include "backend/frame_mailbox.h"
#include "models/decisions.h"
#include "models/readout_model.h"

namespace farwheel::station {

// A frame that the screen has taken: when, and when it came to be.
struct ShownFrame {
  Nanoseconds shown_at = 0;
  Nanoseconds received_at = 0;
  std::optional<CaptureTime> capture;
};

class CameraModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("made by StationModel")
  Q_PROPERTY(QString name READ name CONSTANT)
  // From 1; the key that brings the camera to the main place.
  Q_PROPERTY(int number READ number CONSTANT)
  Q_PROPERTY(bool isMain READ isMain NOTIFY isMainChanged)
  Q_PROPERTY(farwheel::station::Freshness freshness READ freshness NOTIFY freshnessChanged)
  Q_PROPERTY(bool veiled READ veiled NOTIFY freshnessChanged)
  Q_PROPERTY(QString freshnessText READ freshnessText NOTIFY freshnessChanged)
  // How old what is on screen is: from its capture where known, else from when it was shown.
  Q_PROPERTY(QString ageText READ ageText NOTIFY ageTextChanged)
  Q_PROPERTY(farwheel::station::ReadoutModel* pictureAge READ pictureAge CONSTANT)
  Q_PROPERTY(farwheel::station::ReadoutModel* frameRate READ frameRate CONSTANT)

 public:
  CameraModel(QString name, int number, std::shared_ptr<FrameMailbox> frames,
              QObject* parent = nullptr);

  // A frame was on screen at `shown_at` (the swap, not the decoding).
  void frameShown(const ShownFrame& frame);
  void setPresent(bool present) { present_ = present; }
  void setMain(bool is_main);
  void tick(LinkState link, Nanoseconds now);

  const QString& name() const { return name_; }
  int number() const { return number_; }
  bool isMain() const { return is_main_; }
  const std::shared_ptr<FrameMailbox>& frames() const { return frames_; }
  Freshness freshness() const { return freshness_; }
  bool veiled() const { return is_veiled(freshness_); }
  QString freshnessText() const;
  const QString& ageText() const { return age_text_; }
  ReadoutModel* pictureAge() { return &picture_age_; }
  ReadoutModel* frameRate() { return &frame_rate_; }
  std::uint64_t framesShown() const { return shown_count_; }

 signals:
  void isMainChanged();
  void freshnessChanged();
  void ageTextChanged();
  void shown(const farwheel::station::ShownFrame& frame);

 private:
  QString name_;
  int number_;
  std::shared_ptr<FrameMailbox> frames_;
  bool present_ = true;
  bool is_main_ = false;
  std::optional<ShownFrame> newest_;
  std::deque<Nanoseconds> shown_times_;  // of the last second
  std::uint64_t shown_count_ = 0;
  Freshness freshness_ = Freshness::None;
  QString age_text_;
  ReadoutModel picture_age_;
  ReadoutModel frame_rate_;
  std::optional<Nanoseconds> figures_at_;
};

}  // namespace farwheel::station
