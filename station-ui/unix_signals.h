// SIGINT and SIGTERM as a Qt signal in the thread that made this object. One object a program.
#pragma once

#include <QObject>
#include <QSocketNotifier>

namespace farwheel::station {

class UnixSignals : public QObject {
  Q_OBJECT

 public:
  explicit UnixSignals(QObject* parent = nullptr);
  ~UnixSignals() override;

 signals:
  void quitAsked();

 private:
  QSocketNotifier* notifier_ = nullptr;
};

}  // namespace farwheel::station
