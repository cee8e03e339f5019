// run-figures: the figures of a run of real processes in the words of `farwheel-lab media`
// (docs/lab-media.md), from what vehicle, station and link wrote down. tests/link/run calls it.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "farwheel_config.h"
#include "media/figures.h"
#include "media/media_json.h"
#include "media/media_option_list.h"
#include "media/option_text.h"
#include "run_logs.h"
#include "run_units.h"

namespace farwheel::link {
namespace {

namespace media = lab::media;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLog = 1u << 30;

struct Options {
  media::MediaTexts media;
  std::string vehicle_log;
  std::string station_log;
  std::string link_log;
  std::string vehicle_report;
};

// What the controller says of the feeds at the end (docs/stats.md).
void read_drops(const std::string& file, media::VehicleLog& vehicle) {
  const Json report = Json::parse(media::read_file("--vehicle-report", file, kMostLog));
  for (const Json& feed : report.at("at_end").at("cc").at("feeds")) {
    for (media::FeedLog& log : vehicle.feeds) {
      if (feed.at("name") == log.name) log.dropped_units = feed.at("units_dropped");
    }
  }
}

double milliseconds(std::int64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

Json to_json(const std::map<std::string, double>& gaps) {
  Json json = Json::object();
  for (const auto& [feed, milliseconds] : gaps) json[feed] = milliseconds;
  return json;
}

Json figures(const Options& options) {
  const media::MediaConfig config = media::read_media_config(options.media);
  RunLogs logs;
  read_vehicle_log(media::read_file("--vehicle-log", options.vehicle_log, kMostLog), logs);
  read_station_log(media::read_file("--station-log", options.station_log, kMostLog), logs);
  read_link_log(media::read_file("--link-log", options.link_log, kMostLog), logs);
  if (logs.began_ns == 0) {
    throw std::runtime_error("--link-log " + options.link_log +
                             ": no RTP packet ever entered the link; see what the vehicle said");
  }
  const auto capacity = media::make_capacity(config);
  RunUnits run = join_logs(logs, config.duration_s);
  if (!options.vehicle_report.empty()) read_drops(options.vehicle_report, run.vehicle);

  media::RunResult result;
  result.loss = run.loss;
  std::vector<media::VehicleLog> vehicles{std::move(run.vehicle)};
  result.figures = media::measure(config, *capacity, vehicles);
  result.oracle = media::ask_oracle(config, *capacity);
  Json json = media::to_json(config, result);
  json["gap_ms"] = to_json(longest_gaps(logs, config.duration_s));
  // Whether the machine kept up, and the logs are whole.
  json["run"] = {{"emulator_late_ms",
                  {{"p50", milliseconds(logs.late_p50_ns)},
                   {"p99", milliseconds(logs.late_p99_ns)},
                   {"max", milliseconds(logs.late_max_ns)}}},
                 {"arrivals_without_owd", run.arrivals_unmatched},
                 {"units_split", run.units_split},
                 {"log_lines_bad", logs.bad_lines},
                 {"log_lines_left_out", logs.left_out}};
  return json;
}

int main_program(int argc, char** argv) {
  Options options;
  CLI::App app{"Figures of a run of real processes, as JSON on standard output"};
  app.set_version_flag("--version", "farwheel " FARWHEEL_VERSION);
  media::add_link_options(app, options.media);
  media::add_vehicle_options(app, options.media);
  app.add_option("--vehicle-log", options.vehicle_log, "of farwheel-vehicle --units")->required();
  app.add_option("--station-log", options.station_log, "of farwheel-station --units")->required();
  app.add_option("--link-log", options.link_log, "of tun_link --log")->required();
  app.add_option("--vehicle-report", options.vehicle_report, "of farwheel-vehicle --json");
  media::take_words_whole(app);
  try {
    app.parse(argc, argv);
    std::cout << figures(options).dump(2) << '\n';
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return 0;
}

}  // namespace
}  // namespace farwheel::link

int main(int argc, char** argv) {
  try {
    return farwheel::link::main_program(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "run-figures: " << error.what() << '\n';
    return 1;
  }
}
