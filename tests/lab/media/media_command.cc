#include "media/media_command.h"

#include <cstdio>
#include <memory>
#include <string>

#include "media/media_json.h"
#include "media/media_option_list.h"
#include "media/media_options.h"
#include "media/media_run.h"
#include "media/option_text.h"

namespace farwheel::lab {
namespace media {
namespace {

constexpr char kSeriesHeading[] =
    "t_s,vehicle,state,limited_by,bw_mbps,target_mbps,delivered_mbps,pacing_mbps,queue_ms,"
    "pacer_queue_ms,inflight_kb,cwnd_kb,loss\n";

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdout) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Opened before the run, so that a bad name is told at once.
File open_output(const char* option, const std::string& name) {
  File file(name == "-" ? stdout : std::fopen(name.c_str(), "w"));
  if (!file) refuse(option, "'" + name + "' cannot be written");
  return file;
}

struct Outputs {
  std::string json = "-";
  std::string series;
  bool events = false;
};

void run(const MediaTexts& texts, const Outputs& outputs) {
  const std::string& json = outputs.json;
  MediaConfig config = read_media_config(texts);
  config.events = outputs.events;
  const File file = open_output("--json", json);
  File series;
  if (!outputs.series.empty()) {
    series = open_output("--series", outputs.series);
    std::fputs(kSeriesHeading, series.get());
    config.series = series.get();
  }
  const std::string text = to_json(config, run_media(config)).dump(2) + "\n";
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  if (!written || std::fflush(file.get()) != 0) {
    throw std::runtime_error("--json " + json + ": could not be written to its end");
  }
}

}  // namespace
}  // namespace media

void add_media_command(CLI::App& app) {
  struct State {
    media::MediaTexts texts;
    media::Outputs outputs;
  };
  auto state = std::make_shared<State>();
  media::MediaTexts& t = state->texts;
  CLI::App* command = app.add_subcommand(
      "media", "Cameras and radar on a link, under Farwheel's controller, in virtual time");
  command->set_version_flag("--version", app.version());
  media::add_link_options(*command, t);
  media::add_vehicle_options(*command, t);
  command->add_option("--json", state->outputs.json, "FILE, or - for standard output (-)");
  command->add_option("--series", state->outputs.series,
                      "FILE (CSV): what the controllers think, a line each 50 ms");
  command->add_flag("--events", state->outputs.events, "The controller's events to standard error");
  media::take_words_whole(*command);
  command->callback([state] { media::run(state->texts, state->outputs); });
}

}  // namespace farwheel::lab
