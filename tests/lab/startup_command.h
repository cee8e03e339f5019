// The sub-command `startup`: its options, and what it prints.
#pragma once

#include <CLI/CLI.hpp>

namespace farwheel::lab {

// Adds the sub-command; its callback runs the simulations. OptionErrors leave it.
void add_startup_command(CLI::App& app);

}  // namespace farwheel::lab
