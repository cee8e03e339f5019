// farwheel-lab where there is no ns-3: the sub-command `media` alone.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "farwheel_config.h"
#include "media/media_command.h"

namespace {
constexpr int kUsage = 2;
}

int main(int argc, char** argv) {
  CLI::App app("Cameras and radar on simulated links, under Farwheel's own controller.",
               "farwheel-lab");
  app.set_version_flag("--version", std::string("farwheel-lab ") + FARWHEEL_VERSION);
  app.footer("Built without ns-3: flows, startup and paper are left out (Debian: libns3-dev).");
  app.require_subcommand(1);
  farwheel::lab::add_media_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : kUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "farwheel-lab: %s\n", error.what());
    return 1;
  }
  return 0;
}
