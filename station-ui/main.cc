// farwheel-station: options, one backend, models, and either a window or a headless screen.
#include <QElapsedTimer>
#include <QEventLoop>
#include <QGuiApplication>
#include <QTime>
#include <QTimer>
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include "backend/fake_backend.h"
#include "backend/gst_backend.h"
#include "console_window.h"
#include "farwheel_config.h"
#include "headless_screen.h"
#include "options.h"
#include "run_report.h"
#include "unix_signals.h"

namespace farwheel::station {
namespace {

constexpr int kTickMs = 33;
constexpr int kStopPatienceMs = 3000;

void complain(const QString& what) {
  std::fprintf(stderr, "farwheel-station: %s\n", qUtf8Printable(what));
}

// Qt's own options would be mistakes to our parser, which runs first so that --help and --version
// need no display.
std::vector<char*> without_qt_options(int argc, char** argv) {
  constexpr std::array kWithValue{
      "platform",    "platformpluginpath", "platformtheme", "plugin",  "qwindowgeometry",
      "qwindowicon", "qwindowtitle",       "display",       "geometry"};
  std::vector<char*> ours;
  for (int i = 0; i < argc; ++i) {
    std::string_view word = argv[i];
    while (i > 0 && word.starts_with('-')) word.remove_prefix(1);
    const bool is_option = i > 0 && argv[i][0] == '-';
    if (is_option && std::find(kWithValue.begin(), kWithValue.end(), word) != kWithValue.end()) {
      ++i;
    } else {
      ours.push_back(argv[i]);
    }
  }
  return ours;
}

std::unique_ptr<StationBackend> make_backend(const Options& options) {
  if (options.fake) return std::make_unique<FakeBackend>(*options.fake);
  return std::make_unique<GstBackend>(GstBackendOptions{
      .listen = options.listen, .token = options.token, .unit_log = options.units});
}

// Lets a backend end in its own time, without waiting on it for ever.
void stop_backend(StationBackend* backend) {
  QEventLoop loop;
  QTimer patience;
  bool stopped = false;
  QObject::connect(
      backend, &StationBackend::stopped, &loop,
      [&] {
        stopped = true;
        loop.quit();
      },
      Qt::QueuedConnection);
  QObject::connect(&patience, &QTimer::timeout, &loop, &QEventLoop::quit);
  patience.setSingleShot(true);
  patience.start(kStopPatienceMs);
  backend->stop();
  loop.exec();
  if (stopped) return;
  complain(QStringLiteral("the pipeline did not stop within %1 s; leaving it")
               .arg(kStopPatienceMs / 1000));
  std::_Exit(1);
}

int run(const Options& options, QCoreApplication* app) {
  UnixSignals signals_from_outside;
  StationModel station;
  RunReport report;
  std::unique_ptr<StationBackend> backend = make_backend(options);
  station.follow(backend.get());
  report.follow(backend.get());
  QObject::connect(station.cameras(), &CameraListModel::frameShown, &report,
                   &RunReport::frameShown);
  QObject::connect(&signals_from_outside, &UnixSignals::quitAsked, app, &QCoreApplication::quit);

  int exit_code = 0;
  QObject::connect(backend.get(), &StationBackend::failed, app, [&](const QString& what) {
    complain(what);
    exit_code = 1;
    if (options.headless) app->quit();
  });

  std::unique_ptr<HeadlessScreen> headless;
  std::unique_ptr<ConsoleWindow> console;
  if (options.headless) {
    headless = std::make_unique<HeadlessScreen>(station.cameras());
  } else {
    console = std::make_unique<ConsoleWindow>(&station);
    if (!console->show(options.size)) return 1;
  }

  QTimer ticks;
  ticks.setTimerType(Qt::PreciseTimer);
  const auto tick = [&station] {
    station.setTimeOfDay(QTime::currentTime().toString(QStringLiteral("HH:mm:ss")));
    station.tick(monotonic_now());
  };
  QObject::connect(&ticks, &QTimer::timeout, &station, tick);
  ticks.start(kTickMs);
  tick();
  backend->start();

  if (options.seconds > 0) {
    QTimer::singleShot(static_cast<int>(options.seconds * 1000), app, &QCoreApplication::quit);
  }
  if (!options.screenshot.empty()) {
    QTimer::singleShot(static_cast<int>(options.after_s * 1000), app, [&] {
      const QString fault = console->write_screenshot(options.screenshot);
      if (!fault.isEmpty()) {
        complain(fault);
        exit_code = 1;
      }
      app->quit();
    });
  }
  app->exec();

  ticks.stop();
  console.reset();
  headless.reset();
  stop_backend(backend.get());
  if (!options.json.empty()) {
    const QString fault = report.write(options.json);
    if (!fault.isEmpty()) {
      complain(fault);
      exit_code = 1;
    }
  }
  return exit_code;
}

int start(int argc, char** argv) {
  std::vector<char*> ours = without_qt_options(argc, argv);
  const ParsedOptions parsed = parse_options(static_cast<int>(ours.size()), ours.data());
  if (!parsed.options) return parsed.exit_code;
  QCoreApplication::setApplicationName(QStringLiteral("farwheel-station"));
  QCoreApplication::setApplicationVersion(QStringLiteral(FARWHEEL_VERSION));
  if (parsed.options->headless) {
    QCoreApplication app(argc, argv);
    return run(*parsed.options, &app);
  }
  QGuiApplication app(argc, argv);
  choose_scene_graph();
  return run(*parsed.options, &app);
}

}  // namespace
}  // namespace farwheel::station

int main(int argc, char** argv) {
  return farwheel::station::start(argc, argv);
}
