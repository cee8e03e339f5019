// The console's window: picks a way to draw that works on this machine, loads the QML and shows it.
#pragma once

#include <QQmlApplicationEngine>
#include <QQuickWindow>
#include <QSize>
#include <string>

#include "models/station_model.h"

namespace farwheel::station {

// Before the first window: where there is no GPU the software scene graph is several times cheaper
// than OpenGL on the CPU, and where there is no OpenGL at all it is the only one. Respects
// QT_QUICK_BACKEND.
void choose_scene_graph();

class ConsoleWindow {
 public:
  // `station` must outlive this object.
  explicit ConsoleWindow(StationModel* station);

  // False when the QML could not be loaded; Qt has then said why.
  bool show(QSize size);
  // Empty when written, else what went wrong.
  QString write_screenshot(const std::string& path) const;
  QQuickWindow* window() const { return window_; }

 private:
  QQmlApplicationEngine engine_;
  QQuickWindow* window_ = nullptr;
};

}  // namespace farwheel::station
