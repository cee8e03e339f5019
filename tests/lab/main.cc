// farwheel-lab: what would this controller do on that link? Virtual time, on ns-3.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "farwheel_config.h"
#include "flows_command.h"
#include "media/media_command.h"
#include "option_values.h"
#include "paper_command.h"
#include "startup_command.h"

namespace {
constexpr int kUsage = 2;
}

int main(int argc, char** argv) {
  CLI::App app("Bulk flows and start-ups on simulated links, under Farwheel's own controller.");
  app.name("farwheel-lab");
  app.set_version_flag("--version", std::string("farwheel-lab ") + FARWHEEL_VERSION);
  app.require_subcommand(1);
  farwheel::lab::add_flows_command(app);
  farwheel::lab::add_startup_command(app);
  farwheel::lab::add_paper_command(app);
  farwheel::lab::add_media_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : kUsage;
  } catch (const farwheel::lab::OptionError& error) {
    std::fprintf(stderr, "farwheel-lab: %s\n", error.what());
    return kUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "farwheel-lab: %s\n", error.what());
    return 1;
  }
  return 0;
}
