// The top bar: state of the connection, who drives, what the vehicle's controller is doing.
#pragma once

#include <QtQml/qqmlregistration.h>

#include <QObject>
#include <QString>

#include "models/decisions.h"

namespace farwheel::station {

class ConnectionModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("made by StationModel")
  Q_PROPERTY(farwheel::station::StationState state READ state NOTIFY changed)
  Q_PROPERTY(farwheel::station::Level level READ level NOTIFY changed)
  Q_PROPERTY(QString stateText READ stateText NOTIFY changed)
  Q_PROPERTY(QString vehicle READ vehicle NOTIFY changed)
  Q_PROPERTY(QString algorithm READ algorithm NOTIFY changed)
  Q_PROPERTY(QString controllerText READ controllerText NOTIFY changed)
  Q_PROPERTY(farwheel::station::Level controllerLevel READ controllerLevel NOTIFY changed)
  // "ENCRYPTED", "NOT ENCRYPTED" or a dash.
  Q_PROPERTY(QString encryptionText READ encryptionText NOTIFY changed)
  Q_PROPERTY(farwheel::station::Level encryptionLevel READ encryptionLevel NOTIFY changed)
  // What to say while there is no picture at all.
  Q_PROPERTY(QString hintText READ hintText NOTIFY changed)
  // Where vehicles connect to.
  Q_PROPERTY(QString endpointText READ endpointText NOTIFY changed)
  // Said while this machine cannot decode everything in time; else empty.
  Q_PROPERTY(QString overloadText READ overloadText NOTIFY changed)
  // What went wrong for good; empty while nothing did.
  Q_PROPERTY(QString failureText READ failureText NOTIFY changed)

 public:
  using QObject::QObject;

  struct Input {
    const StationStats* stats = nullptr;
    bool failed = false;
    Freshness picture = Freshness::None;
    Level delay = Level::Unknown;
    Level loss = Level::Unknown;
  };

  void tick(const Input& input, Nanoseconds now);
  void setFailure(const QString& what);

  StationState state() const { return face_.state; }
  Level level() const { return level_of(face_.state); }
  QString stateText() const;
  QString hintText() const;
  const QString& vehicle() const { return face_.vehicle; }
  const QString& algorithm() const { return face_.algorithm; }
  const QString& controllerText() const { return face_.controller; }
  Level controllerLevel() const { return face_.controller_level; }
  const QString& encryptionText() const { return face_.encryption; }
  Level encryptionLevel() const { return face_.encryption_level; }
  const QString& endpointText() const { return face_.endpoint; }
  const QString& overloadText() const { return face_.overload; }
  const QString& failureText() const { return face_.failure; }

 signals:
  void changed();

 private:
  struct Face {
    StationState state = StationState::NoStatus;
    QString vehicle;
    QString algorithm;
    QString controller;
    Level controller_level = Level::Unknown;
    QString encryption;
    Level encryption_level = Level::Unknown;
    QString endpoint;
    QString overload;
    QString failure;
    bool operator==(const Face&) const = default;
  };
  static Face face_of(const Input& input, Nanoseconds now);
  void show(Face face);

  Face face_ = face_of({}, 0);
};

}  // namespace farwheel::station
