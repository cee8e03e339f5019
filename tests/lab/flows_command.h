// The sub-command `flows`: its options, and what it prints.
#pragma once

#include <CLI/CLI.hpp>

namespace farwheel::lab {

// Adds the sub-command; its callback runs the simulation. OptionErrors leave it.
void add_flows_command(CLI::App& app);

}  // namespace farwheel::lab
