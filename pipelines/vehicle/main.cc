// farwheel-vehicle: a vehicle in one command. Cameras and radars, real, recorded or made up, go to
// a station by farwheelsink. Everything it does can be had with gst-launch-1.0 as well (see
// pipelines/vehicle-file); it adds seamless repetition of recordings and a report at the end.
#include <glib-unix.h>
#include <gst/gst.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include "farwheel_config.h"
#include "vehicle_pipeline.h"
#include "vehicle_report.h"

namespace farwheel {
namespace {

// What is under way when the feeds stop arrives within this, at the end of a run.
constexpr guint kDrainMs = 500;

struct Run {
  VehiclePipeline* pipeline = nullptr;
  GMainLoop* loop = nullptr;
  nlohmann::json live;  // stats when the feeds stopped
  bool stopping = false;
  std::string error;
};

gboolean quit(gpointer data) {
  g_main_loop_quit(static_cast<Run*>(data)->loop);
  return G_SOURCE_REMOVE;
}

// The end in two steps: first the feeds, then, when all has arrived, the session.
gboolean begin_end(gpointer data) {
  auto* run = static_cast<Run*>(data);
  if (run->stopping) return quit(data);  // a second signal: at once
  run->stopping = true;
  run->live = to_json(run->pipeline->stats().get());
  run->pipeline->stop_feeds();
  g_timeout_add(kDrainMs, &quit, run);
  return G_SOURCE_CONTINUE;
}

void write_json(const nlohmann::json& report, const std::string& file) {
  if (file == "-") {
    std::cout << report.dump(2) << '\n';
    return;
  }
  std::ofstream stream(file);
  stream << report.dump(2) << '\n';
  if (!stream.flush()) throw std::runtime_error("--json " + file + ": cannot be written");
}

void add_options(CLI::App& app, VehicleOptions& options) {
  app.set_version_flag("--version", "farwheel " FARWHEEL_VERSION);
  app.add_option("--endpoint", options.endpoint,
                 "where the station listens; the path /whip/<vehicle-id> is added")
      ->default_str(options.endpoint);
  app.add_option("--vehicle-id", options.vehicle_id, "this vehicle's name")
      ->default_str(options.vehicle_id);
  app.add_option("--camera", options.cameras,
                 "'test' (a road, made up), /dev/videoN, or a video file, which is repeated; "
                 "may be given several times")
      ->default_str("test");
  app.add_option("--radar", options.radars,
                 "'test', a PCD file or a folder of them, which are repeated, or 'none'; may be "
                 "given several times")
      ->default_str("test");
  app.add_option("--radar-hz", options.radar_hz, "sweeps a second, made up or from files")
      ->default_str("13")
      ->check(CLI::Range(0.1, 1000.0));
  app.add_option("--set", options.properties,
                 "a property of farwheelsink, NAME=VALUE; may be given several times");
}

int main_program(int argc, char** argv) {
  VehicleOptions options{.endpoint = "http://127.0.0.1:8080",
                         .vehicle_id = "vehicle-1",
                         .cameras = {},
                         .radars = {},
                         .properties = {}};
  double seconds = 0;
  std::string json;
  std::string units;
  std::string size = "1280x720";
  CLI::App app{"Sends a vehicle's cameras and radars to a station"};
  add_options(app, options);
  app.add_option("--size", size, "of the test camera")->default_str(size);
  app.add_option("--fps", options.fps, "of the test camera")->check(CLI::Range(1.0, 120.0));
  app.add_option("--seconds", seconds, "end after this time; 0: at SIGINT")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--units", units,
                 "write a line for each frame and sweep captured and sent (docs/link-run.md) here");
  app.add_option("--json", json, "write a report here at the end; - is standard output");
  CLI11_PARSE(app, argc, argv);

  if (std::sscanf(size.c_str(), "%dx%d", &options.width, &options.height) != 2 ||
      options.width < 160 || options.height < 90 || options.width > 4096 || options.height > 2304 ||
      options.width % 2 != 0 || options.height % 2 != 0) {
    throw std::runtime_error("--size " + size + ": not WIDTHxHEIGHT, even, 160x90 to 4096x2304");
  }
  if (options.cameras.empty()) options.cameras = {"test"};
  if (options.radars.empty()) options.radars = {"test"};
  if (!units.empty()) options.properties.push_back("unit-log=" + units);
  std::erase(options.cameras, "none");
  std::erase(options.radars, "none");

  gst_init(nullptr, nullptr);
  const std::unique_ptr<GMainLoop, Deleter<g_main_loop_unref>> loop(
      g_main_loop_new(nullptr, FALSE));
  Run run{.loop = loop.get(), .live = {}, .error = {}};
  VehiclePipeline pipeline(options, [&run](const std::string& what) {
    run.error = what;
    g_main_loop_quit(run.loop);
  });
  run.pipeline = &pipeline;
  g_unix_signal_add(SIGINT, &begin_end, &run);
  g_unix_signal_add(SIGTERM, &begin_end, &run);
  if (seconds > 0) {
    g_timeout_add(
        static_cast<guint>(seconds * 1000),
        [](gpointer data) -> gboolean {
          begin_end(data);
          return G_SOURCE_REMOVE;
        },
        &run);
  }
  pipeline.start();
  if (run.error.empty()) g_main_loop_run(loop.get());
  if (!run.error.empty()) throw std::runtime_error(run.error);

  const nlohmann::json at_end = to_json(pipeline.stats().get());
  if (!json.empty()) {
    write_json({{"process_start_unix_ns", process_start_unix_ns()},
                {"when_feeds_stopped", run.live},
                {"at_end", at_end}},
               json);
  }
  return 0;
}

}  // namespace
}  // namespace farwheel

int main(int argc, char** argv) {
  try {
    return farwheel::main_program(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "farwheel-vehicle: " << error.what() << '\n';
    return 1;
  }
}
