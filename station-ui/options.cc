#include "options.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "farwheel_config.h"

namespace farwheel::station {
namespace {

constexpr int kLeastSide = 320;
constexpr int kMostSide = 16384;
constexpr std::size_t kMostToken = 1024;

std::string read_size(const std::string& text, QSize* size) {
  int width = 0;
  int height = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < kLeastSide ||
      height < kLeastSide || width > kMostSide || height > kMostSide) {
    return "--size: \"" + text + "\" is not a size; give WIDTHxHEIGHT, such as 1280x720";
  }
  *size = QSize(width, height);
  return {};
}

}  // namespace

std::string read_token(const std::string& path, std::string* token) {
  // The rights are those of the file that is read, whatever the name points to a moment later.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return "--token-file: cannot read " + path + ": " + std::strerror(errno);
  struct stat status {};
  std::array<char, kMostToken + 1> text{};
  const bool known = fstat(file, &status) == 0;
  const ssize_t size = known && S_ISREG(status.st_mode) ? read(file, text.data(), text.size()) : -1;
  close(file);
  if (size < 0) return "--token-file: " + path + " is not a file that can be read";
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return "--token-file: others than its owner have rights on " + path +
           "; take them away: chmod 600 " + path;
  }
  const std::string_view all(text.data(), static_cast<std::size_t>(size));
  const std::string_view line = all.substr(0, all.find_first_of("\r\n"));
  if (line.empty())
    return "--token-file: the first line of " + path + " is empty; write a token there";
  if (line.size() > kMostToken) {
    return "--token-file: the first line of " + path + " is longer than " +
           std::to_string(kMostToken) + " bytes";
  }
  *token = line;
  return {};
}

ParsedOptions parse_options(int argc, char** argv) {
  Options options;
  std::string size = "1280x720";
  std::string course;
  CLI::App app("Farwheel's driver console: live video, radar and the link's figures.");
  app.name("farwheel-station");
  app.set_version_flag("--version", std::string("farwheel-station ") + FARWHEEL_VERSION);
  app.add_option("--listen", options.listen, "Where vehicles connect to, ADDRESS:PORT")
      ->capture_default_str();
  app.add_option("--token-file", options.token_file,
                 "File with the token that vehicles must present; only its owner may have rights");
  auto* shot = app.add_option("--screenshot", options.screenshot,
                              "Write a PNG of the window to this file, then quit");
  app.add_option("--after", options.after_s, "Seconds before the screenshot")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->needs(shot);
  auto* headless =
      app.add_flag("--headless", options.headless, "No window: receive, decode and count");
  shot->excludes(headless);
  app.add_option("--json", options.json, "Write the figures of the run to this file at its end");
  app.add_option(
      "--units", options.units,
      "Write a line for each packet and unit that arrived (docs/link-run.md) to this file");
  app.add_option("--seconds", options.seconds, "Quit after this time; 0: when told to")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--size", size, "Size of the window, WIDTHxHEIGHT")->capture_default_str();
  auto* fake = app.add_option("--fake", course,
                              "Play a made-up scene instead of receiving one: live (default), "
                              "degraded, frozen, lost, waiting")
                   ->expected(0, 1);
  app.footer(
      "Keys: 1 to 9 bring a camera to the main place. "
      "Qt's own options, such as -platform offscreen, are taken too.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return {.options = std::nullopt, .exit_code = app.exit(error)};
  }
  std::string fault = read_size(size, &options.size);
  if (fault.empty() && !options.token_file.empty()) {
    fault = read_token(options.token_file, &options.token);
  }
  if (fault.empty() && fake->count() > 0) {
    options.fake = fake_course(course.empty() ? "live" : course);
    if (!options.fake) {
      fault =
          "--fake: no scene \"" + course + "\"; there are live, degraded, frozen, lost and waiting";
    }
  }
  if (!fault.empty()) {
    std::fprintf(stderr, "farwheel-station: %s\n", fault.c_str());
    return {.options = std::nullopt, .exit_code = 2};
  }
  return {.options = options};
}

}  // namespace farwheel::station
