// The newest radar sweeps as a plot in metres, each detection judged by its Doppler, and how old
// they are.
#pragma once

#include <QtQml/qqmlregistration.h>

#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <vector>

#include "backend/station_backend.h"
#include "models/decisions.h"

namespace farwheel::station {

class RadarModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("made by StationModel")
  Q_PROPERTY(farwheel::station::Freshness freshness READ freshness NOTIFY freshnessChanged)
  Q_PROPERTY(bool veiled READ veiled NOTIFY freshnessChanged)
  Q_PROPERTY(QString freshnessText READ freshnessText NOTIFY freshnessChanged)
  Q_PROPERTY(QString ageText READ ageText NOTIFY ageTextChanged)
  // Radius of the plot in metres: 50, 100, 150 or 200.
  Q_PROPERTY(double rangeM READ rangeM NOTIFY rangeChanged)
  Q_PROPERTY(int approaching READ approaching NOTIFY sweepChanged)
  Q_PROPERTY(int receding READ receding NOTIFY sweepChanged)
  Q_PROPERTY(int still READ still NOTIFY sweepChanged)
  Q_PROPERTY(int count READ count NOTIFY sweepChanged)
  Q_PROPERTY(bool hasSweep READ hasSweep NOTIFY sweepChanged)

 public:
  // A radar turns at 13 Hz or so; three sweeps missing is a fault.
  static constexpr Nanoseconds kStaleAfter = 250 * kMillisecond;
  static constexpr Nanoseconds kRangeHold = 5 * kSecond;

  struct Point {
    float x = 0;  // forward, m
    float y = 0;  // left, m
    float rcs = 0;
    Doppler doppler = Doppler::Unknown;
  };

  using QObject::QObject;

  void show(const ReceivedSweep& received);
  void tick(Nanoseconds now);

  const std::vector<Point>& points() const { return points_; }
  Freshness freshness() const { return freshness_; }
  bool veiled() const { return is_veiled(freshness_); }
  QString freshnessText() const;
  const QString& ageText() const { return age_text_; }
  double rangeM() const { return range_m_; }
  int approaching() const { return count_of(Doppler::Approaching); }
  int receding() const { return count_of(Doppler::Receding); }
  int still() const { return count_of(Doppler::Still); }
  int count() const { return static_cast<int>(points_.size()); }
  bool hasSweep() const { return newest_.has_value(); }
  std::uint64_t sweepsShown() const { return shown_count_; }

 signals:
  void sweepChanged();
  void freshnessChanged();
  void ageTextChanged();
  void rangeChanged();

 private:
  int count_of(Doppler doppler) const;
  void fit_range(Nanoseconds now);
  void rebuild();

  std::map<std::uint32_t, ReceivedSweep> sweeps_;  // the newest of each sensor
  std::vector<Point> points_;
  std::optional<Nanoseconds> newest_;
  std::uint64_t shown_count_ = 0;
  double range_m_ = 50;
  Nanoseconds range_needed_at_ = 0;
  Freshness freshness_ = Freshness::None;
  QString age_text_;
};

}  // namespace farwheel::station
