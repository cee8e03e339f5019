// The command line of farwheel-station.
#pragma once

#include <QSize>
#include <optional>
#include <string>

#include "backend/fake_scene.h"

namespace farwheel::station {

struct Options {
  std::string listen = "127.0.0.1:8080";
  std::string token_file;
  std::string token;  // read from it
  std::string screenshot;
  double after_s = 5;
  bool headless = false;
  std::string json;
  std::string units;
  double seconds = 0;  // 0: until stopped
  QSize size{1280, 720};
  std::optional<FakeCourse> fake;
};

// The options, or the exit code where the program ends here (help, version, a mistake); what is to
// be said has then been said. Qt's own options (-platform, …) must have been taken out before.
struct ParsedOptions {
  std::optional<Options> options;
  int exit_code = 0;
};
ParsedOptions parse_options(int argc, char** argv);

// Reads the first line of a file on which only its owner has rights. Returns what is wrong and what
// to do about it; empty when all is well.
std::string read_token(const std::string& path, std::string* token);

}  // namespace farwheel::station
