#include "console_window.h"

#include <QGuiApplication>
#include <QImage>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QSGRendererInterface>
#include <QVariant>
#include <array>
#include <string_view>

#include "items/register_types.h"

namespace farwheel::station {
namespace {

bool has_gpu() {
  if (QGuiApplication::platformName() == QLatin1String("offscreen") ||
      QGuiApplication::platformName() == QLatin1String("minimal")) {
    return false;
  }
  QOpenGLContext context;
  if (!context.create()) return false;
  QOffscreenSurface surface;
  surface.setFormat(context.format());
  surface.create();
  if (!surface.isValid() || !context.makeCurrent(&surface)) return false;
  const auto* name = reinterpret_cast<const char*>(context.functions()->glGetString(GL_RENDERER));
  const std::string_view renderer = name ? name : "";
  context.doneCurrent();
  constexpr std::array kOnTheCpu{"llvmpipe", "softpipe", "swrast", "SwiftShader"};
  for (const std::string_view cpu : kOnTheCpu) {
    if (renderer.find(cpu) != std::string_view::npos) return false;
  }
  return !renderer.empty();
}

}  // namespace

void choose_scene_graph() {
  if (qEnvironmentVariableIsSet("QT_QUICK_BACKEND")) return;
  if (!has_gpu()) QQuickWindow::setGraphicsApi(QSGRendererInterface::Software);
}

ConsoleWindow::ConsoleWindow(StationModel* station) {
  register_types();
  engine_.addImportPath(QLatin1String(kQmlImportPath));
  engine_.setInitialProperties({{QStringLiteral("station"), QVariant::fromValue(station)}});
}

bool ConsoleWindow::show(QSize size) {
  engine_.load(QUrl(QStringLiteral("qrc:/qt/qml/Station/Main.qml")));
  if (engine_.rootObjects().isEmpty()) return false;
  window_ = qobject_cast<QQuickWindow*>(engine_.rootObjects().constFirst());
  if (!window_) return false;
  window_->resize(size);
  window_->show();
  return true;
}

QString ConsoleWindow::write_screenshot(const std::string& path) const {
  const QString name = QString::fromStdString(path);
  const QImage image = window_->grabWindow();
  if (image.isNull()) return QStringLiteral("--screenshot: the window could not be read");
  if (image.save(name, "PNG")) return {};
  return QStringLiteral("--screenshot: cannot write %1; is its folder there and writable?")
      .arg(name);
}

}  // namespace farwheel::station
