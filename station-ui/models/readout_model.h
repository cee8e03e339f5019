// One figure on the console: its value, its text, its error band and how bad it is. Without a value
// it is not valid and its text is a dash; the last number is never kept on show.
#pragma once

#include <QtQml/qqmlregistration.h>

#include <QObject>
#include <QString>
#include <limits>
#include <optional>

#include "models/decisions.h"

namespace farwheel::station {

struct ReadoutSpec {
  QString label;
  QString unit;
  int decimals = 0;
};

struct Figure {
  std::optional<double> value;
  std::optional<double> band = std::nullopt;  // half width of the error band
  Level level = Level::Unknown;
};

class ReadoutModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("made by a model")
  Q_PROPERTY(QString label READ label CONSTANT)
  Q_PROPERTY(QString unit READ unit CONSTANT)
  Q_PROPERTY(bool valid READ valid NOTIFY changed)
  // Not a number when not valid.
  Q_PROPERTY(double value READ value NOTIFY changed)
  Q_PROPERTY(double band READ band NOTIFY changed)
  Q_PROPERTY(QString text READ text NOTIFY changed)
  Q_PROPERTY(QString bandText READ bandText NOTIFY changed)
  Q_PROPERTY(farwheel::station::Level level READ level NOTIFY changed)
  Q_PROPERTY(QString levelText READ levelText NOTIFY changed)

 public:
  explicit ReadoutModel(ReadoutSpec spec, QObject* parent = nullptr);

  void show(const Figure& figure);

  const QString& label() const { return spec_.label; }
  const QString& unit() const { return spec_.unit; }
  bool valid() const { return figure_.value.has_value(); }
  double value() const { return figure_.value.value_or(std::numeric_limits<double>::quiet_NaN()); }
  double band() const { return figure_.band.value_or(std::numeric_limits<double>::quiet_NaN()); }
  const QString& text() const { return text_; }
  const QString& bandText() const { return band_text_; }
  Level level() const { return valid() ? figure_.level : Level::Unknown; }
  QString levelText() const;

 signals:
  void changed();

 private:
  ReadoutSpec spec_;
  Figure figure_;
  QString text_;
  QString band_text_;
};

}  // namespace farwheel::station
