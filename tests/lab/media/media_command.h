// The sub-command `media` of farwheel-lab: its options, and what it prints.
#pragma once

#include <CLI/CLI.hpp>

namespace farwheel::lab {

// Its callback runs the simulation. What is wrong with an option leaves it as a CLI::ParseError.
void add_media_command(CLI::App& app);

}  // namespace farwheel::lab
